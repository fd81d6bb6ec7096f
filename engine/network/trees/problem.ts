/** Ranks, the edges between them, and what edges take of resources: links, buses, ports. */

export interface TreeProblem {
  readonly ranks: number;
  readonly edges: readonly TreeEdge[];
  /** Bytes per second of each resource; an edge of a tree that moves y bytes per second takes `amount` · y of it. */
  readonly capacity: readonly number[];
}

export interface TreeEdge {
  readonly from: number;
  readonly to: number;
  readonly uses: readonly Use[];
}

export interface Use {
  readonly resource: number;
  readonly amount: number;
}

export interface Packing {
  /** Bytes per second of all trees: each byte is reduced and broadcast over one of them. */
  readonly rate: number;
  /** No packing is faster: Σ b·z / MST(z) for the prices z that the search ended with. */
  readonly bound: number;
  /** Trees with their rates, whose sum is `rate`. */
  readonly trees: readonly Tree[];
  /** The most hops from the middle of a tree to its ranks. */
  readonly depth: number;
  /** Resources with a price in the bound: no packing is faster unless one of them is. */
  readonly limits: readonly number[];
}

export interface Tree {
  /** Indices of edges. */
  readonly edges: readonly number[];
  readonly rate: number;
}

/** The same problem with one resource of those that each edge takes alike; `first` names a resource that each stands for. */
export interface Merged {
  readonly problem: TreeProblem;
  readonly first: readonly number[];
}

/**
 * Both directions of a link are taken alike by any tree. Of such resources only the tightest limits. Resources that no edge takes
 * are left out.
 */
export function mergeAlike({ ranks, edges, capacity }: TreeProblem): Merged {
  const users: string[] = capacity.map(() => '');
  const scale = new Float64Array(capacity.length);
  for (const [index, { uses }] of edges.entries())
    for (const { resource, amount } of uses) {
      if (scale[resource] === 0) scale[resource] = amount;
      users[resource] += `${index}:${amount / scale[resource]} `;
    }
  const known = new Map<string, number>();
  const first: number[] = [];
  const kept: number[] = [];
  const numberOf = capacity.map((bytes, resource) => {
    if (users[resource] === '') return -1;
    const room = bytes / scale[resource];
    let number = known.get(users[resource]);
    if (number === undefined) {
      known.set(users[resource], (number = first.length));
      first.push(resource);
      kept.push(room);
    } else if (room < kept[number]) {
      first[number] = resource;
      kept[number] = room;
    }
    return number;
  });
  const merged = edges.map(({ from, to, uses }) => {
    const own = new Map<number, number>();
    for (const { resource, amount } of uses) own.set(numberOf[resource], amount / scale[resource]);
    return { from, to, uses: Array.from(own, ([resource, amount]) => ({ resource, amount })) };
  });
  return { problem: { ranks, edges: merged, capacity: kept }, first };
}

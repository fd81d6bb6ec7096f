import type { TreeProblem } from '../../../../engine/network/trees/problem.ts';

/** A link of each pair with its bytes per second, 0 where there is none; each direction has them. */
export function linksOf(ranks: number, bandwidth: (from: number, to: number) => number): TreeProblem {
  const capacity: number[] = [];
  const edges: TreeProblem['edges'][number][] = [];
  for (let from = 0; from < ranks; from += 1)
    for (let to = from + 1; to < ranks; to += 1) {
      const rate = bandwidth(from, to);
      if (rate > 0) edges.push({ from, to, uses: [{ resource: capacity.push(rate) - 1, amount: 1 }] });
    }
  return { ranks, edges, capacity };
}

/** Every pair is joined over the ports of both. */
export function portsOf(ports: readonly number[]): TreeProblem {
  const pairs = ports.flatMap((_, from) =>
    ports.slice(from + 1).map((__, offset) => ({ from, to: from + 1 + offset })),
  );
  const edges = pairs.map(({ from, to }) => ({
    from,
    to,
    uses: [
      { resource: from, amount: 1 },
      { resource: to, amount: 1 },
    ],
  }));
  return { ranks: ports.length, edges, capacity: ports };
}

/** Every spanning tree, as indices of edges. */
export function spanningTrees({ ranks, edges }: TreeProblem): readonly (readonly number[])[] {
  const found: number[][] = [];
  const extend = (at: number, taken: readonly number[], part: readonly number[]): void => {
    if (taken.length === ranks - 1) {
      found.push([...taken]);
      return;
    }
    if (edges.length - at < ranks - 1 - taken.length) return;
    const { from, to } = edges[at];
    if (part[from] !== part[to])
      extend(
        at + 1,
        [...taken, at],
        part.map((name) => (name === part[to] ? part[from] : name)),
      );
    extend(at + 1, taken, part);
  };
  extend(
    0,
    [],
    Array.from({ length: ranks }, (_, rank) => rank),
  );
  return found;
}

/** Every split of ranks into parts: the part of each rank. */
export function partitions(ranks: number): readonly (readonly number[])[] {
  const found: number[][] = [];
  const extend = (part: readonly number[], parts: number): void => {
    if (part.length === ranks) {
      found.push([...part]);
      return;
    }
    for (let name = 0; name <= parts; name += 1) extend([...part, name], Math.max(parts, name + 1));
  };
  extend([], 0);
  return found;
}

/** Resources that trees take, at their rates. */
export function loadOf(
  { edges, capacity }: TreeProblem,
  trees: readonly { readonly edges: readonly number[]; readonly rate: number }[],
): readonly number[] {
  const load = capacity.map(() => 0);
  for (const tree of trees)
    for (const edge of tree.edges)
      for (const { resource, amount } of edges[edge].uses) load[resource] += amount * tree.rate;
  return load;
}

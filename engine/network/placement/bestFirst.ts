import type { Chain } from './chain.ts';

/** Bounds of what is left, by set and last place; see `completions`. */
export interface Bounds {
  readonly worst: Float64Array;
  readonly sum: Float64Array;
}

export interface Enumerated {
  /** Places by rank, best first: by the slowest hop, then by the sum. */
  readonly found: readonly (readonly number[])[];
  /** All placements were seen, or as many as were wanted. */
  readonly complete: boolean;
}

/**
 * The best `most` placements whose hops are at most `limit`, in order. Partial placements are extended in the order of the least
 * that they can come to (Hart, Nilsson and Raphael, 1968). The bounds never overestimate, so the first complete ones are the best.
 * Among equals the longest comes first, then the one found first. At most `budget` partial placements are extended.
 */
export function bestFirst(chain: Chain, bounds: Bounds, limit: number, most: number, budget: number): Enumerated {
  const { places, ranks, worst, sum, allowed, others, entry, exit } = chain;
  // Hops to later ranks count from where the earlier rank is placed: what they cost at least, and then the rest.
  const later = others.map((_, earlier) => others.flat().filter(({ rank: from }) => from === earlier));
  // A partial placement is an index of these lists.
  const parent: number[] = [];
  const place: number[] = [];
  const rank: number[] = [];
  const set: number[] = [];
  const slowest: number[] = [];
  const total: number[] = [];
  const leastSlowest: number[] = [];
  const leastTotal: number[] = [];
  const before = (a: number, b: number): boolean =>
    leastSlowest[a] !== leastSlowest[b]
      ? leastSlowest[a] < leastSlowest[b]
      : leastTotal[a] !== leastTotal[b]
        ? leastTotal[a] < leastTotal[b]
        : rank[a] !== rank[b]
          ? rank[a] > rank[b]
          : a < b;
  const heap = createHeap(before);
  /** Place of an earlier rank of a partial placement. */
  const placeOf = (partial: number, wanted: number): number => {
    let at = partial;
    while (rank[at] > wanted) at = parent[at];
    return place[at];
  };

  const add = (from: number, next: number): void => {
    const at = from < 0 ? 0 : rank[from] + 1;
    let hop = from < 0 ? (entry?.[next] ?? 0) : worst[at - 1][place[from] * places + next];
    let cost = from < 0 ? hop : sum[at - 1][place[from] * places + next];
    for (const other of others[at]) {
      const there = placeOf(from, other.rank);
      const index = other.backwards ? next * places + there : there * places + next;
      hop = Math.max(hop, other.worst[index]);
      // Infinity − Infinity is no number: such a hop is over every limit.
      cost += other.sum[index] === Infinity ? Infinity : other.sum[index] - other.leastSum[there];
    }
    for (const { leastWorst, leastSum } of later[at]) {
      hop = Math.max(hop, leastWorst[next]);
      cost += leastSum[next];
    }
    if (hop > limit || hop === Infinity) return;
    const taken = (from < 0 ? 0 : set[from]) | (1 << next);
    const state = taken * places + next;
    const worstSoFar = Math.max(from < 0 ? 0 : slowest[from], hop);
    const sumSoFar = (from < 0 ? 0 : total[from]) + cost;
    if (bounds.sum[state] === Infinity || bounds.worst[state] === Infinity) return;
    const end = at === ranks - 1 ? (exit?.[next] ?? 0) : 0;
    parent.push(from);
    place.push(next);
    rank.push(at);
    set.push(taken);
    slowest.push(Math.max(worstSoFar, end));
    total.push(sumSoFar);
    leastSlowest.push(Math.max(worstSoFar, bounds.worst[state]));
    leastTotal.push(sumSoFar + bounds.sum[state]);
    heap.push(place.length - 1);
  };

  for (let free = allowed[0]; free !== 0; free &= free - 1) add(-1, 31 - Math.clz32(free & -free));
  const found: number[][] = [];
  for (let extended = 0; found.length < most; extended += 1) {
    const next = heap.pop();
    if (next === undefined) return { found, complete: true };
    if (rank[next] === ranks - 1) {
      const taken: number[] = [];
      for (let at = next; at >= 0; at = parent[at]) taken.push(place[at]);
      found.push(taken.toReversed());
      continue;
    }
    if (extended >= budget) return { found, complete: false };
    for (let free = allowed[rank[next] + 1] & ~set[next]; free !== 0; free &= free - 1)
      add(next, 31 - Math.clz32(free & -free));
  }
  return { found, complete: true };
}

interface Heap {
  push(item: number): void;
  pop(): number | undefined;
}

function createHeap(before: (a: number, b: number) => boolean): Heap {
  const items: number[] = [];
  return {
    push(item) {
      let at = items.push(item) - 1;
      for (; at > 0; at = (at - 1) >> 1) {
        const above = items[(at - 1) >> 1];
        if (!before(item, above)) break;
        items[at] = above;
      }
      items[at] = item;
    },
    pop() {
      const top = items.at(0);
      const last = items.pop();
      if (last === undefined || items.length === 0) return top;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= items.length) break;
        if (child + 1 < items.length && before(items[child + 1], items[child])) child += 1;
        if (!before(items[child], last)) break;
        items[at] = items[child];
        at = child;
      }
      items[at] = last;
      return top;
    },
  };
}

/**
 * Ranks in a row on places, exactly. Ranks next to each other are a chain; other pairs of ranks may exchange messages too.
 * Costs are whole numbers, so sums in any order are equal.
 */

/** Places of which all sets are looked at. */
export const mostPlaces = 16;

export interface Chain {
  readonly places: number;
  readonly ranks: number;
  /** By rank: the hop from it to the next rank, from place a to place b at a · places + b. Infinity: no route. */
  readonly worst: readonly Float64Array[];
  readonly sum: readonly Float64Array[];
  /** By rank: the places that it may take, as bits. */
  readonly allowed: Int32Array;
  /** By rank: hops from earlier ranks that are not just before it. */
  readonly others: readonly (readonly OtherHop[])[];
  /** By place: cost of the first or the last rank there, in addition. */
  readonly entry?: Float64Array;
  readonly exit?: Float64Array;
}

export interface OtherHop {
  readonly rank: number;
  readonly worst: Float64Array;
  readonly sum: Float64Array;
  /** The hop goes to the earlier rank. */
  readonly backwards: boolean;
  /** By place of the earlier rank: what the hop costs at least. */
  readonly leastWorst: Float64Array;
  readonly leastSum: Float64Array;
}

/**
 * Least cost of the hops of the chain that are left: the slowest hop or the sum. The index is set of places taken · places + place
 * of the last rank. No hop is over `limit`. Held and Karp's recursion (1962): the ranks placed are as many as the set has
 * members. About 2^places · places² / 4 steps. Other indices mean nothing.
 */
export function completions(chain: Chain, by: 'worst' | 'sum', limit: number): Float64Array {
  const { places, ranks, worst, sum, allowed, exit } = chain;
  const sets = 1 << places;
  // Only what is written is read: places in the set that its last rank may take.
  const left = new Float64Array(sets * places);
  for (let set = sets - 1; set > 0; set -= 1) {
    const placed = members(set);
    if (placed > ranks) continue;
    for (let last = 0; last < places; last += 1) {
      if ((set & allowed[placed - 1] & (1 << last)) === 0) continue;
      const end = exit === undefined ? 0 : exit[last];
      if (placed === ranks) {
        left[set * places + last] = end <= limit ? end : Infinity;
        continue;
      }
      const [slowest, total] = [worst[placed - 1], sum[placed - 1]];
      let least = Infinity;
      for (let free = allowed[placed] & ~set; free !== 0; free &= free - 1) {
        const next = 31 - Math.clz32(free & -free);
        const hop = last * places + next;
        if (slowest[hop] > limit) continue;
        const rest = left[(set | (1 << next)) * places + next];
        const whole = by === 'sum' ? total[hop] + rest : Math.max(slowest[hop], rest);
        if (whole < least) least = whole;
      }
      left[set * places + last] = least;
    }
  }
  return left;
}

/** The least slowest hop of the chain; other hops are left out. Infinity if the ranks cannot be placed. */
export function leastWorst({ places, allowed, entry }: Chain, left: Float64Array): number {
  let least = Infinity;
  for (let place = 0; place < places; place += 1)
    if ((allowed[0] & (1 << place)) !== 0)
      least = Math.min(least, Math.max(entry?.[place] ?? 0, left[(1 << place) * places + place]));
  return least;
}

function members(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Which device runs which stages, as numbers. A place is a device, or the devices of one pipeline rank. */

export interface PlacementProblem {
  readonly ranks: number;
  readonly places: number;
  /**
   * Seconds of a hop from place a to place b, at a · places + b; Infinity if there is no route. There is a table for each set of
   * messages that two ranks exchange.
   */
  readonly tables: readonly (readonly number[])[];
  readonly pairs: readonly RankPair[];
  /** By rank: the places that it may take, in ascending order. */
  readonly allowed: readonly (readonly number[])[];
  /** By place: its outermost node. */
  readonly nodes: readonly number[];
  /** By rank: its place by number. */
  readonly byNumber: readonly number[];
}

/** Two ranks that exchange messages: the tables of their slowest message and of the sum of their messages. */
export interface RankPair {
  readonly from: number;
  readonly to: number;
  readonly worst: number;
  readonly sum: number;
}

/** Seconds of the slowest hop, and of all hops. */
export interface HopCost {
  readonly worst: number;
  readonly sum: number;
}

export interface Placement extends HopCost {
  /** By rank. */
  readonly places: readonly number[];
}

export interface Placements {
  /** Best first. */
  readonly best: readonly Placement[];
  /** Whether no placement is better than the first. */
  readonly exact: boolean;
}

/** Cost of a placement. */
export function placementCost({ places, tables, pairs }: PlacementProblem, of: readonly number[]): HopCost {
  let [worst, total] = [0, 0];
  for (const { from, to, worst: slowest, sum } of pairs) {
    const hop = of[from] * places + of[to];
    worst = Math.max(worst, tables[slowest][hop]);
    total += tables[sum][hop];
  }
  return { worst, sum: total };
}

/** Rounding of sums, as a share. */
const rounding = 1e-12;

/** Negative if `a` is better: a faster slowest hop, then faster hops in all. Differences by rounding are none. */
export function compareCosts(a: HopCost, b: HopCost): number {
  const worst = differs(a.worst, b.worst);
  return worst === 0 ? differs(a.sum, b.sum) : worst;
}

function differs(a: number, b: number): number {
  if (a === b || a === Infinity || b === Infinity) return a === b ? 0 : a < b ? -1 : 1;
  return Math.abs(a - b) <= rounding * Math.max(a, b) ? 0 : a - b;
}

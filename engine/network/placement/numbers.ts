/** Seconds of a placement problem as whole numbers. */
import type { Chain, OtherHop } from './chain.ts';
import type { PlacementProblem } from './problem.ts';

/** The largest hop: sums of hundreds of such numbers are exact, and rounding moves a hop by a share of 1e-12. */
const largest = 2 ** 40;

/** Tables of whole numbers, in the same proportion as the seconds. */
export function wholeTables({ tables }: Pick<PlacementProblem, 'tables'>): readonly Float64Array[] {
  let most = 0;
  for (const table of tables) for (const seconds of table) if (seconds !== Infinity) most = Math.max(most, seconds);
  const scale = most > 0 ? largest / most : 1;
  return tables.map((table) =>
    Float64Array.from(table, (seconds) => (seconds === Infinity ? Infinity : Math.round(seconds * scale))),
  );
}

/** The problem as a chain of ranks in the order of their numbers. */
export function chainOf(problem: PlacementProblem): Chain {
  const { ranks, places, pairs, allowed } = problem;
  const tables = wholeTables(problem);
  const free = new Float64Array(places * places);
  const worst = Array.from({ length: ranks }, (): Float64Array => free);
  const sum = Array.from({ length: ranks }, (): Float64Array => free);
  const others = Array.from({ length: ranks }, (): OtherHop[] => []);
  for (const { from, to, worst: slowest, sum: total } of pairs) {
    const [first, second] = from < to ? [from, to] : [to, from];
    if (second === first + 1 && worst[first] === free) {
      worst[first] = from < to ? tables[slowest] : turned(tables[slowest], places);
      sum[first] = from < to ? tables[total] : turned(tables[total], places);
    } else {
      const backwards = from > to;
      const least = (table: Float64Array) => leastOf(table, places, backwards);
      others[second].push({
        rank: first,
        worst: tables[slowest],
        sum: tables[total],
        backwards,
        leastWorst: least(tables[slowest]),
        leastSum: least(tables[total]),
      });
    }
  }
  return {
    places,
    ranks,
    worst,
    sum,
    others,
    allowed: Int32Array.from(allowed, (set) => set.reduce((bits, place) => bits | (1 << place), 0)),
  };
}

function turned(table: Float64Array, places: number): Float64Array {
  return table.map((_, hop) => table[(hop % places) * places + Math.trunc(hop / places)]);
}

/** By place of the earlier rank: the least of its hops to another place, or from there if the hop goes to the earlier rank. */
const leastOf = (table: Float64Array, places: number, backwards: boolean): Float64Array =>
  Float64Array.from({ length: places }, (_, place) => {
    let least = Infinity;
    for (let other = 0; other < places; other += 1)
      if (other !== place) least = Math.min(least, table[backwards ? other * places + place : place * places + other]);
    return least;
  });

import { bestFirst, type Bounds } from './bestFirst.ts';
import { type Chain, completions, leastWorst, mostPlaces } from './chain.ts';
import { nodesFirst } from './nodes.ts';
import { chainOf } from './numbers.ts';
import { compareCosts, placementCost, type Placement, type PlacementProblem, type Placements } from './problem.ts';
import { exchanged } from './swaps.ts';

/** Placements to simulate. */
const wanted = 8;
/** Partial placements that are extended where bounds leave out some hops: a few hundred milliseconds. */
const budget = 50_000;

/**
 * The best placements by number of seconds: the least slowest hop, then the least sum of hops. Exact up to 16 places: Held and
 * Karp's recursion gives what the chain of ranks can still come to. For more places, whole nodes are placed first and then the
 * ranks inside each. Equal placements are in the order of their places, the first rank first; by number comes before all that equal it.
 */
export function placements(problem: PlacementProblem): Placements {
  const { best, exact } = problem.places <= mostPlaces ? exactly(problem) : approximately(problem);
  const byNumber = { places: problem.byNumber, ...placementCost(problem, problem.byNumber) };
  const others = best
    .filter((places) => places.some((place, rank) => place !== byNumber.places[rank]))
    .map((places): Placement => ({ places, ...placementCost(problem, places) }));
  // The sort is stable.
  const sorted = [byNumber, ...others].toSorted(compareCosts);
  return { best: sorted.slice(0, wanted), exact };
}

interface Found {
  readonly best: readonly (readonly number[])[];
  readonly exact: boolean;
}

function exactly(problem: PlacementProblem): Found {
  const chain = chainOf(problem);
  const worst = completions(chain, 'worst', Infinity);
  const least = leastWorst(chain, worst);
  // Some ranks cannot reach each other, whatever the placement.
  if (least === Infinity) return { best: [], exact: true };
  const fast = bestFirst(chain, { worst, sum: completions(chain, 'sum', least) }, least, wanted, budget);
  if (fast.found.length === wanted) return { best: fast.found, exact: true };
  const bounds: Bounds = { worst, sum: completions(chain, 'sum', Infinity) };
  const { found, complete } = bestFirst(chain, bounds, Infinity, wanted, budget);
  const best = distinct([...fast.found, ...found]);
  // The first one found is the best there is.
  return best.length > 0 ? { best, exact: true } : { best: [exchanged(problem, problem.byNumber)], exact: complete };
}

function approximately(problem: PlacementProblem): Found {
  const whole = nodesFirst(problem, bestOf);
  const starts = whole === undefined ? [problem.byNumber] : [whole, problem.byNumber];
  return { best: distinct([...starts.map((start) => exchanged(problem, start)), ...starts]), exact: false };
}

/** The best placement of a chain of ranks of at most 16 places. */
function bestOf(chain: Chain): readonly number[] | undefined {
  const worst = completions(chain, 'worst', Infinity);
  const least = leastWorst(chain, worst);
  if (least === Infinity) return undefined;
  return bestFirst(chain, { worst, sum: completions(chain, 'sum', least) }, least, 1, budget).found.at(0);
}

const distinct = (all: readonly (readonly number[])[]): readonly (readonly number[])[] => [
  ...new Map(all.map((places) => [places.join(), places])).values(),
];

/** Placements by trying all of them: for tests. */
import {
  compareCosts,
  placementCost,
  type Placement,
  type PlacementProblem,
} from '../../../../engine/network/placement/problem.ts';

/** All placements, best first; equal ones in the order of their places. */
export function allPlacements(problem: PlacementProblem): readonly Placement[] {
  const found: Placement[] = [];
  const places: number[] = [];
  const extend = (): void => {
    if (places.length === problem.ranks) {
      const cost = placementCost(problem, places);
      if (cost.worst < Infinity) found.push({ places: [...places], ...cost });
      return;
    }
    for (const place of problem.allowed[places.length]) {
      if (places.includes(place)) continue;
      places.push(place);
      extend();
      places.pop();
    }
  };
  extend();
  return found.toSorted(compareCosts);
}

/** Ranks in a row; every two next to each other exchange messages of one size. */
export const rowOf = (
  table: readonly number[],
  places: number,
  ranks: number,
  more: Partial<PlacementProblem> = {},
): PlacementProblem => ({
  ranks,
  places,
  tables: [table],
  pairs: Array.from({ length: ranks - 1 }, (_, from) => ({ from, to: from + 1, worst: 0, sum: 0 })),
  allowed: Array.from({ length: ranks }, () => Array.from({ length: places }, (_, place) => place)),
  nodes: Array.from({ length: places }, () => 0),
  byNumber: Array.from({ length: ranks }, (_, rank) => rank),
  ...more,
});

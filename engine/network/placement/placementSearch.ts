import type { Search } from '../../basics/searches.ts';
import { mostPlaces } from './chain.ts';
import { placements } from './placements.ts';
import type { PlacementProblem, Placements } from './problem.ts';

/** Elementary steps of three runs over all sets of places, and of rounds of exchanges where there are too many places for that. */
const stepsOf = { sets: 0.5, exchange: 10 };

/** The best placements of the ranks of a pipeline, by number. */
export const placementSearch: Search<PlacementProblem, Placements> = {
  name: 'placement',
  size: ({ places, ranks, pairs }) =>
    places <= mostPlaces
      ? stepsOf.sets * 2 ** places * places * places
      : stepsOf.exchange * places * ranks * pairs.length,
  *steps(problem) {
    yield;
    return placements(problem);
  },
};

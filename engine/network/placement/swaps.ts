import { compareCosts, placementCost, type PlacementProblem } from './problem.ts';

/** Rounds over all ranks and places. */
const mostRounds = 20;

/**
 * The placement after exchanges of two ranks, or moves of a rank to a free place, as long as one of them makes it better. They are
 * tried in the order of ranks and places, so the result is always the same.
 */
export function exchanged(problem: PlacementProblem, start: readonly number[]): readonly number[] {
  const { ranks, places, allowed } = problem;
  const placeOf = [...start];
  const rankAt = new Int32Array(places).fill(-1);
  for (const [rank, place] of placeOf.entries()) rankAt[place] = rank;
  const may = allowed.map((set) => new Set(set));
  const exchange = (rank: number, place: number): void => {
    const [home, other] = [placeOf[rank], rankAt[place]];
    [placeOf[rank], rankAt[place], rankAt[home]] = [place, rank, other];
    if (other >= 0) placeOf[other] = home;
  };
  let cost = placementCost(problem, placeOf);
  for (let [round, better] = [0, true]; better && round < mostRounds; round += 1) {
    better = false;
    for (let rank = 0; rank < ranks; rank += 1)
      for (let place = 0; place < places; place += 1) {
        const [home, other] = [placeOf[rank], rankAt[place]];
        if (place === home || !may[rank].has(place) || (other >= 0 && !may[other].has(home))) continue;
        exchange(rank, place);
        const changed = placementCost(problem, placeOf);
        if (compareCosts(changed, cost) < 0) [cost, better] = [changed, true];
        else exchange(rank, home);
      }
  }
  return placeOf;
}

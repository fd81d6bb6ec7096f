/** A cut for stages that share devices, where what a cut costs is no sum over its stages: local search. */

/** What a cut costs: less is better, by the first figure that differs. */
export type CutFigures = readonly number[];

/** Most cuts that are looked at; one costs microseconds. */
const mostTries = 40_000;

/**
 * The cut that is reached from `starts` by moving one boundary, or several neighbouring ones together, by one layer as long as that
 * makes it better. No stage becomes empty. Not always the best cut; never worse than the one that it starts from.
 */
export function searchCut(starts: Int32Array, count: number, figures: (starts: Int32Array) => CutFigures): Int32Array {
  const parts = starts.length;
  let best = Int32Array.from(starts);
  let least = figures(best);
  let tries = 0;
  for (let better = true; better && tries < mostTries;) {
    better = false;
    for (let length = 1; length < parts; length += 1) {
      for (let first = 1; first + length <= parts; first += 1) {
        for (const by of [-1, 1]) {
          if (tries >= mostTries) return best;
          const moved = best.map((start, part) => (part >= first && part < first + length ? start + by : start));
          const after = first + length < parts ? moved[first + length] : count;
          if (moved[first] <= moved[first - 1] || moved[first + length - 1] >= after) continue;
          tries += 1;
          const found = figures(moved);
          const differs = found.findIndex((one, index) => one !== least[index]);
          if (differs < 0 || found[differs] > least[differs]) continue;
          best = moved;
          least = found;
          better = true;
        }
      }
    }
  }
  return best;
}

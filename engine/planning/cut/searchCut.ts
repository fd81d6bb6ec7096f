/** A cut for stages that share devices, where what a cut costs is no sum over its stages: local search. */

/** What a cut costs: less is better, by the first figure that differs. */
export type CutFigures = readonly number[];

/** Most cuts that are looked at; one costs microseconds. */
const mostTries = 4_000;
/** Cuts between two pauses. */
const slice = 100;

/**
 * The best of all cuts if there are few. Otherwise a cut that is reached from `starts` by moving one boundary by one layer, or
 * several neighbouring ones together, as long as that makes it better. No stage becomes empty. Never worse than the cut that it
 * starts from. Pauses after some milliseconds of work.
 */
export function* searchCut(
  starts: Int32Array,
  count: number,
  figures: (starts: Int32Array) => CutFigures,
): Generator<void, Int32Array, void> {
  const parts = starts.length;
  if (cutsOf(count, parts) <= mostTries) return yield* bestOfAll(count, parts, figures);
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
          if (tries % slice === 0) yield;
          const found = figures(moved);
          if (!isLess(found, least)) continue;
          best = moved;
          least = found;
          better = true;
        }
      }
    }
  }
  return best;
}

/** Whether figures are better than others: by the first that differs. */
export function isLess(one: CutFigures, other: CutFigures): boolean {
  const differs = one.findIndex((figure, index) => figure !== other[index]);
  return differs >= 0 && one[differs] < other[differs];
}

/** Number of cuts of `count` layers into `parts` parts, none of them empty. */
function cutsOf(count: number, parts: number): number {
  let cuts = 1;
  for (let part = 1; part < parts; part += 1) cuts = (cuts * (count - part)) / part;
  return cuts;
}

function* bestOfAll(
  count: number,
  parts: number,
  figures: (starts: Int32Array) => CutFigures,
): Generator<void, Int32Array, void> {
  const cut = Int32Array.from({ length: parts }, (_, part) => part);
  let best = cut.slice();
  let least = figures(cut);
  for (let tries = 1; ; tries += 1) {
    if (tries % slice === 0) yield;
    // The next cut in lexical order: the last boundary that can move on does, and those behind it follow closely.
    let moves = parts - 1;
    while (moves > 0 && cut[moves] === count - parts + moves) moves -= 1;
    if (moves <= 0) return best;
    cut[moves] += 1;
    for (let part = moves + 1; part < parts; part += 1) cut[part] = cut[part - 1] + 1;
    const found = figures(cut);
    if (!isLess(found, least)) continue;
    least = found;
    best = cut.slice();
  }
}

import { decode } from './decode.ts';
import { disturb } from './disturb.ts';
import type { Layout, Words } from './layout.ts';
import { latestStarts } from './latest.ts';
import { acceptanceFrom } from './lateAcceptance.ts';
import { type Found, isOver, offer, rest, type Run } from './run.ts';
import { makespanOf } from './timing.ts';

/** Which instants of an order are its keys: the start of each operation, the latest start, or the middle of both. */
type Reading = 0 | 1 | 2;

/** Keys of the order in `words`. */
function keysOf(run: Run, words: Words, reading: Reading, keys: Float64Array, latest: Float64Array): void {
  const { layout, timing } = run;
  const { microbatches } = layout.problem;
  const makespan = makespanOf(layout, words, timing);
  if (reading > 0) latestStarts(layout, timing, makespan, latest);
  for (const code of layout.local)
    for (let at = code * microbatches; at < (code + 1) * microbatches; at += 1) {
      const start = timing.end[at] - layout.ticks[code];
      keys[at] = reading === 0 ? start : reading === 1 ? latest[at] : (start + latest[at]) / 2;
    }
}

const bytesOfKeys = ({ problem, codes }: Layout): Float64Array => new Float64Array(codes * problem.microbatches);

/**
 * Random keys: the instants of an order, disturbed, are the priorities of the next one. Half of the orders are built once more from
 * their latest starts (justification: Valls, Ballestín and Quintanilla, "Justification and RCPSP" (2005)). Until `until`
 * operations have been visited.
 */
export function* keySearch(run: Run, round: number, slack: number, until: number): Generator<Found | undefined, void> {
  const { layout, random, best } = run;
  const size = best.length;
  const words: Words = new Uint8Array(size);
  const other: Words = new Uint8Array(size);
  const [base, keys, latest] = [bytesOfKeys(layout), bytesOfKeys(layout), bytesOfKeys(layout)];
  const oneStageEach = layout.stages === layout.problem.devices;
  const accepts = acceptanceFrom(run.makespan, slack);
  keysOf(run, best, (round % 3) as Reading, base, latest);
  while (run.visited < until && !isOver(run)) {
    keys.set(base);
    disturb(layout, keys, run.typical, random);
    if (random.whole(3) === 0) disturb(layout, keys, run.typical, random);
    const reserves = oneStageEach || random.whole(2) === 0;
    let makespan = decode(layout, keys, run.decoder, words, reserves);
    let work = 2 * size;
    if (makespan < Infinity && random.whole(2) === 0) {
      keysOf(run, words, 1, keys, latest);
      const justified = decode(layout, keys, run.decoder, other, reserves);
      work += 3 * size;
      if (justified <= makespan) {
        words.set(other);
        makespan = justified;
      }
    }
    offer(run, words, makespan, 'priorities');
    if (accepts(makespan)) {
      keysOf(run, words, random.whole(3) as Reading, base, latest);
      work += size;
    }
    yield* rest(run, work);
  }
}

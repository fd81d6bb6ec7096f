import { fits } from './bytes.ts';
import { criticalPlaces } from './criticalPlaces.ts';
import { acceptanceFrom } from './lateAcceptance.ts';
import type { Words } from './layout.ts';
import { type Found, isOver, offer, rest, type Run } from './run.ts';
import { makespanOf } from './timing.ts';

/** Moves an operation of a critical path to another place of its word, 1 … 3p places away. Until `until` operations have been visited. */
export function* wordSearch(run: Run, slack: number, until: number): Generator<Found | undefined, void> {
  const { layout, timing, random, best } = run;
  const { device: deviceOf, offsets, problem } = layout;
  const words: Words = best.slice();
  const placeOf = new Int32Array(timing.end.length);
  const critical = new Int32Array(words.length);
  const operation = new Int32Array(words.length);
  let length = 0;
  /** Takes note of the order that was timed last. */
  const note = (): void => {
    length = criticalPlaces(layout, timing, random, placeOf, critical);
    operation.set(timing.operation);
  };
  const accepts = acceptanceFrom(makespanOf(layout, words, timing), slack);
  note();
  while (run.visited < until && !isOver(run)) {
    const from = critical[random.whole(length)];
    const device = deviceOf[Math.floor(operation[from] / problem.microbatches)];
    const reach = 1 + random.whole(3 * problem.devices);
    const wanted = random.whole(2) === 0 ? from + reach : from - reach;
    const to = Math.max(offsets[device], Math.min(offsets[device + 1] - 1, wanted));
    if (isSame(words, from, to)) {
      yield* rest(run, reach);
      continue;
    }
    move(words, from, to);
    const makespan = fits(layout, words, device) ? makespanOf(layout, words, timing) : Infinity;
    if (accepts(makespan)) {
      note();
      offer(run, words, makespan, 'moves');
    } else move(words, to, from);
    yield* rest(run, words.length);
  }
}

/** Whether all operations between two places have one code, so that a move would change nothing. */
function isSame(words: Words, from: number, to: number): boolean {
  for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) if (words[at] !== words[from]) return false;
  return true;
}

function move(words: Words, from: number, to: number): void {
  const code = words[from];
  if (to > from) words.copyWithin(from, from + 1, to + 1);
  else words.copyWithin(to + 1, to, from);
  words[to] = code;
}

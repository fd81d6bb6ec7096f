import { decode } from './decode.ts';
import { disturb } from './disturb.ts';
import type { Words } from './layout.ts';
import { acceptanceFrom } from './lateAcceptance.ts';
import { randomOf } from './random.ts';
import { type Found, isOver, offer, rest, type Run } from './run.ts';

/** Share by which an order from windows may be longer than the best one, so that orders near it are tried. */
const near = 0.01;
/** Share by which the first of these may be longer. */
const slack = 0.002;

/**
 * Builds an order from the latest ends that a refutation has left: what may end last runs last. They know of the memory and of all
 * devices, which priorities of single operations do not.
 */
export function* orderByWindows(run: Run, latest: Float64Array): Generator<Found | undefined, void> {
  const { layout } = run;
  const { microbatches } = layout.problem;
  const keys = latest.map((end, at) => end - layout.ticks[Math.floor(at / microbatches)]);
  const words: Words = new Uint8Array(run.best.length);
  const makespan = decode(layout, keys, run.decoder, words);
  if (makespan < (run.windows?.makespan ?? Infinity)) run.windows = { keys, makespan };
  offer(run, words, makespan, 'windows');
  yield* rest(run, 2 * words.length);
}

/** Whether windows give orders about as short as the best one. */
export const hasShortWindows = ({ windows, makespan }: Run): boolean =>
  windows !== undefined && windows.makespan <= makespan * (1 + near);

/** Disturbs the keys of the best such order, not its instants. Until `until` operations have been visited. */
export function* nearWindows(run: Run, until: number): Generator<Found | undefined, void> {
  const { layout, windows } = run;
  if (windows === undefined || !hasShortWindows(run)) return;
  const random = randomOf(1);
  const words: Words = new Uint8Array(run.best.length);
  const base = windows.keys.slice();
  const keys = base.slice();
  const accepts = acceptanceFrom(windows.makespan, slack);
  while (run.visited < until && !isOver(run)) {
    keys.set(base);
    disturb(layout, keys, run.typical, random);
    const makespan = decode(layout, keys, run.decoder, words);
    offer(run, words, makespan, 'windows');
    if (accepts(makespan)) base.set(keys);
    yield* rest(run, 2 * words.length);
  }
}

import { roundOf } from './bound.ts';
import { type Codes, inLayout } from './codes.ts';
import { decode } from './decode.ts';
import { diveSteps } from './dive.ts';
import type { Words } from './layout.ts';
import type { OpenTick } from './openTick.ts';
import { randomOf } from './random.ts';
import { refutationOf } from './refutation.ts';
import { type Found, isOver, offer, rest, type Run } from './run.ts';
import { makespanOf } from './timing.ts';

/** Operations of the rules that take as long as one that the search visits. */
const weight = 24;
/** Share of an effort of 1 for all dives, and rounds of the rules that one takes. If it has no time for as many, none begins. */
const share = 0.6;
const roundsOfDive = 150;
/** Orders that are above the bound by more than this share are too long to lead to it. */
const short = 0.04;
/** By how much the room on a device may seem larger, so that dives differ. */
const noise = 0.5;

/**
 * Dives for an order that ends by the bound, along the best order that is known. Goes on along each better one until a dive finds none.
 * If a device has several stages, dives rarely find one.
 */
export function* byDives(run: Run): Generator<Found | undefined, void> {
  const { problem, stages } = run.layout;
  if (stages > problem.devices || roundsOfDive * roundOf(problem) > weight * share * run.visits) return;
  const until = run.visited + share * run.visits;
  const random = randomOf(1);
  for (let before = Infinity; run.makespan < before && run.visited < until && !isOver(run);) {
    before = run.makespan;
    if (before <= run.bound || before > run.bound * (1 + short)) return;
    const bias = Float64Array.from({ length: problem.devices }, () => 1 + noise * random.share());
    yield* dive(run, bias, until);
  }
}

/** Ends as soon as an order reaches the bound. */
function* dive(run: Run, bias: Float64Array, until: number): Generator<Found | undefined, void> {
  const refutation = refutationOf(run.layout.problem);
  let [counted, isDone] = [0, false];
  function* pass(): Generator<Found | undefined, void> {
    const operations = refutation.effort() - counted;
    counted += operations;
    yield* rest(run, operations / weight);
    isDone = run.visited >= until || isOver(run) || run.makespan <= run.bound;
  }
  const opening = refutation.openSteps(run.bound);
  let opened = opening.next();
  for (; opened.done !== true && !isDone; opened = opening.next()) yield* pass();
  if (opened.done !== true || opened.value === undefined) return;
  const tick = opened.value;
  const guide = guideOf(run, tick.codes);
  const build = builder(run, tick);
  build();
  for (const isStep of diveSteps(tick, guide, bias)) {
    if (isStep) build();
    yield* pass();
    if (isDone) return;
  }
}

/** The starts of the best order, by code · m + microbatch. */
function guideOf({ layout, best, timing }: Run, codes: Codes): Float64Array {
  const { microbatches: m } = layout.problem;
  makespanOf(layout, best, timing);
  const guide = new Float64Array(codes.count * m);
  inLayout(codes).forEach((there, code) => {
    for (let j = 0; j < m; j += 1) guide[code * m + j] = timing.end[there * m + j] - codes.ticks[code];
  });
  return guide;
}

/** Builds orders from what is left of a tick: one by latest starts, and one by the middles of the windows. */
function builder(run: Run, { codes, est, lft }: OpenTick): () => void {
  const { layout } = run;
  const { microbatches: m } = layout.problem;
  const keys = new Float64Array(layout.codes * m);
  const words: Words = new Uint8Array(run.best.length);
  const places = inLayout(codes);
  return () => {
    for (const isMiddle of [false, true]) {
      places.forEach((there, code) => {
        for (let j = 0; j < m; j += 1) {
          const at = code * m + j;
          keys[there * m + j] = lft[at] - codes.ticks[code] + (isMiddle ? est[at] : 0);
        }
      });
      run.visited += 2 * words.length;
      offer(run, words, decode(layout, keys, run.decoder, words), 'dives');
    }
  };
}

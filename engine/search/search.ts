import { beamSteps } from './beam.ts';
import { boundSteps } from './bound.ts';
import { decode } from './decode.ts';
import type { Words } from './layout.ts';
import { byDives } from './dives.ts';
import { keySearch } from './keySearch.ts';
import { priorityLists } from './lists.ts';
import type { OrderProblem } from './orderProblem.ts';
import { seedOf } from './random.ts';
import { extendedKeys, smallerCounts } from './repetend.ts';
import {
  type Found,
  isOver,
  type Objective,
  offer,
  offerByKeys,
  offerWords,
  operationsOfEffort,
  rest,
  type Run,
  runOf,
  snapshot,
} from './run.ts';
import { riskMeter } from './risk.ts';
import { roundOrders } from './rounds.ts';
import { fitsAll } from './bytes.ts';
import { makespanOf, spanOf } from './timing.ts';
import { disturbWave, drawWave, waveKeys } from './waves.ts';
import { hasShortWindows, nearWindows, orderByWindows } from './windowKeys.ts';
import { wordSearch } from './wordSearch.ts';

/** An order to begin with. */
export interface Seed {
  readonly name: string;
  readonly words: Words;
}

export interface SearchOptions {
  readonly seeds: readonly Seed[];
  readonly objective: Objective;
  /** Operations to visit, in units of `operationsOfEffort`. */
  readonly effort: number;
  /** Of the generator. Default: made from the problem. */
  readonly seed?: number;
  /** Chooses the order by its end under random times. */
  readonly random?: RandomTimes;
}

/**
 * Standard deviations of times as shares of them, by stage. `whole`: whether backwards are one operation. `slow`: factors on the times
 * of devices. Orders are chosen without them, because a device becomes slow after the plan: the figures of the chosen order have them.
 */
export interface RandomTimes {
  readonly jitter: Float64Array;
  readonly whole: boolean;
  readonly slow?: Float64Array;
}

/** Operations that the bound may visit, in all and of a short order for each pair of operations. */
const boundEffort = 1e8;
const boundVisits = 150;
/** Operations that long probes may visit, for an effort of 1, and efforts at most; and the gap below which they are not worth it. */
const refineEffort = 3e8;
const mostRefined = 10;
const worthwhile = 1e-3;
/** Orders that are longer than the bound by less than this share may reach it. */
const nearly = 1e-5;
/** Effort for each smaller problem. */
const smallEffort = 0.04;
/**
 * Share of an effort of 1 for waves. If the microbatches are at least `manyWaves` times what a device may hold, it comes first.
 * Otherwise orders in waves are rarely the shortest: the share is in parts between rounds, so that little effort is not spent on it alone.
 */
const waveShare = 0.15;
const manyWaves = 4;
const waveParts = 5;
/** Waves that are drawn before the best one is disturbed. */
const newWaves = 60;
/** Orders that are above the bound by less than this share may be the shortest: then windows are worth narrowing. */
const short = 0.04;
/** Shares of an effort of 1 for orders near the windows of the bound, before each time that it is raised. */
const windowShares = [0.02, 0.1];
interface Beam {
  /** Of an effort of 1. */
  readonly share: number;
  /** Weight of the mean end of the devices: little favours orders without an idle device, much those that are even. */
  readonly mean: number;
  /** Orders with equal sets of operations that stay. */
  readonly alike: number;
}
const firstBeams: readonly Beam[] = [
  { share: 0.1, mean: 1, alike: 3 },
  { share: 0.1, mean: 0.2, alike: 3 },
];
/** After the first round of keys and words. */
const wideBeam: Beam = { share: 0.3, mean: 0.2, alike: 12 };
/** Widths of beams, and operations that a beam looks at for each operation and code. */
const leastWidth = 4;
const mostWidth = 2048;
const visitsOfBeam = 2.7;
/** Shares of an effort of 1 for a round of keys and a round of words. */
const keyShare = 0.08;
const wordShare = 0.08;
/** Shares by which orders at the start of a round may be longer than the best one. */
const slacks = [0, 0.005, 0.01];

/** The seed of the generator: equal problems give equal orders on every machine. */
export const seedOfProblem = (problem: OrderProblem): number =>
  seedOf([
    [problem.devices, problem.microbatches],
    problem.device,
    problem.forward,
    problem.input,
    problem.weight,
    problem.transfer,
    problem.step,
    problem.activation,
    problem.forWeight,
    problem.limit,
  ]);

/**
 * The best order of a problem that it finds within an effort. It yields each better order, the order again when more is proven of
 * it, and nothing where the caller may pause.
 * What it does depends on the problem, the seeds and the generator only, and effort ends it: a higher effort goes on where a
 * lower one ends. The limits must hold one microbatch of all stages of each device.
 */
export function* searchSteps(
  problem: OrderProblem,
  { seeds, objective, effort, seed, random }: SearchOptions,
): Generator<Found | undefined, Found> {
  const run = runOf(problem, objective, effort, seed ?? seedOfProblem(problem));
  yield* orders(run, seeds);
  return random === undefined ? snapshot(run) : yield* steadiest(run, seeds, random);
}

/**
 * Of all orders that a search for the end takes over with this effort, the one with the shortest longest span. It proves nothing: so it
 * goes on where that search ends with a proof, and more effort never gives a longer span.
 */
export function* evenestSteps(
  problem: OrderProblem,
  { seeds, effort, seed }: Pick<SearchOptions, 'seeds' | 'effort' | 'seed'>,
): Generator<undefined, Found | undefined> {
  const run = runOf(problem, 'end', effort, seed ?? seedOfProblem(problem), true);
  yield* pausesOf(orders(run, seeds));
  return run.even;
}

/** All steps of a search, until its effort is spent or its order is proven to be the best. */
function* orders(run: Run, seeds: readonly Seed[]): Generator<Found | undefined, void> {
  const { microbatches } = run.problem;
  for (const { name, words } of seeds) yield* offerWords(run, words, name);
  yield* byRoundOrders(run);
  yield* byLists(run);
  yield* bound(run);
  // If memory is short, an order near the windows is shorter than one to dive along.
  const isShort = heldMost(run) < run.problem.devices;
  if (!isShort) yield* byDives(run);
  let isRefined = yield* byWindows(run);
  if (isShort) yield* byDives(run);
  for (const beam of firstBeams) yield* byBeam(run, beam);
  const waves = wavesOf(run);
  const areMany = microbatches >= manyWaves * heldMost(run);
  if (waves !== undefined && areMany) yield* waves(run.visited + run.visits * waveShare);
  yield* byRepetend(run);
  yield* byRounds(run, function* (round) {
    if (round === 1 && !isRefined) {
      isRefined = true;
      yield* refine(run);
    }
    if (waves !== undefined && !areMany && round > 0 && round <= waveParts)
      yield* waves(run.visited + (run.visits * waveShare) / waveParts);
  });
  if (!isRefined) yield* refine(run);
  yield* rest(run, 0);
}

/** Of the last better orders and the seeds, the one with the lowest 95th-percentile end; of equal ones the shortest. */
function* steadiest(
  run: Run,
  seeds: readonly Seed[],
  { jitter, whole, slow }: RandomTimes,
): Generator<undefined, Found> {
  const shortest = snapshot(run);
  const others = run.last.filter(({ makespan }) => makespan > shortest.makespan);
  const fitting = seeds.flatMap(({ name, words }): Found[] => {
    const makespan = fitsAll(run.layout, words) ? makespanOf(run.layout, words, run.timing) : Infinity;
    return makespan < Infinity
      ? [{ ...shortest, words, by: name, makespan, span: spanOf(run.layout, run.timing) }]
      : [];
  });
  const orders = [shortest, ...others.toReversed(), ...fitting];
  const meter = riskMeter(run.layout, jitter, whole, orders.length);
  let [best, least, ofShortest] = [shortest, Infinity, Infinity];
  for (const order of orders) {
    const p95 = meter.p95(order.words);
    if (order === shortest) ofShortest = p95;
    if (p95 < least) [best, least] = [order, p95];
    yield undefined;
  }
  const { bound, spanBound, effort, work } = shortest;
  const slowed = slow === undefined ? undefined : riskMeter(run.layout, jitter, whole, orders.length, slow);
  return {
    ...best,
    ...{ bound, spanBound, effort, work },
    risk: {
      p95: slowed?.p95(best.words) ?? least,
      shortest: {
        makespan: slowed?.end(shortest.words) ?? shortest.makespan,
        p95: slowed?.p95(shortest.words) ?? ofShortest,
      },
      orders: orders.length,
      draws: meter.draws,
      isSlowed: slow !== undefined,
    },
  };
}

/** Raises the bound. An order that reaches it ends the search. What the bound visits is not counted as effort. */
function* bound(run: Run): Generator<Found | undefined, void> {
  if (run.makespan === Infinity) return;
  const effort = isOver(run) ? 0 : Math.min(boundEffort, boundVisits * run.best.length ** 2);
  yield* raise(run, boundSteps(run.layout.problem, run.makespan, effort));
}

/**
 * If memory is short and stages are alike, what a refutation leaves of the windows gives short orders at once. The more the bound
 * proves, the narrower they are, and the shorter the orders: so both go on in turn. Returns whether they did.
 */
function* byWindows(run: Run): Generator<Found | undefined, boolean> {
  // Devices that start late have slack, so that windows are wide where the span is to be short.
  if (isOver(run) || run.objective === 'span') return false;
  let isRefined = false;
  for (const share of windowShares) {
    yield* nearWindows(run, run.visited + run.visits * share);
    if (isOver(run) || !hasShortWindows(run) || run.makespan > run.bound * (1 + short)) return isRefined;
    yield* refine(run, true);
    isRefined = true;
  }
  return isRefined;
}

/** Raises the bound with long probes if a gap is left that is worth it. */
function* refine(run: Run, isLikely = false): Generator<Found | undefined, void> {
  if (!(run.makespan < Infinity)) return;
  if (run.makespan <= run.bound * (isLikely ? 1 : 1 + worthwhile)) return;
  const effort = refineEffort * Math.min(mostRefined, run.most / run.visits);
  yield* raise(run, boundSteps(run.layout.problem, run.makespan, effort, run.bound, isLikely));
}

function* raise(run: Run, steps: ReturnType<typeof boundSteps>): Generator<Found | undefined, void> {
  const before = run.bounding;
  for (;;) {
    const { done, value } = steps.next();
    run.bounding = before + value.effort;
    const isHigher = value.bound > run.bound;
    run.bound = Math.max(run.bound, value.bound);
    if (value.latest !== undefined) yield* orderByWindows(run, value.latest);
    if (isHigher) yield snapshot(run);
    else if (done !== true) yield undefined;
    if (done === true) return;
  }
}

/**
 * Builds an order in a beam, if bytes are short or a device has several stages. Priorities find the others.
 */
function* byBeam(run: Run, { share, mean, alike }: Beam): Generator<Found | undefined, void> {
  const { layout, visits } = run;
  const { devices } = layout.problem;
  if (isOver(run) || (heldMost(run) >= devices && layout.stages <= devices)) return;
  const perOrder = visitsOfBeam * layout.offsets[devices] * layout.codes;
  const width = Math.min(mostWidth, Math.round((share * visits) / perOrder));
  if (width < leastWidth) return;
  const steps = beamSteps(layout, { width, under: run.makespan, mean, alike });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) yield undefined;
  const { found, visited } = step.value;
  if (found !== undefined) offer(run, found.words, found.makespan, 'beams');
  yield* rest(run, visited);
}

/** Draws waves and disturbs the best one, until `until` operations have been visited; goes on where it ended the last time. */
type Waves = (until: number) => Generator<Found | undefined, void>;

/** Undefined where a device holds as many microbatches as there are devices: then orders in waves are not short. */
function wavesOf(run: Run): Waves | undefined {
  const { layout, random, typical } = run;
  const keys = new Float64Array(run.timing.end.length);
  const words: Words = new Uint8Array(run.best.length);
  const held = heldMost(run);
  if (held >= layout.problem.devices) return undefined;
  let best: ReturnType<typeof drawWave> | undefined;
  let least = Infinity;
  let drawn = 0;
  return function* (until) {
    for (; run.visited < until && !isOver(run); drawn += 1) {
      const isNew = best === undefined || drawn < newWaves || random.whole(5) === 0;
      const wave =
        isNew || best === undefined ? drawWave(layout, typical, held, random) : disturbWave(best, typical, random);
      waveKeys(layout, wave, keys);
      const makespan = decode(layout, keys, run.decoder, words);
      if (makespan <= least) {
        least = makespan;
        best = wave;
      }
      offer(run, words, makespan, 'waves');
      yield* rest(run, 2 * words.length);
    }
  };
}

function* byRoundOrders(run: Run): Generator<Found | undefined, void> {
  const words: Words = new Uint8Array(run.best.length);
  for (const _ of roundOrders(run.layout, words)) yield* offerWords(run, words, 'rounds');
}

function* byLists(run: Run): Generator<Found | undefined, void> {
  const keys = new Float64Array(run.timing.end.length);
  const words: Words = new Uint8Array(run.best.length);
  for (const _ of priorityLists(run.layout, keys)) {
    if (isOver(run) && run.makespan < Infinity) return;
    yield* offerByKeys(run, keys, words, 'simple priorities');
  }
}

/** Solves smaller problems and repeats microbatches from their middle. */
function* byRepetend(run: Run): Generator<Found | undefined, void> {
  const { problem } = run.layout;
  const keys = new Float64Array(run.timing.end.length);
  const words: Words = new Uint8Array(run.best.length);
  for (const [count, lengths] of smallerCounts(problem.microbatches, problem.devices, heldMost(run))) {
    if (isOver(run)) return;
    const inner = runOf({ ...run.problem, microbatches: count }, run.objective, smallEffort, 1);
    yield* pausesOf(byLists(inner));
    yield* pausesOf(byRounds(inner));
    yield* rest(run, inner.visited);
    for (const length of lengths)
      for (const _ of extendedKeys(run.layout, snapshot(inner), count, length, keys))
        yield* offerByKeys(run, keys, words, 'repetition');
  }
}

function* pausesOf(steps: Generator<Found | undefined, void>): Generator<undefined, void> {
  for (const found of steps) if (found === undefined) yield undefined;
}

/** `before`: what comes before a round. */
function* byRounds(
  run: Run,
  before?: (round: number) => Generator<Found | undefined, void>,
): Generator<Found | undefined, void> {
  let bounded = run.makespan;
  for (let round = 0; !isOver(run); round += 1) {
    if (before !== undefined) yield* before(round);
    const slack = slacks[round % slacks.length];
    yield* keySearch(run, round, slack, run.visited + keyShare * operationsOfEffort);
    yield* wordSearch(run, slack, run.visited + wordShare * operationsOfEffort);
    if (round === 0) yield* byBeam(run, wideBeam);
    // The bisection ends a little below what it could prove: whether nothing is under this order is asked apart.
    if (run.makespan !== bounded && run.makespan < run.bound * (1 + nearly)) yield* bound(run);
    bounded = run.makespan;
  }
}

/** Microbatches that a device may hold at most. */
function heldMost({ layout }: Run): number {
  const { problem, local, first, stages } = layout;
  let most = 0;
  for (let device = 0; device < problem.devices; device += 1) {
    let bytes = 0;
    for (let place = first[device]; place < first[device + 1]; place += 1)
      if (local[place] < stages) bytes += problem.activation[local[place]];
    most = Math.max(most, bytes > 0 ? problem.limit[device] / bytes : Infinity);
  }
  return Math.min(most, problem.microbatches);
}

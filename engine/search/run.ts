import { fitsAll } from './bytes.ts';
import { decode, type Decoder, decoderFor } from './decode.ts';
import { type Layout, layoutOf, type Words } from './layout.ts';
import { leastOf } from './least.ts';
import type { OrderProblem } from './orderProblem.ts';
import { type Random, randomOf } from './random.ts';
import type { Risk } from './risk.ts';
import { spanProblem } from './spans.ts';
import { endOf, makespanOf, spanOf, type Timing, timingFor } from './timing.ts';

/** What an order should be best at first: the end of the last device, or the longest span of a device. */
export type Objective = 'end' | 'span';

/** An order that is shorter than all before it. */
export interface Found {
  readonly words: Words;
  /** Ticks to the end of the last step. */
  readonly makespan: number;
  /** Ticks between the first start and the last end of the device where that is longest. */
  readonly span: number;
  /** Ticks that no makespan can be under, and that no longest span can be under. */
  readonly bound: number;
  readonly spanBound: number;
  /** Operations visited until it was found, in units of `operationsOfEffort`. */
  readonly effort: number;
  /** The same with what the bound has visited. */
  readonly work: number;
  /** What made it: a policy's name, or a step of the search. */
  readonly by: string;
  /** Only if it was chosen for random times. */
  readonly risk?: Risk;
}

/** Orders that are compared under random times: the last ones that were shorter than all before. */
const incumbents = 32;

/** Operations that an effort of 1 visits, and of a short order for each of its operations. */
export const operationsOfEffort = 2e7;
const visitsOfEffort = 1e5;
/** Operations between two pauses. */
const operationsOfSlice = 2e5;

/** The state of a search. The layout has the problem whose end is the figure to minimise: for spans the problem of `spanProblem`. */
export interface Run {
  readonly problem: OrderProblem;
  readonly layout: Layout;
  readonly timing: Timing;
  readonly decoder: Decoder;
  readonly random: Random;
  readonly objective: Objective;
  /** Ticks of an operation, on average. */
  readonly typical: number;
  readonly best: Words;
  /** Ticks to the end of the best order, and the other figure: its longest span or, if that is the objective, its makespan. */
  makespan: number;
  other: number;
  by: string;
  bound: number;
  /** Ticks that the other figure cannot be under, and ticks that ends are above the longest span if that is the objective. */
  readonly leastOther: number;
  readonly above: number;
  visited: number;
  /** Operations that the bound has visited. */
  bounding: number;
  /** Operations that the search may visit, and operations of an effort of 1. */
  readonly most: number;
  readonly visits: number;
  pauseAt: number;
  /** Better orders that nobody has been given yet. */
  readonly found: Found[];
  /** The last better orders, shortest last. */
  readonly last: Found[];
  /** Of the shortest order that the windows of a bound have given: latest starts as priorities, and its makespan. */
  windows?: { readonly keys: Float64Array; readonly makespan: number };
  /** Of all orders that were taken over, the one whose other figure is least; of equal ones the best. Kept only where `keepsEven`. */
  readonly keepsEven: boolean;
  even?: Found;
}

export function runOf(given: OrderProblem, objective: Objective, effort: number, seed: number, keepsEven = false): Run {
  const { problem, above } = objective === 'span' ? spanProblem(given) : { problem: given, above: 0 };
  const layout = layoutOf(problem);
  const { local, first, ticks } = layout;
  const { devices, microbatches } = problem;
  const visits = Math.min(operationsOfEffort, visitsOfEffort * layout.offsets[devices]);
  let leastSpan = 0;
  let leastEnd = 0;
  for (let device = 0; device < devices; device += 1) {
    let work = 0;
    for (let place = first[device]; place < first[device + 1]; place += 1) work += microbatches * ticks[local[place]];
    leastSpan = Math.max(leastSpan, work);
    leastEnd = Math.max(leastEnd, work + given.step[device]);
  }
  return {
    problem: given,
    layout,
    timing: timingFor(layout),
    decoder: decoderFor(layout),
    random: randomOf(seed),
    objective,
    typical: local.reduce((sum, code) => sum + ticks[code], 0) / Math.max(1, local.length),
    best: new Uint8Array(layout.offsets[devices]),
    makespan: Infinity,
    other: Infinity,
    by: '',
    bound: objective === 'span' ? leastSpan + above : leastEnd,
    leastOther: objective === 'span' ? leastOf(given) : leastSpan,
    above,
    visited: 0,
    bounding: 0,
    most: effort * visits,
    visits,
    pauseAt: operationsOfSlice,
    found: [],
    last: [],
    keepsEven,
  };
}

/** Whether no operation may be visited any more, or no order can be better. One that is as good may still be more even. */
export const isOver = (run: Run): boolean => run.visited >= run.most || (!run.keepsEven && run.makespan <= run.bound);

/** Takes over an order of this makespan if it is better, or if it is as good and its other figure is less. The bytes of `words` must fit. */
export function offer(run: Run, words: Words, makespan: number, by: string): void {
  if (makespan === Infinity || makespan > run.makespan) return;
  makespanOf(run.layout, words, run.timing);
  const other = run.objective === 'span' ? endOf(run.problem, run.timing) : spanOf(run.layout, run.timing);
  if (makespan === run.makespan && other >= run.other) return;
  const isBetter = makespan < run.makespan;
  run.best.set(words);
  run.makespan = makespan;
  run.other = other;
  run.by = by;
  if (run.keepsEven && (run.even === undefined || isMoreEven(snapshot(run), run.even))) run.even = snapshot(run);
  if (!isBetter) return;
  const order = snapshot(run);
  run.found.push(order);
  if (run.last.push(order) > incumbents) run.last.shift();
}

/** Whether the longest span of an order is shorter; of equal ones, whether it ends sooner. */
export const isMoreEven = (order: Found, other: Found): boolean =>
  order.span < other.span || (order.span === other.span && order.makespan < other.makespan);

export function snapshot(run: Run): Found {
  const { objective, best, makespan, other, bound, leastOther, above, visited, bounding, by } = run;
  const proven = Math.min(bound, makespan) - above;
  const end = makespan - above;
  return {
    words: best.slice(),
    ...(objective === 'span'
      ? // No end is before the longest span.
        { makespan: other, span: end, bound: Math.min(Math.max(leastOther, proven), other), spanBound: proven }
      : { makespan: end, span: other, bound: proven, spanBound: leastOther }),
    effort: visited / operationsOfEffort,
    work: (visited + bounding) / operationsOfEffort,
    by,
  };
}

/** Counts work, and passes on what was found. Pauses now and then. */
export function* rest(run: Run, operations: number): Generator<Found | undefined, void> {
  run.visited += operations;
  if (run.found.length > 0) yield* run.found.splice(0);
  if (run.visited < run.pauseAt) return;
  run.pauseAt = run.visited + operationsOfSlice;
  yield undefined;
}

/** Builds an order by keys and offers it. */
export function* offerByKeys(
  run: Run,
  keys: Float64Array,
  words: Words,
  by: string,
): Generator<Found | undefined, void> {
  offer(run, words, decode(run.layout, keys, run.decoder, words), by);
  yield* rest(run, 2 * words.length);
}

/** Offers an order that may exceed the limits. */
export function* offerWords(run: Run, words: Words, by: string): Generator<Found | undefined, void> {
  if (fitsAll(run.layout, words)) offer(run, words, makespanOf(run.layout, words, run.timing), by);
  yield* rest(run, words.length);
}

/** Iterations without a barrier: what the one before does to the first forwards of the next. */
import type { ExchangeTimeline } from '../../values/exchangeTimeline.ts';
import { firstForwards, timesIn } from '../../simulate/exchange/firstForwards.ts';
import { type Arrivals, type FirstForward, runForward } from '../../simulate/exchange/runForward.ts';
import { slotWidth } from '../../order/slot.ts';
import { stageOf } from '../../values/program.ts';
import { startAt, type Timeline } from '../../values/timeline.ts';
import { slotFirst } from '../binding.ts';
import type { ChainStop, TensorNeed, Wait } from './chainTypes.ts';
import { piecesOf } from './lanePieces.ts';
import { transferTo, visit, type Walk } from './walk.ts';

/** The iteration before one whose period repeats, in the time of the next one. */
export interface IterationBefore {
  readonly period: number;
  readonly forwards: readonly FirstForward[];
  readonly arrival: Arrivals;
  /** By device, when it had ended all. */
  readonly free: Float64Array;
}

/** Undefined with a barrier, without lanes, and if periods do not repeat. O(operations). */
export function iterationBefore({
  program,
  timing,
  exchange,
  exchanged,
}: Pick<Timeline, 'program' | 'timing' | 'exchange' | 'exchanged'>): IterationBefore | undefined {
  const lanes = timing.exchange;
  if (lanes === undefined || lanes.rule.barrier || exchange === undefined || !exchange.steady) return undefined;
  const { period } = exchange;
  const forwards = firstForwards(program, lanes.lanes, timing.duration, timing.optimizer);
  const stepped = new Set(forwards.map(({ device }) => device));
  return {
    ...{ period, forwards },
    arrival: arrivalsOf(exchange, period),
    free: exchanged.map((at, device) => at + (stepped.has(device) ? 0 : timing.optimizer[device]) - period),
  };
}

/** The first operation of the next iteration, if it ends a wait that no operation of this one ends. */
export function endedBy(
  timeline: Timeline,
  { device, before }: Wait,
): { readonly position: number; readonly period: number } | undefined {
  const { offsets } = timeline.program;
  if (before >= 0 || timeline.blocking !== undefined || offsets[device] === offsets[device + 1]) return undefined;
  const period = iterationBefore(timeline)?.period;
  return period === undefined ? undefined : { position: offsets[device], period };
}

const arrivalsOf = ({ lanes }: ExchangeTimeline, period: number): Arrivals =>
  lanes.map(({ arrival }) => arrival.map((at) => at - period));

/** Why an operation starts no sooner. `at`: from then on, its device does not rest. */
export type HeldBack =
  | { readonly kind: 'tensor'; readonly lane: number; readonly tensor: number; readonly at: number }
  /** The device steps from then on; before that it ran what comes before, or waited for results. */
  | { readonly kind: 'free' | 'input'; readonly at: number };

/** Undefined if neither gradients nor the device's end of the iteration before decide. */
export function heldBack(before: IterationBefore, timeline: Timeline, position: number): HeldBack | undefined {
  const { program } = timeline;
  const device = program.placement[stageOf(program, program.order[position])];
  const { forwards, arrival, free, period } = before;
  const start = startAt(timeline, position);
  const near = (time: number): boolean => Math.abs(time - start) <= period * alike;
  const forward = forwards.find((each) => each.position === position);
  const isFirst = position === program.offsets[device];
  if (forward === undefined) return isFirst && near(free[device]) ? { kind: 'free', at: free[device] } : undefined;
  const times = timesIn(timeline, forward, free[device]);
  const found: HeldBack[] = [{ kind: 'free', at: times.from }];
  const starts = runForward(forward, arrival, times, {
    reached: () => undefined,
    waited: () => undefined,
    rested: (needed, at) => {
      found.push(
        needed === undefined ? { kind: 'input', at } : { kind: 'tensor', lane: needed.lane, tensor: needed.tensor, at },
      );
    },
  });
  const held = found[found.length - 1];
  // The operation before or a result that ends just then is followed by itself.
  if (!near(starts) || (held.kind !== 'tensor' && near(held.at) && !(held.kind === 'free' && isFirst)))
    return undefined;
  return held;
}

/** Periods that repeat differ by less than this share. */
const alike = 1e-8;

/**
 * Adds why the operation at `position` was held back, to the operation that ended last. Returns its position, or why the chain ends there.
 * It ends once it repeats.
 */
export function followBack(
  walk: Walk,
  { period }: IterationBefore,
  held: HeldBack,
  position: number,
): number | ChainStop {
  const { timeline, causes, wait } = walk;
  const { program, timing } = timeline;
  const device = program.placement[stageOf(program, program.order[position])];
  const start = startAt(timeline, position);
  const later = walk.later;
  if (held.kind === 'tensor') {
    const { lane, tensor, at } = held;
    goOnAt(walk, start + later, { lane, tensor, arrival: at + later }, device);
    walk.later -= period;
    const made = piecesOf(walk, lane, tensor);
    if (made < 0) return 'unknown';
    if (program.placement[stageOf(program, program.order[made])] === wait.device) return 'device';
    return wentBack(walk, period, made);
  }
  const step = (kind: 'step' | 'sync', from: number, to: number): void => {
    if (to - from > walk.slack) causes.push({ kind, device, from: from + later, to: to + later });
  };
  step('step', held.at, start);
  if (held.kind === 'input') return afterInput(walk, position, held.at);
  if (position > program.offsets[device]) return visit(walk, position - 1, false) ? 'device' : position - 1;
  const last = program.offsets[device + 1] - 1;
  const exchanged = timeline.exchanged[device] - period;
  step('step', exchanged, held.at);
  step('sync', timeline.last[device] - period, timing.sync[device] > 0 ? exchanged : timeline.last[device] - period);
  walk.later -= period;
  if (visit(walk, last, false)) return 'device';
  return wentBack(walk, period, last);
}

/** Iterations that a walk goes back. */
const mostBack = 16;

/** The chain goes on from an operation of an iteration before, unless it has been there. */
function wentBack({ causes, later }: Walk, period: number, position: number): number | ChainStop {
  const again = causes.slice(0, -1).some((cause) => cause.kind === 'operation' && cause.position === position);
  return again ? 'repeats' : later < -(mostBack + 0.5) * period ? 'unknown' : position;
}

/** The operation before goes on when gradients arrive: at `at`, before it ends or before its layers step. */
function goOnAt(walk: Walk, start: number, need: TensorNeed, device: number): void {
  const { causes, slack } = walk;
  const { arrival } = need;
  const last = causes.at(-1);
  if (last === undefined) walk.tensor = need;
  if (arrival < start - slack) causes.push({ kind: 'step', device, from: arrival, to: start });
  else if (last?.kind === 'operation') causes[causes.length - 1] = { ...last, from: arrival };
}

/** Goes to the result of another stage that arrives at `at`. */
function afterInput(walk: Walk, position: number, at: number): number | ChainStop {
  const { timeline } = walk;
  const first = slotFirst(timeline, position);
  const made = transferTo(walk, first, first + slotWidth(timeline.program, first) - 1, at, false);
  if (made < 0) return 'unknown';
  return visit(walk, made, false) ? 'device' : made;
}

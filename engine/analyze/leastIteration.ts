import { type Advice, advised, advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { boundSteps } from '../search/bound.ts';
import { programProblem } from '../search/programProblem.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import { toEnd } from '../basics/steps.ts';
import { iterationSeconds, type Timeline } from '../values/timeline.ts';
import { leastMakespan, leastStep } from './bound.ts';

/** Operations that the bound of a report may visit: a few milliseconds, so that it may be shown at a keystroke. */
const quickEffort = 2e6;
/** The same where memory is short: orders are then far above what times alone say, and proving it takes more rounds. Some 50 ms at most. */
export const memoryEffort = 1e7;

/** What ticks may add to times. */
const rounding = 1e-9;

/** Whether an order fits the devices. Then others must, too. */
export const fitsDevices = (plan: PipelinePlan, peaks: readonly MemoryPeak[]): boolean =>
  peaks.every((peak, device) => peak.bytes <= plan.devices[device].memory - plan.devices[device].reserved);

/**
 * Seconds that no order of these operations is under; at most the iteration of this order. `memory`: orders must fit the devices. Without a barrier, iterations follow
 * each other before all of one is done: only what devices and lanes have to do is then a bound. With a barrier, no iteration is
 * under what its lanes need either.
 */
export const leastIteration = (plan: PipelinePlan, timeline: Timeline, memory: boolean, effort = quickEffort): number =>
  advised(bound, plan, timeline, memory, effort);

/** Every order takes at least 0 s: so much is true of a bound that was not found. */
export const bound: Advice<[PipelinePlan, Timeline, boolean, number], number> = {
  name: 'bound of an iteration',
  find: (...from) => toEnd(boundOf(...from)),
  otherwise: 0,
};

/** The same bound, in steps. */
export const leastIterationSteps = (
  plan: PipelinePlan,
  timeline: Timeline,
  memory: boolean,
  effort = quickEffort,
): Generator<unknown, number, void> => advisedSteps(slowBound, plan, timeline, memory, effort);

const slowBound: SlowAdvice<[PipelinePlan, Timeline, boolean, number], unknown, number> = {
  name: bound.name,
  steps: boundOf,
  otherwise: 0,
};

function* boundOf(
  plan: PipelinePlan,
  timeline: Timeline,
  memory: boolean,
  effort: number,
): Generator<unknown, number, void> {
  const { program, timing, exchange } = timeline;
  const open = timing.exchange?.rule.barrier === false;
  const plain = Math.max(
    leastMakespan(plan, program, timing, { split: true, memory, open }),
    exchange?.boundOfOrders ?? 0,
  );
  yield;
  const iteration = iterationSeconds(timeline);
  if (open || plain >= iteration) return plain;
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const found = programProblem({ plan, program, timing, step, memory });
  if ('reason' in found) return plain;
  // Ticks are rounded times: what differs less is equal.
  const upper = Math.ceil(iteration * (1 - rounding) * found.perSecond);
  const { bound: ticks } = yield* boundSteps(found.problem, upper, effort);
  const refined = ticks >= upper ? iteration : ticks / found.perSecond;
  return refined > plain * (1 + rounding) ? refined : plain;
}

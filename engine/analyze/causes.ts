import type { PipelinePlan } from '../values/plan.ts';
import { generate } from '../schedule/generate.ts';
import { toEnd } from '../basics/steps.ts';
import type { Program } from '../values/program.ts';
import { figureOfRun } from '../simulate/figureOfRun.ts';
import { iterationSeconds, type Timeline, type Timing, stepAt } from '../values/timeline.ts';
import { timingOf, type TimingOptions } from '../simulate/timing.ts';
import { leastMakespan } from './bound.ts';
import type { BubbleCauses } from '../values/report.ts';

/**
 * Why devices idle, as shares of devices × makespan that add up to the makespan bubble. Each cause is what taking it away would
 * save. It is found by simulating again without it. Causes are removed one after the other: the step at the end (synchronisation and
 * optimizer), transfers, limits of what is in flight, different lengths of microbatches, unequal stages. What then remains with equal stages is fill and drain as
 * far as no order of the same operations avoids it (`leastMakespan`). Anything beyond that comes from the order.
 */
export const bubbleCauses = (plan: PipelinePlan, timeline: Timeline): BubbleCauses =>
  toEnd(bubbleCausesSteps(plan, timeline));

/** The same in steps. */
export function* bubbleCausesSteps(plan: PipelinePlan, timeline: Timeline): Generator<undefined, BubbleCauses, void> {
  const { program } = timeline;
  const makespan = iterationSeconds(timeline);
  if (makespan === 0) return { fill_drain: 0, imbalance: 0, communication: 0, memory: 0, sync: 0, order: 0 };
  const meanBusy = timeline.busy.reduce((sum, value) => sum + value, 0) / program.devices;
  const unlimited = orderWithoutLimits(plan) ?? program;
  const lasts = Math.min(
    makespan,
    timeline.last.reduce((most, _, device) => Math.max(most, stepAt(timeline, device)), 0),
  );
  // Where weights are gathered first, more than what comes last goes.
  const gathers = timeline.timing.release !== undefined;
  const noStep = Math.min(
    lasts,
    gathers ? (makespanOf(program, timingOf(plan, program, { freeStep: true })) ?? makespan) : makespan,
  );
  // Equal stages or free transfers need no run of their own: a run of millions of operations takes a while.
  const known = [{ order: program, timing: timeline.timing, makespan: noStep }];
  const again = (options: TimingOptions, order: Program = program): number => {
    const timing = timingOf(plan, order, options);
    const same = known.find((candidate) => candidate.order === order && sameTimes(candidate.timing, timing));
    if (same !== undefined) return same.makespan;
    const found = makespanOf(order, timing) ?? makespan;
    known.push({ order, timing, makespan: found });
    return found;
  };
  yield;
  const noTransfers = Math.min(noStep, again({ freeStep: true, freeTransfers: true }));
  yield;
  const noLimits =
    unlimited === program
      ? noTransfers
      : Math.min(noTransfers, again({ freeStep: true, freeTransfers: true }, unlimited));
  yield;
  const noLengths =
    plan.lengths === undefined
      ? noLimits
      : Math.min(noLimits, again({ freeStep: true, freeTransfers: true, equalMicrobatches: true }, unlimited));
  yield;
  const ideal: TimingOptions = { freeStep: true, freeTransfers: true, equalStages: true };
  // Never under the mean work: equal stages may hide more of one operation behind another.
  const equal = Math.max(meanBusy, Math.min(noLengths, again(ideal, unlimited)));
  yield;
  const bound = leastMakespan(plan, program, timingOf(plan, program, ideal), { split: program.split, memory: false });
  const least = Math.max(meanBusy, Math.min(equal, bound));

  // What is left of rounding is no cause.
  const part = (seconds: number) => (seconds > 1e-12 * makespan ? seconds / makespan : 0);
  return {
    fill_drain: part(least - meanBusy),
    imbalance: part(noLengths - equal),
    ...(plan.lengths === undefined ? {} : { lengths: part(noLimits - noLengths) }),
    communication: part(noStep - noTransfers),
    memory: part(noTransfers - noLimits),
    sync: part(makespan - noStep),
    order: part(equal - least),
  };
}

const makespanOf = (program: Program, timing: Timing): number | undefined =>
  figureOfRun(program, timing, ({ makespan }) => makespan);

/** Whether operations and transfers take the same time; the step at the end is not looked at. */
function sameTimes(a: Timing, b: Timing): boolean {
  // The mean of equal stages may round.
  const equal = (one: Float64Array, other: Float64Array) =>
    one.every((value, index) => Math.abs(value - other[index]) <= 1e-14 * value);
  return (
    a.transfer === b.transfer &&
    equal(a.duration, b.duration) &&
    (a.single?.lengths === true) === (b.single?.lengths === true) &&
    (a.sizes === undefined) === (b.sizes === undefined) &&
    equal(a.needLatency, b.needLatency) &&
    equal(a.needOccupancy, b.needOccupancy)
  );
}

/** The order that a rule-based schedule gives without its limits of what is in flight; undefined where it has none. */
export function orderWithoutLimits(plan: PipelinePlan): Program | undefined {
  const { schedule } = plan;
  if (schedule.kind !== 'greedy' || schedule.inFlight.every((limit) => limit === null)) return undefined;
  const generated = generate({ ...plan, schedule: { ...schedule, inFlight: schedule.inFlight.map(() => null) } });
  return 'program' in generated ? generated.program : undefined;
}

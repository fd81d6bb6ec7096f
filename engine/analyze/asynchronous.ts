/** Figures of an asynchronous pipeline: its steady state, and the versions of the weights by stage. */
import type { PipelinePlan } from '../values/plan.ts';
import type { Timeline } from '../values/timeline.ts';
import { type TimingOptions, timingOf } from '../simulate/timing.ts';
import { type Versions, delayAt, inconsistentAt, stalenessAt, versionsOf } from '../simulate/versions.ts';
import { simulate } from '../simulate/simulate.ts';
import type { Program } from '../values/program.ts';
import type { BubbleCauses, BubbleReport, StageReport } from '../values/report.ts';
import { idleShare } from './shares.ts';
import { type Steady, steadyOf } from './steady.ts';
import { orderWithoutLimits } from './causes.ts';

/**
 * Bubbles of the steady state, of devices × period. `makespan`: all that devices do not compute; `span`: what even the busiest
 * one does not. No order can be faster than the device with most work, updates included.
 */
export function steadyBubble(plan: PipelinePlan, timeline: Timeline, steady: Steady): BubbleReport {
  const { period, busy, step } = steady;
  const devices = plan.devices.length;
  const total = busy.reduce((sum, value) => sum + value, 0);
  if (!(period > 0)) return { makespan: 0, span: 0, bound: 0, causes: steadyCauses(plan, timeline, steady) };
  const idle = (seconds: number) => idleShare(total, devices, seconds);
  const most = busy.reduce((all, value, device) => Math.max(all, value + step[device]), 0);
  const busiest = busy.reduce((all, value) => Math.max(all, value), 0);
  return {
    makespan: idle(period),
    span: Math.max(0, 1 - busiest / period),
    bound: Math.min(idle(period), idle(most)),
    causes: steadyCauses(plan, timeline, steady),
  };
}

/**
 * As `bubbleCauses`, by the period: updates with what they wait for, transfers, limits of what is in flight, then unequal stages are taken away one after
 * the other. A full pipeline neither fills nor drains; what remains is the order's doing.
 */
function steadyCauses(plan: PipelinePlan, timeline: Timeline, { period, busy, step }: Steady): BubbleCauses {
  const none = { fill_drain: 0, imbalance: 0, communication: 0, memory: 0, sync: 0, order: 0 };
  if (!(period > 0)) return none;
  const { program } = timeline;
  const mean = busy.reduce((sum, value) => sum + value, 0) / plan.devices.length;
  // Never under the mean work, never over what came before: the parts add up.
  const again = (options: TimingOptions, order: Program): Steady | undefined => {
    const found = simulate(order, timingOf(plan, order, options));
    return found === undefined ? undefined : steadyOf(found);
  };
  const between = (most: number, found: number | undefined) => Math.max(mean, Math.min(most, found ?? most));
  const under = (most: number, options: TimingOptions, order: Program = program): number =>
    between(most, again(options, order)?.period);
  const unlimited = orderWithoutLimits(plan);
  // Without an update no replica waits for another one's gradients.
  const updates = step.some((value) => value > 0) || timeline.timing.needShift !== undefined;
  const noStep = updates ? under(period, { freeStep: true }) : period;
  const free: TimingOptions = { freeStep: true, freeTransfers: true };
  const noTransfers = under(noStep, free);
  const noLimits = unlimited === undefined ? noTransfers : under(noTransfers, free, unlimited);
  const noLengths =
    plan.lengths === undefined ? noLimits : under(noLimits, { ...free, equalMicrobatches: true }, unlimited ?? program);
  const ideal = again({ ...free, equalStages: true }, unlimited ?? program);
  const equal = between(noLengths, ideal?.period);
  // With equal stages devices may still have unequally many of them.
  const busiest = between(
    equal,
    ideal?.busy.reduce((most, value) => Math.max(most, value), 0),
  );
  const part = (seconds: number) => (seconds > 1e-12 * period ? seconds / period : 0);
  return {
    ...none,
    imbalance: part(noLengths - equal + (busiest - mean)),
    ...(plan.lengths === undefined ? {} : { lengths: part(noLimits - noLengths) }),
    communication: part(noStep - noTransfers),
    memory: part(noTransfers - noLimits),
    sync: part(period - noStep),
    order: part(equal - busiest),
  };
}

type VersionFigures = Pick<StageReport, 'versions' | 'staleness' | 'staleness_mean' | 'delay' | 'inconsistent'>;

/** Versions, staleness and delay of a stage of the program; staleness and delay over the microbatches of the last half. */
export function versionFigures(program: Program, stage: number): VersionFigures {
  const versions = versionsOf(program);
  if (versions === undefined) return { versions: 1, staleness: 0 };
  const { microbatches, minibatch = 1 } = program;
  const half = Math.trunc(Math.floor(microbatches / minibatch) / 2) * minibatch;
  const last = figuresFrom(versions, microbatches, stage, half);
  return { versions: versions.most[stage], ...last };
}

function figuresFrom(
  versions: Versions,
  microbatches: number,
  stage: number,
  from: number,
): Omit<VersionFigures, 'versions'> {
  let worst = 0;
  let sum = 0;
  let delays = 0;
  let count = 0;
  let inconsistent = false;
  for (let microbatch = from; microbatch < microbatches; microbatch += 1) {
    const slot = stage * microbatches + microbatch;
    const staleness = stalenessAt(versions, slot);
    if (staleness < 0) continue;
    worst = Math.max(worst, staleness);
    sum += staleness;
    delays += delayAt(versions, stage, slot);
    inconsistent ||= inconsistentAt(versions, slot);
    count += 1;
  }
  const mean = (total: number) => (count === 0 ? 0 : total / count);
  return { staleness: worst, staleness_mean: mean(sum), delay: mean(delays), inconsistent };
}

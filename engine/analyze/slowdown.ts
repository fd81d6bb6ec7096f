/** How the figures of a slowdown come to be: what the iteration takes with equal operations, and with some of the real ones. */
import type { PipelinePlan } from '../values/plan.ts';
import type { SlowdownReport } from '../values/report.ts';
import { B, F, I, type Kind, kindOfRow, type Program, W } from '../values/program.ts';
import { timingOf } from '../simulate/timing.ts';
import { cutStages, stageNumber } from '../costs/stages.ts';
import type { Timeline, Timing } from '../values/timeline.ts';
import { iterationIn, iterationUnder } from './scaledRuns.ts';

/** Runs that are done, and all of them. */
export interface SlowdownProgress {
  readonly done: number;
  readonly of: number;
}

/**
 * Figures of the study of stragglers (Lin et al., OSDI '25, equations 1, 2 and 4). They compare the iteration with an ideal one, in
 * which all operations of a kind take the same time. They name the kinds and devices that make it longer, and the share of the
 * last stage. Each run of the pipeline is a step, which says how many runs are done, of how many.
 */
export function* slowdownSteps(plan: PipelinePlan, timeline: Timeline): Generator<SlowdownProgress, SlowdownReport> {
  const { program, timing } = timeline;
  const { stages } = program;
  const { sizes: _sizes, ...rest } = timing;
  const delays = meanTransfers(timing);
  const alike = timingOf(plan, program, { equalStages: true }).duration;
  const kinds = ([F, B, I, W] satisfies Kind[]).filter((kind) => runsKind(timeline, kind));
  let done = 0;
  const progress = (): SlowdownProgress => {
    done += 1;
    // The ideal run, one with all transfers, one for the last stage.
    return { done, of: kinds.length + plan.devices.length + 3 };
  };
  const run = (times: Timing): number => iterationUnder(timeline, times) ?? NaN;
  /** The times of equal operations, but the real ones of some rows. */
  const mixed = (isReal: (row: number) => boolean): Pick<Timing, 'duration' | 'single'> =>
    realTimes(timing, alike, program, isReal);
  const none = mixed(() => false);
  const ideal = run({ ...rest, ...delays, ...none });
  yield progress();
  const real = (isReal: (row: number) => boolean): number => run({ ...rest, ...delays, ...mixed(isReal) }) / ideal;
  const ofKinds: { readonly name: string; readonly slowdown: number }[] = [];
  for (const kind of kinds) {
    ofKinds.push({ name: kindNames[kind], slowdown: real((row) => kindOfRow(stages, row) === kind) });
    yield progress();
  }
  ofKinds.push({ name: 'transfer', slowdown: run({ ...timing, ...none }) / ideal });
  yield progress();
  const ofDevices: { readonly name: string; readonly slowdown: number }[] = [];
  for (const [device, { name }] of plan.devices.entries()) {
    ofDevices.push({ name, slowdown: real((row) => plan.placement[row % stages] === device) });
    yield progress();
  }
  const actual = iterationIn(timeline);
  const lastStage = cutStages(plan).length - 1;
  const fixed = run({ ...timing, ...mixed((row) => stageNumber(plan, row % stages) !== lastStage) });
  yield progress();
  return {
    ideal,
    slowdown: actual / ideal,
    kinds: ofKinds,
    devices: ofDevices,
    // Nothing to explain where the iteration is as short as the ideal one.
    ...(actual - ideal > 1e-9 * actual ? { last_stage: (actual - fixed) / (actual - ideal) } : {}),
  };
}

/** Times of `alike`, but the real ones of some rows. */
function realTimes(
  { duration, single }: Timing,
  alike: Float64Array,
  { microbatches }: Program,
  isReal: (row: number) => boolean,
): Pick<Timing, 'duration' | 'single'> {
  const mixed = (values: Float64Array) => values.map((value, row) => (isReal(row) ? value : alike[row]));
  if (single === undefined) return { duration: mixed(duration) };
  const seconds = single.seconds.map((value, at) => {
    const row = Math.trunc(at / microbatches);
    return isReal(row) ? value : alike[row];
  });
  const times = {
    ...single,
    seconds,
    layers: mixed(single.layers),
    least: mixed(single.least),
    most: mixed(single.most),
  };
  return { duration: mixed(duration), single: times };
}

const kindNames: Readonly<Record<number, string>> = {
  [F]: 'forward',
  [B]: 'backward',
  [I]: 'backward_input',
  [W]: 'backward_weight',
};

const runsKind = ({ program }: Timeline, kind: Kind): boolean =>
  program.order.some((word) => kindOfRow(program.stages, word >> program.shift) === kind);

/** Every transfer between devices takes the mean of all. */
function meanTransfers({
  needRoute,
  needLatency,
  needOccupancy,
}: Timing): Pick<Timing, 'needLatency' | 'needOccupancy'> {
  const mean = (values: Float64Array): Float64Array => {
    let sum = 0;
    let count = 0;
    values.forEach((value, need) => {
      if (needRoute[need] < 0) return;
      sum += value;
      count += 1;
    });
    return values.map((value, need) => (needRoute[need] < 0 ? value : sum / count));
  };
  return { needLatency: mean(needLatency), needOccupancy: mean(needOccupancy) };
}

/** What slower and faster stages, devices and links do to the iteration, while the order of the operations stays. */
import type { PipelinePlan } from '../plan.ts';
import type { SensitivityReport, SensitivityRow, SlowdownReport } from '../report.ts';
import { B, E, F, I, type Kind, kindOfRow, L, type Program, U, W } from '../program.ts';
import { type TimeFactors, scaledTiming } from '../simulate/scaled.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { cutStages, stageName, stageNumber } from '../stages.ts';
import { iterationSeconds, type Timeline, type Timing } from '../timeline.ts';
import { steadyOf } from './steady.ts';

/** Share by which times are made longer and shorter. */
export const sensitivityChange = 0.1;

/** Two runs for each stage, each device and each pair of linked devices; then the runs of `slowdownOf`. */
export function sensitivityOf(plan: PipelinePlan, timeline: Timeline): SensitivityReport {
  const pairs = new Map(
    plan.routes.map(({ from, to }) => {
      const [a, b] = [Math.min(from, to), Math.max(from, to)];
      return [`${a} ${b}`, [a, b] as const];
    }),
  );
  return {
    change: sensitivityChange,
    stages: cutStages(plan).map((stage, index) => ({
      name: stageName(stage.plan),
      ...stageSensitivity(plan, timeline, index),
    })),
    devices: plan.devices.map(({ name }, device) => ({
      name,
      ...changed(timeline, (factor) => ({ row: (row) => (deviceOfRow(plan, timeline, row) === device ? factor : 1) })),
    })),
    links: [...pairs.values()].map(([a, b]) => ({
      name: `${plan.devices[a].name} – ${plan.devices[b].name}`,
      ...changed(timeline, (factor) => ({
        route: (route) => {
          const { from, to } = plan.routes[route];
          return Math.min(from, to) === a && Math.max(from, to) === b ? factor : 1;
        },
      })),
    })),
    slowdown: slowdownOf(plan, timeline),
  };
}

/** The same for one stage of the cut, with all its copies and parts. */
export function stageSensitivity(
  plan: PipelinePlan,
  timeline: Timeline,
  stage: number,
): Pick<SensitivityRow, 'slower' | 'faster'> {
  const { stages } = timeline.program;
  return changed(timeline, (factor) => ({
    row: (row) => (isWork(stages, row) && stageNumber(plan, row % stages) === stage ? factor : 1),
  }));
}

/** Seconds by which the iteration gets longer and shorter. */
function changed(
  timeline: Timeline,
  factors: (factor: number) => TimeFactors,
): Pick<SensitivityRow, 'slower' | 'faster'> {
  const { program, timing } = timeline;
  const base = seconds(timeline);
  const under = (factor: number): number =>
    iterationUnder(timeline, scaledTiming(timing, program, factors(factor))) ?? base;
  return { slower: under(1 + sensitivityChange) - base, faster: base - under(1 - sensitivityChange) };
}

/** Everything that a stage computes: neither the update of its weights nor copies to other memory. */
function isWork(stages: number, row: number): boolean {
  const kind: number = kindOfRow(stages, row);
  return kind !== U && kind !== E && kind !== L;
}

const deviceOfRow = ({ placement }: PipelinePlan, { program: { stages } }: Timeline, row: number): number =>
  isWork(stages, row) ? placement[row % stages] : -1;

/** Seconds of an iteration of a run: the steady period of an asynchronous pipeline. */
const seconds = (timeline: Timeline): number => steadyOf(timeline)?.period ?? iterationSeconds(timeline);

function iterationUnder({ program }: Timeline, timing: Timing): number | undefined {
  const run = simulate(program, timing);
  return run === undefined ? undefined : seconds(run);
}

/**
 * Figures of the study of stragglers (Lin et al., OSDI '25, equations 1, 2 and 4). They compare the iteration with an ideal one, in
 * which all operations of a kind take the same time. They name the kinds and devices that make it longer, and the share of the
 * last stage.
 */
export function slowdownOf(plan: PipelinePlan, timeline: Timeline): SlowdownReport {
  const { program, timing } = timeline;
  const { stages } = program;
  const { sizes: _sizes, ...rest } = timing;
  const delays = meanTransfers(timing);
  const alike = timingOf(plan, program, { equalStages: true }).duration;
  const run = (times: Timing): number => iterationUnder(timeline, times) ?? NaN;
  /** The times of equal operations, but the real ones of some rows. */
  const mixed = (isReal: (row: number) => boolean): Pick<Timing, 'duration' | 'single'> =>
    realTimes(timing, alike, program, isReal);
  const none = mixed(() => false);
  const ideal = run({ ...rest, ...delays, ...none });
  const real = (isReal: (row: number) => boolean): number => run({ ...rest, ...delays, ...mixed(isReal) }) / ideal;
  const actual = seconds(timeline);
  const lastStage = cutStages(plan).length - 1;
  const fixed = run({ ...timing, ...mixed((row) => stageNumber(plan, row % stages) !== lastStage) });
  return {
    ideal,
    slowdown: actual / ideal,
    kinds: [
      ...([F, B, I, W] satisfies Kind[])
        .filter((kind) => runsKind(timeline, kind))
        .map((kind) => ({ name: kindNames[kind], slowdown: real((row) => kindOfRow(stages, row) === kind) })),
      { name: 'transfer', slowdown: run({ ...timing, ...none }) / ideal },
    ],
    devices: plan.devices.map(({ name }, device) => ({
      name,
      slowdown: real((row) => plan.placement[row % stages] === device),
    })),
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

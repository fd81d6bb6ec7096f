/** What slower and faster stages, devices and links do to the iteration, while the order of the operations stays. */
import type { PipelinePlan } from '../plan.ts';
import type { SensitivityReport, SensitivityRow, SlowdownReport } from '../report.ts';
import { B, F, I, type Kind, kindOfRow, type Program, W } from '../program.ts';
import type { TimeFactors } from '../simulate/scaled.ts';
import { timingOf } from '../simulate/timing.ts';
import { cutStages, stageName, stageNumber } from '../stages.ts';
import { stagesOn } from '../stagesOn.ts';
import type { Timeline, Timing } from '../timeline.ts';
import { isOfStage, isWork, iterationIn, iterationUnder, iterationWith } from './scaledRuns.ts';
import { stageSlack } from './stageSlack.ts';

/** Share by which times are made longer and shorter. */
export const sensitivityChange = 0.1;

/** What is made slower and faster: a stage of the cut with all its copies and parts, a device, or both directions between two devices. */
export type SensitivityTarget =
  | { readonly kind: 'stage'; readonly index: number }
  | { readonly kind: 'device'; readonly index: number }
  | { readonly kind: 'link'; readonly between: readonly [number, number] };

/** All of them: stages, devices, then links. */
export function sensitivityTargets(plan: PipelinePlan): readonly SensitivityTarget[] {
  const pairs = new Map(
    plan.routes.map(({ from, to }) => {
      const [a, b] = [Math.min(from, to), Math.max(from, to)];
      return [`${a} ${b}`, [a, b] as const];
    }),
  );
  return [
    ...cutStages(plan).map((_, index) => ({ kind: 'stage' as const, index })),
    ...plan.devices.map((_, index) => ({ kind: 'device' as const, index })),
    ...Array.from(pairs.values(), (between) => ({ kind: 'link' as const, between })),
  ];
}

export function targetName(plan: PipelinePlan, target: SensitivityTarget): string {
  if (target.kind === 'stage') return stageName(cutStages(plan)[target.index].plan);
  if (target.kind === 'device') return plan.devices[target.index].name;
  return target.between.map((device) => plan.devices[device].name).join(' – ');
}

/** The stage of the cut that is all of a device, and on no other device; undefined if there is none. */
export function stageOfDevice(plan: PipelinePlan, device: number): number | undefined {
  const [stage, ...more] = new Set(stagesOn(plan.placement, device).map((each) => stageNumber(plan, each)));
  const isWhole =
    stage !== undefined &&
    more.length === 0 &&
    plan.placement.every((at, index) => at === device || stageNumber(plan, index) !== stage);
  return isWhole ? stage : undefined;
}

/** Two runs for each stage, each device and each pair of linked devices, and some for the slack of stages; then the runs of `slowdownOf`. */
export function sensitivityOf(plan: PipelinePlan, timeline: Timeline): SensitivityReport {
  const targets = sensitivityTargets(plan);
  const stages = targets.flatMap((target) => (target.kind === 'stage' ? stageRow(plan, timeline, target.index) : []));
  const others = (kind: 'device' | 'link'): readonly SensitivityRow[] =>
    targets
      .filter((target) => target.kind === kind)
      .map((target) => {
        const same = target.kind === 'device' ? stageOfDevice(plan, target.index) : undefined;
        const { slower, faster } = same === undefined ? sensitivityTo(plan, timeline, target) : stages[same];
        return { name: targetName(plan, target), slower, faster };
      });
  return {
    change: sensitivityChange,
    stages,
    devices: others('device'),
    links: others('link'),
    slowdown: slowdownOf(plan, timeline),
  };
}

/** A stage of the cut with its slack. */
export function stageRow(plan: PipelinePlan, timeline: Timeline, stage: number): SensitivityRow {
  const target = { kind: 'stage', index: stage } as const;
  const slack = stageSlack(plan, timeline, stage);
  return {
    name: targetName(plan, target),
    ...sensitivityTo(plan, timeline, target),
    ...(slack === undefined ? {} : { slack }),
  };
}

/** Seconds by which the iteration gets longer and shorter. */
export function sensitivityTo(
  plan: PipelinePlan,
  timeline: Timeline,
  target: SensitivityTarget,
): Pick<SensitivityRow, 'slower' | 'faster'> {
  const base = iterationIn(timeline);
  const under = (factor: number): number =>
    iterationWith(timeline, factorsOf(plan, timeline.program, target, factor)) ?? base;
  return { slower: under(1 + sensitivityChange) - base, faster: base - under(1 - sensitivityChange) };
}

function factorsOf(plan: PipelinePlan, program: Program, target: SensitivityTarget, factor: number): TimeFactors {
  if (target.kind === 'stage') return { row: (row) => (isOfStage(plan, program, target.index, row) ? factor : 1) };
  if (target.kind === 'device') {
    const isOn = (row: number) => isWork(program, row) && plan.placement[row % program.stages] === target.index;
    return { row: (row) => (isOn(row) ? factor : 1) };
  }
  const [a, b] = target.between;
  return {
    route: (route) => {
      const { from, to } = plan.routes[route];
      return Math.min(from, to) === a && Math.max(from, to) === b ? factor : 1;
    },
  };
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
  const actual = iterationIn(timeline);
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

/** What slower and faster stages, devices and links do to the iteration, while the order of the operations stays. */
import type { PipelinePlan } from '../values/plan.ts';
import type { SensitivityReport, SensitivityRow } from '../values/report.ts';
import type { Program } from '../values/program.ts';
import type { TimeFactors } from '../simulate/scaled.ts';
import { cutStages, stageName, stageNumber } from '../costs/stages.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { toEnd } from '../basics/steps.ts';
import type { Timeline } from '../values/timeline.ts';
import { isOfStage, isWork, iterationIn, iterationWith } from './scaledRuns.ts';
import { slowdownSteps } from './slowdown.ts';
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

/** Two runs for each stage, each device and each pair of linked devices, and some for the slack of stages; then the runs of `slowdownSteps`. */
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
    slowdown: toEnd(slowdownSteps(plan, timeline)),
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

/** Durations that a schedule gives to single operations, in the plan of a pipeline. */
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { LayerTimes } from '../definitions/scheduleEvaluator.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { packedHas } from '../basics/packed.ts';
import type { SchedulePlan, StagePlan } from '../values/plan.ts';
import { B, F, I, kinds, R, W } from '../values/program.ts';
import type { Notes } from './notes.ts';
import { type Asking, askingAt } from './ownSchedule.ts';

/** The schedule with these durations; `undefined` where one is wrong for these numbers (reported). */
export function scheduleWithTimes(
  notes: Notes,
  { use, cut, microbatches, iterations, at }: SettledPipeline,
  schedule: SchedulePlan,
  stages: readonly StagePlan[],
  devices: number,
): SchedulePlan | undefined {
  if (use.kind === 'policy') return schedule;
  const numbers = { stages: cut.count, devices, microbatches, iterations };
  return withTimes(askingAt(notes, at('schedule')), schedule, use.definition, numbers, stages);
}

/** The same for the stages of any plan. */
export function withTimes(
  { schedules, heard }: Asking,
  schedule: SchedulePlan,
  definition: ScheduleDefinition,
  numbers: ScheduleNumbers,
  stages: readonly StagePlan[],
): SchedulePlan | undefined {
  if (schedule.kind === 'policy' || !definition.timed) return schedule;
  const times = heard(schedules.times(definition, numbers, layerTimes(stages, recomputesApart(schedule))));
  if (times === undefined || times.length === 0) return times && schedule;
  return { ...schedule, times };
}

/** Whether recomputation is a separate operation. */
const recomputesApart = (schedule: Exclude<SchedulePlan, { kind: 'policy' }>): boolean =>
  schedule.kind === 'greedy'
    ? schedule.rule?.recomputes !== undefined
    : schedule.apart === true || schedule.rows.some(({ kinds }) => packedHas(kinds, R));

const layerTimes = (stages: readonly StagePlan[], apart: boolean): LayerTimes => ({
  stages: stages.map(({ copy }, index) => copy?.stage ?? index),
  parts: stages.map(({ copy }) => copy?.segment ?? 0),
  seconds: Array.from({ length: kinds }, (_, kind) => stages.map((stage) => secondsOf(stage, kind, apart))),
});

function secondsOf(
  { forward, backwardInput, backwardWeight, recompute }: StagePlan,
  kind: number,
  apart: boolean,
): number {
  const input = (apart ? 0 : recompute) + backwardInput;
  switch (kind) {
    case F:
      return forward;
    case B:
      return input + backwardWeight;
    case I:
      return input;
    case W:
      return backwardWeight;
    case R:
      return recompute;
    default:
      return 0;
  }
}

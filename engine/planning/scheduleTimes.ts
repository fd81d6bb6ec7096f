/** Durations that a schedule gives to single operations, in the plan of a pipeline. */
import type { LayerTimes, ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import { packedHas } from '../basics/packed.ts';
import type { SchedulePlan, StagePlan } from '../values/plan.ts';
import { B, F, I, R, W } from '../values/program.ts';
import type { Notes } from './notes.ts';
import { reportForeign } from './ownSchedule.ts';

/** The schedule with these durations; `undefined` where one is wrong for these numbers (reported). */
export function scheduleWithTimes(
  notes: Notes,
  { use, cut, microbatches, iterations, at }: SettledPipeline,
  schedule: SchedulePlan,
  stages: readonly StagePlan[],
  devices: number,
): SchedulePlan | undefined {
  if (use.kind === 'policy') return schedule;
  const foreign = use.definition.uri === notes.uri ? undefined : createReporter(use.definition.uri, 10);
  const numbers = { stages: cut.count, devices, microbatches, iterations };
  const timed = withTimes(schedule, use.definition, numbers, stages, foreign ?? notes.report);
  if (foreign !== undefined) reportForeign(notes, at('schedule'), foreign);
  return timed;
}

/** The same for the stages of any plan. */
export function withTimes(
  schedule: SchedulePlan,
  definition: Pick<ScheduleDefinition, 'times'>,
  numbers: ScheduleNumbers,
  stages: readonly StagePlan[],
  report: Reporter,
): SchedulePlan | undefined {
  if (schedule.kind === 'policy') return schedule;
  const times = definition.times(numbers, layerTimes(stages, recomputesApart(schedule)), report);
  if (times === undefined || times.length === 0) return times && schedule;
  return { ...schedule, times };
}

/** Whether recomputation is a separate operation. */
const recomputesApart = (schedule: Exclude<SchedulePlan, { kind: 'policy' }>): boolean =>
  schedule.kind === 'greedy'
    ? schedule.rule?.recomputes !== undefined
    : schedule.apart === true || schedule.rows.some(({ kinds }) => packedHas(kinds, R));

function layerTimes(stages: readonly StagePlan[], apart: boolean): LayerTimes {
  return {
    stages: stages.map(({ copy }, index) => copy?.stage ?? index),
    parts: stages.map(({ copy }) => copy?.segment ?? 0),
    seconds(kind, stage) {
      const { forward, backwardInput, backwardWeight, recompute } = stages[stage];
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
    },
  };
}

/** Iterations of a program in its order, with other times of what is in it. */
import type { PipelinePlan } from '../values/plan.ts';
import { kindOfRow, type Program, rowOf, U } from '../values/program.ts';
import { figureOfRun } from '../simulate/figureOfRun.ts';
import { scaledTiming, type TimeFactors } from '../simulate/scaled.ts';
import { stageNumber } from '../costs/stages.ts';
import { iterationSeconds, secondsOf, type Timeline, type Timing } from '../values/timeline.ts';
import { steadyOf } from './steady.ts';

/** Seconds of an iteration: the steady period of an asynchronous pipeline. */
export const iterationIn = (timeline: Timeline): number => steadyOf(timeline)?.period ?? iterationSeconds(timeline);

/** Seconds of an iteration with other times; undefined if operations wait for each other. */
export const iterationUnder = ({ program }: Pick<Timeline, 'program'>, timing: Timing): number | undefined =>
  figureOfRun(program, timing, iterationIn);

/** The same with factors on the times that the timeline has. */
export const iterationWith = ({ program, timing }: Timeline, factors: TimeFactors): number | undefined =>
  iterationUnder({ program }, scaledTiming(timing, program, factors));

/** Everything that a stage computes, but for the update of its weights. Copies to other memory take no time in the row. */
export const isWork = ({ stages }: Pick<Program, 'stages'>, row: number): boolean => kindOfRow(stages, row) !== U;

/** Whether a row is work of a stage of the cut: of all its copies and parts. */
export const isOfStage = (plan: PipelinePlan, program: Program, stage: number, row: number): boolean =>
  isWork(program, row) && stageNumber(plan, row % program.stages) === stage;

/** Seconds that a stage of the cut works for a microbatch: the mean over all microbatches. */
export function secondsForMicrobatch(plan: PipelinePlan, { program, timing }: Timeline, stage: number): number {
  let sum = 0;
  for (const word of program.order)
    if (isOfStage(plan, program, stage, rowOf(program, word))) sum += secondsOf(timing, program, word);
  return sum / program.microbatches;
}

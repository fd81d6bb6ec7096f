/** How much a faster stage would help: the pipeline simulated again with shorter times of the stage. */
import { steadyOf } from './analyze/steady.ts';
import type { PipelinePlan } from './plan.ts';
import { generate } from './schedule/generate.ts';
import { simulate } from './simulate/simulate.ts';
import { timingOf } from './simulate/timing.ts';
import { stageNumber } from './stages.ts';

/** The plan in which a stage of the cut, with all its copies and parts, takes `factor` of its time. Transfers and the step stay. */
export const withStageTimes = (plan: PipelinePlan, stage: number, factor: number): PipelinePlan => ({
  ...plan,
  stages: plan.stages.map((each, index) =>
    stageNumber(plan, index) === stage
      ? {
          ...each,
          forward: each.forward * factor,
          backwardInput: each.backwardInput * factor,
          backwardWeight: each.backwardWeight * factor,
          recompute: each.recompute * factor,
        }
      : each,
  ),
});

/** Seconds of an iteration (of the steady period if it is asynchronous); undefined where the plan cannot run. */
export function iterationOf(plan: PipelinePlan): number | undefined {
  const generated = generate(plan);
  if (!('program' in generated)) return undefined;
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  return timeline === undefined ? undefined : (steadyOf(timeline)?.period ?? timeline.makespan);
}

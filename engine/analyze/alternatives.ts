import type { ExpectPlan, PipelinePlan, PolicyArgument, SchedulePlan } from '../values/plan.ts';
import { generate } from '../schedule/generate.ts';
import { type MemoryPeak, memoryPeak } from '../simulate/memory.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import type { PipelineReport } from '../values/report.ts';
import { iterationSeconds } from '../values/timeline.ts';
import { figureOf, holds } from './expectations.ts';
import { idleShare } from './shares.ts';
import { simulatedRun } from './simulatedRun.ts';
import { steadyOf } from './steady.ts';

/** What another choice would give, simulated. Undefined where the plan cannot take it. */
export interface Outcome {
  readonly iteration: number;
  readonly bubble: number;
  /** Whether all devices stay within their memory. Counted when asked: that takes as long as the simulation. */
  readonly fits: () => boolean;
  /** Whether every expectation holds that holds in the report of today. */
  readonly meets: (today: PipelineReport) => boolean;
}

export function outcomeOf(plan: PipelinePlan): Outcome | undefined {
  const generated = generate(plan);
  if (!('program' in generated)) return undefined;
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined || timeline.makespan === 0) return undefined;
  const steady = steadyOf(timeline);
  const iteration = steady?.period ?? iterationSeconds(timeline);
  const busy = (steady ?? timeline).busy.reduce((sum, value) => sum + value, 0);
  const bubble = iteration > 0 ? idleShare(busy, plan.devices.length, iteration) : 0;
  let known: readonly MemoryPeak[] | undefined;
  const peaks = () => (known ??= plan.devices.map((_, device) => memoryPeak(plan, timeline, device)));
  const fits = () => peaks().every(({ bytes }, at) => bytes <= plan.devices[at].memory - plan.devices[at].reserved);
  // A report takes ten times as long as what is known already.
  const knownOf = ({ figure, stage, device }: ExpectPlan): number | undefined => {
    if (figure === 'iteration') return iteration;
    return figure === 'bubble' && stage === undefined && device === undefined ? bubble : undefined;
  };
  const meets = (today: PipelineReport): boolean => {
    const held = plan.expects.filter(
      // What was measured is a run of the plan as it is.
      (expect) => expect.figure !== 'drift' && holds(figureOf(plan, today, expect), expect),
    );
    let report: PipelineReport | undefined;
    const ofReport = (expect: ExpectPlan) =>
      figureOf(plan, (report ??= simulatedRun(plan, timeline, peaks()).run.report), expect);
    return held.every((expect) => holds(knownOf(expect) ?? ofReport(expect), expect));
  };
  return { iteration, bubble, fits, meets };
}

/** The plan under another built-in policy. Only for policies of one stage a device, so that the placement stays. */
export function underPolicy(
  plan: PipelinePlan,
  name: string,
  args: Readonly<Record<string, PolicyArgument>> = {},
): PipelinePlan {
  // When stages recompute is no part of the policy.
  const when = plan.schedule.kind === 'policy' ? plan.schedule.args['recompute'] : undefined;
  const schedule: SchedulePlan = {
    kind: 'policy',
    name,
    args: when === undefined ? args : { ...args, recompute: when },
  };
  return { ...plan, schedule };
}

import type { PipelinePlan, PolicyArgument, SchedulePlan } from '../values/plan.ts';
import { generate } from '../schedule/generate.ts';
import { memoryPeak } from '../simulate/memory.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import type { PipelineReport } from '../values/report.ts';
import { iterationSeconds } from '../values/timeline.ts';
import { figureOf, holds } from './expectations.ts';
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
  const fits = () =>
    plan.devices.every(({ memory, reserved }, device) => memoryPeak(plan, timeline, device).bytes <= memory - reserved);
  const meets = (today: PipelineReport): boolean => {
    const held = plan.expects.filter((expect) => holds(figureOf(plan, today, expect), expect));
    if (held.length === 0) return true;
    const { report } = simulatedRun(plan, timeline).run;
    return held.every((expect) => holds(figureOf(plan, report, expect), expect));
  };
  return { iteration, bubble: iteration > 0 ? 1 - busy / (plan.devices.length * iteration) : 0, fits, meets };
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

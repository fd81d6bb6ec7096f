import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { recipePlan } from '../support/plans.ts';

/** Equal stages under a built-in policy; `v` stages a device, in a loop. */
export function policyPlan(
  name: string,
  p: number,
  m: number,
  {
    f = 1,
    i = 1,
    w = 1,
    v = 1,
    transfer = 0,
    args = {},
  }: Partial<Record<'f' | 'i' | 'w' | 'v' | 'transfer', number>> & {
    args?: Record<string, number | string | readonly number[]>;
  } = {},
): PipelinePlan {
  const stages = Array.from({ length: p * v }, (_, stage) => stage);
  return recipePlan({
    microbatches: m,
    schedule: { kind: 'policy', name, args: v > 1 ? { chunks: v, ...args } : args },
    forward: stages.map(() => f),
    backwardInput: stages.map(() => i),
    backwardWeight: stages.map(() => w),
    latency: transfer,
    placement: stages.map((stage) => stage % p),
    stage: { activationForWeight: 0 },
  });
}

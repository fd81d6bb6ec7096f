import type { PipelinePlan, SchedulePlan } from '../../../engine/plan.ts';
import { planOf as anyPlan } from '../support/plans.ts';

export interface PlanOptions {
  readonly microbatches: number;
  readonly schedule: SchedulePlan;
  /** Seconds by stage; their length is the number of stages. */
  readonly forward: readonly number[];
  readonly backwardInput: readonly number[];
  readonly backwardWeight: readonly number[];
  /** One-way transfer time between any two devices. */
  readonly transfer?: number;
  readonly placement?: readonly number[];
  /** More edges than from each stage to the next. */
  readonly skips?: readonly (readonly [number, number])[];
}

/** A pipeline with these figures, as the planner would give it. */
export function planOf({ transfer, skips = [], ...options }: PlanOptions): PipelinePlan {
  const stages = options.forward.length;
  const placement = options.placement ?? options.forward.map((_, stage) => stage);
  const chain = options.forward.slice(1).map((_, stage) => [stage, stage + 1] as const);
  return anyPlan({
    ...options,
    stages,
    placement,
    devices: Math.max(...placement) + 1,
    edges: [...chain, ...skips].map(([from, to]) => ({ from, to, bytes: 0 })),
    latency: transfer,
    stage: { activationForWeight: 0 },
  });
}

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
  return planOf({
    microbatches: m,
    schedule: { kind: 'policy', name, args: v > 1 ? { chunks: v, ...args } : args },
    forward: stages.map(() => f),
    backwardInput: stages.map(() => i),
    backwardWeight: stages.map(() => w),
    transfer,
    placement: stages.map((stage) => stage % p),
  });
}

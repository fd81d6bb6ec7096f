import type { PipelinePlan, SchedulePlan } from '../../../engine/plan/plan.ts';

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
export function planOf(options: PlanOptions): PipelinePlan {
  const stages = options.forward.length;
  const placement = options.placement ?? options.forward.map((_, stage) => stage);
  const devices = Math.max(...placement) + 1;
  const pairs = [...options.forward.slice(1).map((_, stage) => [stage, stage + 1] as const), ...(options.skips ?? [])];
  const all = Array.from({ length: devices }, (_, device) => device);
  return {
    name: 'train',
    model: 'toy',
    microbatches: options.microbatches,
    schedule: options.schedule,
    devices: all.map((device) => ({ name: `gpu[${device}]`, kind: 'v100', memory: 2 ** 34, reserved: 0 })),
    stages: Array.from({ length: stages }, (_, stage) => ({
      name: `s${stage}`,
      layers: [`block[${stage}]`],
      parameters: 0,
      forwardFlops: 0,
      forward: options.forward[stage],
      backwardInput: options.backwardInput[stage],
      backwardWeight: options.backwardWeight[stage],
      recompute: 0,
      splitKnown: true,
      weights: 0,
      gradients: 0,
      optimizer: 0,
      activation: 1,
      activationForWeight: 0,
      recomputed: 0,
      workspace: 0,
      buffers: 0,
      recomputeMode: 'none' as const,
    })),
    placement,
    edges: pairs.map(([from, to]) => ({ from, to, bytes: 1 })),
    routes: all.flatMap((from) =>
      all.flatMap((to) =>
        from === to
          ? []
          : [{ from, to, bandwidth: Infinity, latency: options.transfer ?? 0, channel: from * devices + to }],
      ),
    ),
    tensor: 1,
    data: 1,
    microBatchSize: 1,
    step: all.map(() => ({ sync: 0, optimizer: 0 })),
    expects: [],
  };
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

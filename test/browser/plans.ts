import { defaultOptions } from '../../engine/basics/host.ts';
import type { ParamPlan, PipelinePlan, Plan, SchedulePlan } from '../../engine/values/plan.ts';

export const GiB = 2 ** 30;

export interface PlanShape {
  readonly name?: string;
  readonly devices: number;
  readonly microbatches: number;
  readonly schedule?: SchedulePlan;
  readonly chunks?: number;
  readonly recompute?: number;
  readonly sync?: number;
  readonly optimizer?: number;
  readonly memory?: number;
  readonly latency?: number;
}

const policy = (name: string): SchedulePlan => ({ kind: 'policy', name, args: {} });

/** Equal stages of 3.15 ms forward, 3.35 ms input and 2.9 ms weight gradient in a chain of devices. */
export function pipeline(shape: PlanShape): PipelinePlan {
  const { devices, chunks = 1, memory = 80 * GiB, latency = 20e-6 } = shape;
  const stages = devices * chunks;
  const placement = Array.from({ length: stages }, (_, stage) => stage % devices);
  const edges = Array.from({ length: stages - 1 }, (_, from) => ({ from, to: from + 1, bytes: 16 * 2 ** 20 }));
  const pairs = new Set(
    edges.flatMap(({ from, to }) => [`${placement[from]}-${placement[to]}`, `${placement[to]}-${placement[from]}`]),
  );
  return {
    name: shape.name ?? 'train',
    model: 'toy',
    microbatches: shape.microbatches,
    iterations: 1,
    schedule: shape.schedule ?? policy('1f1b'),
    devices: Array.from({ length: devices }, (_, index) => ({
      name: `gpu[${index}]`,
      kind: 'h100',
      memory,
      reserved: 0,
    })),
    stages: Array.from({ length: stages }, (_, index) => ({
      name: `stage ${index}`,
      layers: [`block[${index}]`],
      parameters: 1e9,
      forwardFlops: 0,
      forward: 3.15e-3 / chunks,
      backwardInput: 3.35e-3 / chunks,
      backwardWeight: 2.9e-3 / chunks,
      recompute: (shape.recompute ?? 0) / chunks,
      splitKnown: true,
      weights: (8 * GiB) / chunks,
      gradients: (8 * GiB) / chunks,
      optimizer: (24 * GiB) / chunks,
      activation: (4.2 * GiB) / chunks,
      activationForWeight: (2 * GiB) / chunks,
      recomputed: 0,
      workspace: 0,
      buffers: 0,
      recomputeMode: shape.recompute === undefined ? 'none' : 'full',
    })),
    placement,
    edges,
    routes: [...pairs]
      .filter((pair) => pair.split('-')[0] !== pair.split('-')[1])
      .map((pair, channel) => {
        const [from, to] = pair.split('-').map(Number);
        return { from, to, bandwidth: 50e9, latency, channel };
      }),
    tensor: 1,
    context: 1,
    data: 1,
    expert: 1,
    microBatchSize: 1,
    step: Array.from({ length: devices }, () => ({ sync: shape.sync ?? 0, optimizer: shape.optimizer ?? 0 })),
    expects: [],
  };
}

export const microbatchParam = (value: number, written = value): ParamPlan => ({
  name: 'microbatches',
  value,
  default: written,
  dimension: 'number',
  unit: '',
  scale: 1,
  min: 1,
  max: 64,
  local: true,
});

export const plan = (pipelines: readonly PipelinePlan[], params: readonly ParamPlan[] = []): Plan => ({
  file: 'file:///quickstart.pipe',
  params,
  pipelines,
  jobs: [],
});

/** The message that the extension posts for a plan. */
export const planMessage = (of: Plan, version = 1, overrides: Readonly<Record<string, number>> = {}) =>
  ({
    type: 'plan',
    uri: of.file,
    title: 'quickstart.pipe',
    version,
    plan: of,
    overrides,
    options: defaultOptions,
  }) as const;

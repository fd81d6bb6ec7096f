import { evaluate, type Run } from '../../../engine/evaluate.ts';
import { defaultOptions } from '../../../engine/host.ts';
import type { PipelinePlan } from '../../../engine/plan/plan.ts';

/** What a drawing depends on; times in seconds, one for each stage. */
export interface Wanted {
  readonly policy: string;
  readonly microbatches: number;
  readonly forward: readonly number[];
  readonly backwardInput: readonly number[];
  readonly backwardWeight: readonly number[];
  readonly chunks?: number;
  readonly latency?: number;
  readonly sync?: number;
  readonly optimizer?: number;
}

/** A pipeline with these costs and a route between all neighbours. */
export function planOf(wanted: Wanted): PipelinePlan {
  const stages = wanted.forward.length;
  const devices = stages / (wanted.chunks ?? 1);
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  return {
    name: 'train',
    model: 'toy',
    microbatches: wanted.microbatches,
    schedule: {
      kind: 'policy',
      name: wanted.policy,
      args: wanted.chunks === undefined ? {} : { chunks: wanted.chunks },
    },
    devices: numbers(devices).map((device) => ({
      name: `gpu[${device}]`,
      kind: 'v100',
      memory: 16 * 2 ** 30,
      reserved: 0,
    })),
    stages: numbers(stages).map((stage) => ({
      name: `s${stage}`,
      layers: [`block[${stage}]`],
      parameters: 1000,
      forwardFlops: 0,
      forward: wanted.forward[stage],
      backwardInput: wanted.backwardInput[stage],
      backwardWeight: wanted.backwardWeight[stage],
      recompute: 0,
      splitKnown: true,
      weights: 2 ** 28,
      gradients: 2 ** 28,
      optimizer: 0,
      activation: 2 ** 29,
      activationForWeight: 2 ** 28,
      recomputed: 0,
      workspace: 0,
      buffers: 0,
      recomputeMode: 'none',
    })),
    placement: numbers(stages).map((stage) => stage % devices),
    edges: numbers(stages - 1).map((from) => ({ from, to: from + 1, bytes: 0 })),
    routes: numbers(devices).flatMap((from) =>
      numbers(devices)
        .filter((to) => to !== from)
        .map((to) => ({ from, to, bandwidth: 1e9, latency: wanted.latency ?? 0, channel: from * devices + to })),
    ),
    tensor: 1,
    data: 1,
    microBatchSize: 1,
    step: numbers(devices).map(() => ({ sync: wanted.sync ?? 0, optimizer: wanted.optimizer ?? 0 })),
    expects: [],
  };
}

export function runOf(wanted: Wanted): Run {
  const { run, findings } = evaluate(planOf(wanted), defaultOptions);
  if (run === undefined) throw new Error(findings.map((found) => found.message).join('\n'));
  return run;
}

/** Equal stages: forward, input and weight gradient in seconds. */
export const equal = (
  policy: string,
  devices: number,
  microbatches: number,
  [f, i, w]: readonly [number, number, number] = [1, 1, 1],
): Wanted => ({
  policy,
  microbatches,
  forward: Array.from({ length: devices }, () => f),
  backwardInput: Array.from({ length: devices }, () => i),
  backwardWeight: Array.from({ length: devices }, () => w),
});

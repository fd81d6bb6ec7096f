import type { Run } from '../../../engine/schedule/evaluation.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { recipePlan, policy } from '../support/plans.ts';

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

/** The run of a pipeline with these costs and a route between all devices; throws with its findings if it does not run. */
export function runOf({ policy: name, chunks, ...wanted }: Wanted): Run {
  const plan = recipePlan({
    ...wanted,
    devices: wanted.forward.length / (chunks ?? 1),
    stages: wanted.forward.length,
    schedule: policy(name, chunks === undefined ? {} : { chunks }),
    memory: 16 * 2 ** 30,
    stage: { weights: 2 ** 28, gradients: 2 ** 28, activation: 2 ** 29, activationForWeight: 2 ** 28 },
  });
  const { run, findings } = evaluate(plan, defaultOptions);
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

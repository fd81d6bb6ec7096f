import type { Policy, PolicyArguments } from '../../policies/policy.ts';
import { bareShape } from '../../policies/shape.ts';

/**
 * Microbatches that each stage holds at most, from its forward to the end of its backward. The policy has one stage on each device
 * and splits no backward.
 */
export function heldMicrobatches(
  policy: Policy,
  args: PolicyArguments,
  { stages, microbatches }: { readonly stages: number; readonly microbatches: number },
): Int32Array {
  const replicas = new Int32Array(stages).fill(1);
  const shape = bareShape({ devices: stages, stages, chunks: 1, microbatches, iterations: 1, args, replicas });
  return Int32Array.from({ length: stages }, (_, stage) => {
    let held = 0;
    let most = 0;
    const ignore = (): void => undefined;
    policy.order(shape, stage, {
      forward: () => (most = Math.max(most, (held += 1))),
      backward: () => (held -= 1),
      backwardInput: ignore,
      backwardWeight: ignore,
      recompute: ignore,
      update: ignore,
      evict: ignore,
      load: ignore,
      fuse: ignore,
    });
    return most;
  });
}

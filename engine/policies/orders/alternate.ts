/** Orders of one device that several policies share. */
import type { OperationSink } from '../policy.ts';

/**
 * One forward, one backward: `warmup` forwards, then a backward and a forward in turn, then the remaining backwards.
 * At most `warmup` microbatches are in flight. `warmup` must be between 1 and `microbatches`.
 */
export function alternate(stage: number, microbatches: number, warmup: number, out: OperationSink): void {
  for (let forward = 0; forward < warmup; forward += 1) out.forward(stage, forward);
  for (let backward = 0; backward < microbatches; backward += 1) {
    out.backward(stage, backward);
    if (backward + warmup < microbatches) out.forward(stage, backward + warmup);
  }
}

/**
 * The same with a split backward. The weight gradient of a microbatch runs `lag` input gradients after its own, so `warmup + lag`
 * microbatches are in flight; the remaining ones run at the end. Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 2.
 */
export function alternateSplit(
  stage: number,
  microbatches: number,
  warmup: number,
  lag: number,
  out: OperationSink,
): void {
  for (let forward = 0; forward < warmup; forward += 1) out.forward(stage, forward);
  for (let input = 0; input < microbatches; input += 1) {
    out.backwardInput(stage, input);
    if (input >= lag) out.backwardWeight(stage, input - lag);
    if (input + warmup < microbatches) out.forward(stage, input + warmup);
  }
  for (let weight = Math.max(0, microbatches - lag); weight < microbatches; weight += 1) {
    out.backwardWeight(stage, weight);
  }
}

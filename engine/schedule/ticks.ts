import type { PipelinePlan } from '../plan/plan.ts';
import { type Dependencies, resultKinds } from './dependencies.ts';
import { type TransferTime, transferTimes } from './shape.ts';

/**
 * Times as whole numbers of a decimal fraction of a second, as fine as the longest run allows. Sums are then exact, so what
 * is ready at the same instant is seen to be so, and an order does not hang on rounding.
 */
export interface Ticks {
  /** By result row; the input gradient's is that of I where the backward is split, of B where not. */
  readonly duration: Float64Array;
  /** By need. */
  readonly transfer: Float64Array;
}

export function ticksOf(plan: PipelinePlan, dependencies: Dependencies, split: boolean): Ticks {
  const stages = plan.stages.length;
  const duration = new Float64Array(resultKinds * stages);
  for (const [index, stage] of plan.stages.entries()) {
    const input = stage.recompute + stage.backwardInput;
    duration[index] = stage.forward;
    duration[stages + index] = split ? input : input + stage.backwardWeight;
    duration[2 * stages + index] = split ? stage.backwardWeight : 0;
  }
  const transfer = transfers(plan, dependencies, transferTimes(plan));
  const longest = plan.microbatches * (duration.reduce(sum, 0) + transfer.reduce(sum, 0));
  const digits = Math.max(-300, Math.min(15, Math.floor(15 - Math.log10(Math.max(longest, 1e-300)))));
  const scale = 10 ** digits;
  for (let row = 0; row < duration.length; row += 1) duration[row] = Math.round(duration[row] * scale);
  for (let need = 0; need < transfer.length; need += 1) transfer[need] = Math.round(transfer[need] * scale);
  return { duration, transfer };
}

const sum = (total: number, value: number): number => total + value;

function transfers(plan: PipelinePlan, { offsets, needs, edge }: Dependencies, time: TransferTime): Float64Array {
  const stages = plan.stages.length;
  const result = new Float64Array(needs.length);
  for (let row = 0; row < offsets.length - 1; row += 1) {
    for (let need = offsets[row]; need < offsets[row + 1]; need += 1) {
      if (edge[need] < 0) continue;
      const from = plan.placement[needs[need] % stages];
      result[need] = time(from, plan.placement[row % stages], plan.edges[edge[need]].bytes);
    }
  }
  return result;
}

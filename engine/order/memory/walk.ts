/**
 * Memory of a device by the order of its operations alone: what it holds depends on what has run, not on when. What other
 * devices put there (evicted activations) is not part of it.
 */
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { stagesOn } from '../../basics/stagesOn.ts';
import { firstOfSlot } from '../slot.ts';
import { heldBytes } from './steps.ts';

/**
 * Called for each slot of a device, in order. `bytes` is what is there while it runs, with what is recomputed and workspace. `held`
 * is the number of microbatches of a stage each while it runs. `after` and `heldAfter` are the same once it has ended.
 */
export type MemoryVisit = (
  position: number,
  width: number,
  bytes: number,
  held: number,
  after: number,
  heldAfter: number,
) => void;

/** Bytes that are always there: weights, gradients, optimizer state, buffers. */
export function staticBytes(plan: PipelinePlan, device: number): number {
  return stagesOn(plan.placement, device).reduce((sum, index) => {
    const { weights, gradients, optimizer, buffers } = plan.stages[index];
    return sum + weights + gradients + optimizer + buffers;
  }, 0);
}

/** Bytes that are there in addition while weights are updated: copies of gradients. */
export const updateBytes = (plan: PipelinePlan, device: number): number =>
  stagesOn(plan.placement, device).reduce((sum, stage) => sum + (plan.stages[stage].gradientCopies ?? 0), 0);

/** `heldBytes` with a call for each slot. */
export function walkMemory(plan: PipelinePlan, program: Program, device: number, visit: MemoryVisit): void {
  const { levels, next } = heldBytes(plan, program, device);
  const { last, bytes, held, after, heldAfter } = levels;
  for (let count = next(); count > 0; count = next()) {
    for (let slot = 0; slot < count; slot += 1) {
      const first = firstOfSlot(program, device, last[slot]);
      visit(first, last[slot] - first + 1, bytes[slot], held[slot], after[slot], heldAfter[slot]);
    }
  }
}

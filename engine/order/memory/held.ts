/** Microbatches that a device holds something of at one moment. */
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { firstOfSlot } from '../slot.ts';
import { memoryOperations } from './operations.ts';

/** By stage of the device (`stagesOn`): counts of microbatches as in `Change`. */
export interface Held {
  readonly kept: Int32Array;
  readonly keptForWeight: Int32Array;
  readonly again: Int32Array;
  /** Bytes of these; only where microbatches have different lengths. */
  readonly bytes?: {
    readonly kept: Float64Array;
    readonly keptForWeight: Float64Array;
    readonly again: Float64Array;
  };
}

const counts = (length: number) => ({
  kept: new Int32Array(length),
  keptForWeight: new Int32Array(length),
  again: new Int32Array(length),
});
const byteCounts = (length: number) => ({
  kept: new Float64Array(length),
  keptForWeight: new Float64Array(length),
  again: new Float64Array(length),
});

/**
 * What `heldBytes` counts at one slot of a device, whose last operation is at `position`: while the slot runs, or once it has
 * ended. Before it, which is asked only for the first slot, the result is empty. What the slot itself recomputes is not included.
 */
export function heldAt(
  plan: PipelinePlan,
  program: Program,
  device: number,
  position: number,
  when: 'before' | 'during' | 'after',
): Held {
  if (when === 'before') return counts(0);
  const { order, shift } = program;
  const { from, local, effectOfRow, effects, keepsAll, keepingAll, width, kindOf, sizes } = memoryOperations(
    plan,
    program,
    device,
  );
  const held = counts(local.length);
  const bytes = kindOf === undefined ? undefined : byteCounts(local.length);
  const mask = (1 << shift) - 1;
  /** Operations from here on have not ended. */
  const running = when === 'after' ? position + 1 : firstOfSlot(program, device, position);
  for (let at = from; at <= position; at += 1) {
    const word = order[at];
    const effect = effectOfRow[word >> shift] + (keepsAll?.(word) === true ? keepingAll : 0);
    const stage = Math.trunc(effect / width);
    const { activation, activationForWeight, recomputedWhole } = sizes[stage][kindOf?.[word & mask] ?? 0];
    const { starts, ends } = effects[effect];
    for (const { kept, keptForWeight, again } of at < running ? [starts, ends] : [starts]) {
      held.kept[stage] += kept;
      held.keptForWeight[stage] += keptForWeight;
      held.again[stage] += again;
      if (bytes === undefined) continue;
      bytes.kept[stage] += kept * activation;
      bytes.keptForWeight[stage] += keptForWeight * activationForWeight;
      bytes.again[stage] += again * recomputedWhole;
    }
  }
  return bytes === undefined ? held : { ...held, bytes };
}

/** Steps of a walk along the slots of a device whose microbatches have different lengths: bytes by microbatch, and how many there are. */
import { F } from '../../values/program.ts';
import type { HeldBytes, LengthSizes } from './lengthSizes.ts';
import type { WalkState } from './counts.ts';
import type { SlotLevels } from './steps.ts';

/** As `advance`; O(1) for each operation, however many kinds there are. */
export function advanceByLength(
  state: WalkState,
  sizes: LengthSizes & HeldBytes,
  most: number,
  out: SlotLevels | undefined,
  until = -1,
  when: 'during' | 'after' = 'after',
): number {
  const { program, kindOf, turn, recomputes, effects, to } = state;
  const { order, shift, stages, fused, apart } = program;
  const mask = (1 << shift) - 1;
  const separate = state.again.length > 0;
  let { position, held } = state;
  let now = sum(sizes.kept) + sum(sizes.keptForWeight) + sum(sizes.again);
  /** Counts and bytes of one stage go up or down. */
  const add = (counts: Int32Array, bytes: Float64Array, index: number, change: number, size: number): void => {
    if (change === 0) return;
    counts[index] += change;
    bytes[index] += change * size;
    now += change * size;
  };
  let slot = 0;
  for (; slot < most && position < to; slot += 1) {
    const last = fused !== undefined && fused[position] === 1 ? position + 1 : position;
    let recomputing = 0;
    let working = 0;
    for (let at = position; at <= last; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOf[row];
      const index = turn[row - kind * stages];
      const effect = kind * state.stages + index;
      const size = index * sizes.kinds + sizes.kindOf[order[at] & mask];
      // Whether it has any is a question of its kind, how much of its microbatch.
      if (effects.working[effect] === 1) working += sizes.workspace[size];
      if (effects.recomputing[effect] === 1) recomputing += sizes.recomputed[size];
      add(state.kept, sizes.kept, index, effects.keptAtStart[effect], sizes.activation[size]);
      held += effects.heldAtStart[effect];
      if (!separate) continue;
      const whole = kind === F && apart?.[row] === 1 && recomputes !== undefined && !recomputes(order[at]) ? 1 : 0;
      add(state.again, sizes.again, index, effects.againAtStart[effect] + whole, sizes.recomputedWhole[size]);
    }
    if (last === until && when === 'during') break;
    if (out !== undefined) {
      out.first[slot] = position;
      out.last[slot] = last;
      out.activations[slot] = now + recomputing;
      out.workspace[slot] = working;
      out.held[slot] = held;
    }
    for (let at = position; at <= last; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOf[row];
      const index = turn[row - kind * stages];
      const effect = kind * state.stages + index;
      const size = index * sizes.kinds + sizes.kindOf[order[at] & mask];
      add(state.kept, sizes.kept, index, effects.keptAtEnd[effect], sizes.activation[size]);
      add(
        state.keptForWeight,
        sizes.keptForWeight,
        index,
        effects.keptForWeightAtEnd[effect],
        sizes.activationForWeight[size],
      );
      held += effects.heldAtEnd[effect];
      if (separate) add(state.again, sizes.again, index, effects.againAtEnd[effect], sizes.recomputedWhole[size]);
    }
    if (out !== undefined) {
      out.after[slot] = now;
      out.heldAfter[slot] = held;
    }
    position = last + 1;
    if (last === until) break;
  }
  state.position = position;
  state.held = held;
  return slot;
}

const sum = (bytes: Float64Array): number => bytes.reduce((all, each) => all + each, 0);

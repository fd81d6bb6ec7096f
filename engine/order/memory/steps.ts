/** Steps of a walk along the slots of a device: what each holds. */
import { B, F, I, U, W } from '../../values/program.ts';
import type { WalkState } from './counts.ts';

/** Slots of a device in order, as a struct of arrays, one element for each slot of a stretch. See `MemoryVisit` of `memoryWalk.ts`. */
export interface SlotLevels {
  /** First and last position of the slot. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly activations: Float64Array;
  readonly workspace: Float64Array;
  readonly held: Int32Array;
  readonly after: Float64Array;
  readonly heldAfter: Int32Array;
}

/** Goes on by at most `most` slots; up to the slot whose last operation is at `until`, while it runs or once it has ended. */
export function advance(
  state: WalkState,
  most: number,
  out: SlotLevels | undefined,
  until = -1,
  when: 'during' | 'after' = 'after',
): number {
  const { program, kindOf, turn, recomputes, effects, to } = state;
  const { kept, keptForWeight, again, activation, activationForWeight, recomputedWhole } = state;
  const { order, shift, stages, fused, apart } = program;
  const local = state.stages;
  const separate = again.length > 0;
  let { position, held } = state;
  // Levels are sums of counts times sizes: adding and subtracting bytes would drift for fractional sizes.
  const level = () => {
    let sum = 0;
    for (let index = 0; index < local; index += 1) {
      sum += kept[index] * activation[index] + keptForWeight[index] * activationForWeight[index];
      if (separate) sum += again[index] * recomputedWhole[index];
    }
    return sum;
  };
  let now = level();
  let slot = 0;
  for (; slot < most && position < to; slot += 1) {
    const last = fused !== undefined && fused[position] === 1 ? position + 1 : position;
    let recomputing = 0;
    let working = 0;
    let changes = 0;
    for (let at = position; at <= last; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOf[row];
      const index = turn[row - kind * stages];
      const effect = kind * local + index;
      working += effects.workspace[effect];
      recomputing += effects.recomputed[effect];
      kept[index] += effects.keptAtStart[effect];
      held += effects.heldAtStart[effect];
      changes |= effects.keptAtStart[effect];
      if (!separate) continue;
      changes = 1;
      again[index] += effects.againAtStart[effect];
      if (kind === F && apart?.[row] === 1 && recomputes !== undefined && !recomputes(order[at])) again[index] += 1;
    }
    if (last === until && when === 'during') break;
    if (changes !== 0) now = level();
    if (out !== undefined) {
      out.first[slot] = position;
      out.last[slot] = last;
      out.activations[slot] = now + recomputing;
      out.workspace[slot] = working;
      out.held[slot] = held;
    }
    changes = 0;
    for (let at = position; at <= last; at += 1) {
      const row = order[at] >> shift;
      const kind = kindOf[row];
      const index = turn[row - kind * stages];
      const effect = kind * local + index;
      kept[index] += effects.keptAtEnd[effect];
      keptForWeight[index] += effects.keptForWeightAtEnd[effect];
      held += effects.heldAtEnd[effect];
      changes |= effects.keptAtEnd[effect] | effects.keptForWeightAtEnd[effect];
      if (!separate) continue;
      again[index] += effects.againAtEnd[effect];
    }
    if (changes !== 0) now = level();
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

/** `advance` for a device with one stage and none of the special operations, with its counts in variables: several times as fast. */
export function advancePlain(state: WalkState, most: number, out: SlotLevels): number {
  const { program, kindOf, kept, keptForWeight, to } = state;
  const { order, shift } = program;
  const { first, last, activations, workspace, held, after, heldAfter } = out;
  const [activation, activationForWeight] = [state.activation[0], state.activationForWeight[0]];
  const { recomputed } = state.effects;
  const working = state.effects.workspace[F];
  let [count, countForWeight] = [kept[0], keptForWeight[0]];
  let { position, held: holding } = state;
  let slot = 0;
  for (; slot < most && position < to; slot += 1, position += 1) {
    const kind = kindOf[order[position] >> shift];
    if (kind === F) {
      count += 1;
      holding += 1;
    }
    const level = count * activation + countForWeight * activationForWeight;
    first[slot] = position;
    last[slot] = position;
    activations[slot] = kind === B || kind === I ? level + recomputed[kind] : level;
    workspace[slot] = kind <= U ? working : 0;
    held[slot] = holding;
    if (kind === B) {
      count -= 1;
      holding -= 1;
    } else if (kind === I) {
      count -= 1;
      countForWeight += 1;
    } else if (kind === W) {
      countForWeight -= 1;
      holding -= 1;
    }
    after[slot] = count * activation + countForWeight * activationForWeight;
    heldAfter[slot] = holding;
  }
  kept[0] = count;
  keptForWeight[0] = countForWeight;
  state.position = position;
  state.held = holding;
  return slot;
}

/**
 * Whether bytes of the device are whole numbers that are exact however they are added up. Levels may then be counted up and down without
 * drift.
 */
export function isExact({ activation, activationForWeight }: WalkState, microbatches: number): boolean {
  let most = 0;
  for (let index = 0; index < activation.length; index += 1) {
    if (!Number.isInteger(activation[index]) || !Number.isInteger(activationForWeight[index])) return false;
    most += activation[index] + activationForWeight[index];
  }
  return Number.isSafeInteger(most * microbatches);
}

/** `advance` for a device with any number of stages, exact bytes and none of the special operations: it adds up no stages at a slot. */
export function advanceExact(state: WalkState, most: number, out: SlotLevels): number {
  const { program, kindOf, turn, kept, keptForWeight, activation, activationForWeight, effects, to } = state;
  const { order, shift, stages } = program;
  const { first, last, activations, workspace, held, after, heldAfter } = out;
  const local = state.stages;
  let now = 0;
  for (let index = 0; index < local; index += 1)
    now += kept[index] * activation[index] + keptForWeight[index] * activationForWeight[index];
  let { position, held: holding } = state;
  let slot = 0;
  for (; slot < most && position < to; slot += 1, position += 1) {
    const row = order[position] >> shift;
    const kind = kindOf[row];
    const index = turn[row - kind * stages];
    if (kind === F) {
      kept[index] += 1;
      now += activation[index];
      holding += 1;
    }
    first[slot] = position;
    last[slot] = position;
    activations[slot] = kind === B || kind === I ? now + effects.recomputed[kind * local + index] : now;
    workspace[slot] = effects.workspace[kind * local + index];
    held[slot] = holding;
    if (kind === B) {
      kept[index] -= 1;
      now -= activation[index];
      holding -= 1;
    } else if (kind === I) {
      kept[index] -= 1;
      keptForWeight[index] += 1;
      now += activationForWeight[index] - activation[index];
    } else if (kind === W) {
      keptForWeight[index] -= 1;
      now -= activationForWeight[index];
      holding -= 1;
    }
    after[slot] = now;
    heldAfter[slot] = holding;
  }
  state.position = position;
  state.held = holding;
  return slot;
}

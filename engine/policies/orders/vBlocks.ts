/**
 * Schedules in the V from a building block: the order of one microbatch on all devices, repeated every six slots (an F, an I and
 * a W of each of two chunks). The time from F to W of a microbatch in it sets the memory. Qi et al., "Pipeline Parallelism with
 * Controllable Memory" (2024).
 */

/** Slots of a device's operations: the first chunk's F, the second's F, its I, the first's I, for microbatch 0. */
export type Block = readonly [number, number, number, number];

/** Classes of operations, as the orders here name them. Of one class, microbatches run in turn. */
export const F0 = 0;
export const F1 = 1;
export const I1 = 2;
export const I0 = 3;
export const W1 = 4;

/**
 * Chunks more that a device holds after an operation of each class. Its length is the number of classes: six, or four with whole
 * backwards.
 */
export type Taken = readonly number[];
export const splitBackward: Taken = [1, 1, 0, 0, -1, -1];
export const wholeBackward: Taken = [1, 1, -1, -1];

/** One device: `class * microbatches + microbatch`, in order. */
export type Row = Int32Array;

/** Slots until the block is repeated: an F, an I and a W of each of two chunks. */
const period = 6;

/** Whether no two operations of the block would ever fall into the same slot. */
export const fitsPeriod = (block: Block): boolean =>
  new Set(block.map((slot) => slot % period)).size === block.length && block.every(Number.isInteger);

/** W of an I. */
const weightOf = (input: number): number => input + 2;

/** The operations of a device with the slot of each; slots increase. */
export interface Slotted {
  readonly row: Row;
  readonly slots: Int32Array;
}

/**
 * The block of each device, repeated. Each W takes the first slot that is free after its I.
 * It throws a `RangeError` for a block that does not fit its period. Of two operations in one slot only one would ever run.
 */
export function repeated(blocks: readonly Block[], microbatches: number, taken: Taken): readonly Slotted[] {
  const split = taken.length > W1;
  return blocks.map((block, device) => {
    if (!fitsPeriod(block))
      throw new RangeError(`The slots ${block.join(', ')} of device ${device} must differ modulo ${period}.`);
    const row = new Int32Array(taken.length * microbatches);
    const slots = new Int32Array(row.length);
    const classAt = new Int8Array(period).fill(-1);
    for (const [index, slot] of block.entries()) classAt[slot % period] = index;
    const waiting = new Int32Array(2 * microbatches);
    let first = 0;
    let last = 0;
    let at = 0;
    for (let slot = 0; at < row.length; slot += 1) {
      const kind = classAt[slot % period];
      const microbatch = kind < 0 ? -1 : (slot - block[kind]) / period;
      if (microbatch >= 0 && microbatch < microbatches) {
        slots[at] = slot;
        row[at++] = kind * microbatches + microbatch;
        if (split && (kind === I1 || kind === I0)) waiting[last++] = weightOf(kind) * microbatches + microbatch;
      } else if (first < last) {
        slots[at] = slot;
        row[at++] = waiting[first++];
      }
    }
    return { row, slots };
  });
}

/** Most chunks that any device holds, from F to the end of the backward. */
export function peak(rows: readonly Row[], microbatches: number, taken: Taken): number {
  let most = 0;
  for (const row of rows) {
    let held = 0;
    for (const operation of row) {
      held += taken[Math.trunc(operation / microbatches)];
      if (held > most) most = held;
    }
  }
  return most;
}

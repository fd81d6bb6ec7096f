/** An order in which the operations of a program can start: found once for a program, whatever its operations cost. */
import { needSlot, type Program, resultRowOf, resultsIn, rowTable, type ShiftedNeeds } from '../values/program.ts';

/** What the operations of each row wait for, as `Timing` has it. */
export type RowNeeds = ShiftedNeeds & { readonly needOffsets: Int32Array };

/** What is known of a program with these needs: that it runs, and an order once one was asked for. */
export interface KnownOrder {
  readonly needs: RowNeeds;
  readonly words: Int32Array | undefined;
}

const known = new WeakMap<Program, KnownOrder>();

export function knownOrder(program: Program, needs: RowNeeds): KnownOrder | undefined {
  const kept = known.get(program);
  return kept !== undefined && sameNeeds(kept.needs, needs) ? kept : undefined;
}

/** Keeps that a program runs: other costs change neither its order nor its needs. */
export function keepKnown(program: Program, needs: RowNeeds, words?: Int32Array): void {
  known.set(program, { needs, words });
}

/**
 * Words of all operations: each comes after what it needs, and after the operation before it on its device. Undefined if
 * operations wait for each other for ever. Kept for the program. O(operations + needs).
 */
export function startOrder(program: Program, needs: RowNeeds): Int32Array | undefined {
  const kept = knownOrder(program, needs)?.words;
  if (kept !== undefined) return kept;
  const words = orderBySweeps(program, needs) ?? orderByWaiting(program, needs);
  if (words !== undefined) keepKnown(program, needs, words);
  return words;
}

/** Most needs of a row that a sweep looks at. */
const mostSwept = 2;

/**
 * Visits the devices again and again, and lets each run as far as it can. The fastest method if most visits run something, as in
 * a pipeline whose neighbours feed each other. Undefined if a row has too many needs, if needs are shifted, or once more visits
 * than operations ran nothing.
 */
function orderBySweeps(program: Program, { needOffsets, needs, needShift }: RowNeeds): Int32Array | undefined {
  if (needShift !== undefined) return undefined;
  const { devices, microbatches, order, offsets, shift } = program;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const results = rowTable(program).result;
  const slots = resultsIn(program) * program.stages * microbatches;
  // By slot: 1 once its result is there. Rows with fewer needs ask for slots after the last one, which are always there.
  const there = new Uint8Array(slots + microbatches);
  there.fill(1, slots);
  markSlots(program, there, 0, 1);
  const rows = needOffsets.length - 1;
  const made = new Int32Array(rows);
  const first = new Int32Array(rows).fill(slots);
  const second = new Int32Array(rows).fill(slots);
  for (let row = 0; row < rows; row += 1) {
    const from = needOffsets[row];
    const count = needOffsets[row + 1] - from;
    if (count > mostSwept) return undefined;
    made[row] = results[row] * microbatches;
    if (count > 0) first[row] = needs[from] * microbatches;
    if (count > 1) second[row] = needs[from + 1] * microbatches;
  }
  const words = new Int32Array(order.length);
  const cursors = offsets.slice(0, devices);
  let done = 0;
  let idle = order.length + devices;
  while (done < order.length) {
    const before = done;
    for (let device = 0; device < devices; device += 1) {
      const stop = offsets[device + 1];
      let cursor = cursors[device];
      const from = cursor;
      while (cursor < stop) {
        const word = order[cursor];
        const row = word >> shift;
        const microbatch = word & mask;
        if (there[first[row] + microbatch] === 0 || there[second[row] + microbatch] === 0) break;
        there[made[row] + microbatch] = 1;
        words[done++] = word;
        cursor += 1;
      }
      if (cursor === from) idle -= 1;
      cursors[device] = cursor;
    }
    if (done === before || idle < 0) return done === order.length ? words : undefined;
  }
  return words;
}

/**
 * For any needs: a device that must wait leaves its number in the slot of the result that it waits for. It continues when that
 * result is there.
 */
function orderByWaiting(program: Program, table: RowNeeds): Int32Array | undefined {
  const { needOffsets, needs, needShift } = table;
  const { devices, microbatches, order, offsets, shift } = program;
  const mask = (1 << shift) - 1;
  const results = rowTable(program).result;
  // By slot: 0 once its result is there, −1 while it is not, or 1 + d while device d waits for it.
  const waiting = new Int32Array(resultsIn(program) * program.stages * microbatches);
  markSlots(program, waiting, -1, 0);
  const alsoWaiting = new Int32Array(devices);
  const cursors = offsets.slice(0, devices);
  const ready = Int32Array.from({ length: devices }, (_, index) => devices - 1 - index);
  let readyCount = devices;
  const words = new Int32Array(order.length);
  let done = 0;
  while (readyCount > 0) {
    const device = ready[--readyCount];
    const stop = offsets[device + 1];
    let cursor = cursors[device];
    device: while (cursor < stop) {
      const word = order[cursor];
      const row = word >> shift;
      const microbatch = word & mask;
      const last = needOffsets[row + 1];
      for (let need = needOffsets[row]; need < last; need += 1) {
        const slot =
          needShift === undefined
            ? needs[need] * microbatches + microbatch
            : needSlot(table, microbatches, need, microbatch);
        if (slot < 0 || waiting[slot] === 0) continue;
        alsoWaiting[device] = waiting[slot];
        waiting[slot] = 1 + device;
        break device;
      }
      const slot = results[row] * microbatches + microbatch;
      let next = waiting[slot];
      waiting[slot] = 0;
      words[done++] = word;
      cursor += 1;
      while (next > 0) {
        ready[readyCount++] = next - 1;
        next = alsoWaiting[next - 1];
      }
    }
    cursors[device] = cursor;
  }
  return done === order.length ? words : undefined;
}

/**
 * Marks the slots of a program: those that it must fill before others may use them, and those that it leaves out, which nothing
 * waits for. Only a program with copies, or with operations beyond F, B, I and W, leaves slots out.
 */
function markSlots(program: Program, slots: Uint8Array | Int32Array, filled: number, leftOut: number): void {
  const { order, shift, stages, microbatches, copies, extended } = program;
  const length = resultsIn(program) * stages * microbatches;
  if (copies === undefined && extended !== true) {
    if (filled !== 0) slots.fill(filled, 0, length);
    return;
  }
  if (leftOut !== 0) slots.fill(leftOut, 0, length);
  const mask = (1 << shift) - 1;
  for (let position = 0; position < order.length; position += 1) {
    const row = order[position] >> shift;
    slots[resultRowOf(stages, row) * microbatches + (order[position] & mask)] = filled;
  }
}

export function sameNeeds(a: RowNeeds, b: RowNeeds): boolean {
  return (
    same(a.needOffsets, b.needOffsets) &&
    same(a.needs, b.needs) &&
    same(a.needShift, b.needShift) &&
    same(a.needOnly, b.needOnly)
  );
}

function same(a: ArrayLike<unknown> | undefined, b: ArrayLike<unknown> | undefined): boolean {
  if (a === b) return true;
  if (a?.length !== b?.length || a === undefined || b === undefined) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

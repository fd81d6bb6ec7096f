import type { Row, Slotted } from './vBlocks.ts';
import { type Ends, readyAt, type VTimes } from './vTimes.ts';

/** Slots of all devices that may be kept, and steps that may be taken. Longer orders stay as they are. */
const mostSlots = 4e6;
const mostSteps = 2e7;

/**
 * Moves operations, in order of their slots, into earlier slots that are free once their inputs are there; an F only if the device
 * then holds no more than `limit` chunks. Full periods have no free slot, so this closes the gaps of warm-up and cool-down and
 * leaves the block as it is between them. Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): squeezing.
 *
 * `unit` are the times of the block. Ends as in `readyAt`.
 */
export function squeezed(
  given: readonly Slotted[],
  microbatches: number,
  limit: number,
  unit: VTimes,
  ends: Ends,
): readonly Row[] {
  const devices = given.length;
  const span = given.reduce((last, { slots }) => Math.max(last, slots[slots.length - 1]), 0) + 3;
  if (devices * span > mostSlots) return given.map(({ row }) => row);
  const boards = given.map((each) => boardOf(each, microbatches, span, limit, unit.taken));
  const next = new Int32Array(devices);
  ends.fill(Infinity);
  let steps = 0;
  for (let now = 0; now < span; now += 1) {
    for (let device = 0; device < devices; device += 1) {
      const { row, slots } = given[device];
      const at = next[device];
      if (at >= row.length || slots[at] !== now) continue;
      next[device] += 1;
      const kind = Math.trunc(row[at] / microbatches);
      const microbatch = row[at] - kind * microbatches;
      const index = (kind * devices + device) * microbatches + microbatch;
      const width = unit.duration[kind * devices + device];
      const ready = readyAt(kind, device, microbatch, devices, microbatches, unit.transfer, ends);
      const from = microbatch > 0 ? Math.max(ready, ends[index - 1]) : ready;
      const board = boards[device];
      const taken = unit.taken[kind];
      const slot = steps > mostSteps ? now : board.earliest(from, now, width, taken);
      steps += now - slot;
      board.put(row[at], slot, now, width, taken);
      ends[index] = slot + width;
    }
  }
  return boards.map((board, device) => board.row(given[device].row.length));
}

interface Board {
  /** First slot from `from` to `now` that an operation may take. */
  earliest(from: number, now: number, width: number, taken: number): number;
  put(operation: number, slot: number, now: number, width: number, taken: number): void;
  row(length: number): Row;
}

/** Slots of a device: the operation that is put there, and the chunks held after it. */
function boardOf(
  { row, slots }: Slotted,
  microbatches: number,
  span: number,
  limit: number,
  taken: readonly number[],
): Board {
  const operations = new Int32Array(span).fill(-1);
  const held = new Int32Array(span);
  for (const [at, operation] of row.entries()) held[slots[at]] = taken[Math.trunc(operation / microbatches)];
  for (let slot = 1; slot < span; slot += 1) held[slot] += held[slot - 1];
  // The first free slot from each slot on, with paths cut short.
  const free = Int32Array.from({ length: span + 1 }, (_, slot) => slot);
  const freeFrom = (slot: number): number => {
    let found = slot;
    while (free[found] !== found) {
      free[found] = free[free[found]];
      found = free[found];
    }
    return found;
  };
  return {
    earliest(from, now, width, change) {
      let lowest = from;
      if (change > 0) {
        lowest = now;
        while (lowest > from && held[lowest - 1] < limit) lowest -= 1;
      }
      let slot = freeFrom(lowest);
      while (width > 1 && slot < now && freeFrom(slot + 1) !== slot + 1) slot = freeFrom(slot + 1);
      return Math.min(slot, now);
    },
    put(operation, slot, now, width, change) {
      operations[slot] = operation;
      for (let used = slot; used < slot + width; used += 1) free[used] = used + 1;
      if (change !== 0) for (let between = slot; between < now; between += 1) held[between] += change;
    },
    row(length) {
      const ordered = new Int32Array(length);
      let written = 0;
      for (const operation of operations) if (operation >= 0) ordered[written++] = operation;
      return ordered;
    },
  };
}

/** Orders of one step of a beam, as far as they are built. */
import type { Layout } from './layout.ts';

/** A struct of arrays: each order has a slot. */
export interface Slots {
  /** By code: operations that have run. */
  readonly counts: Int32Array;
  /** By code and microbatch. */
  readonly end: Float64Array;
  /** By device: when it is free, and bytes that it holds. */
  readonly free: Float64Array;
  readonly level: Float64Array;
  /** Bit s: F of stage s does not start before its device has run something else. */
  readonly waits: Int32Array;
  used: number;
}

/** Stages that fit into the bits of a number. */
export const mostStages = 31;

export const isWaiting = (layout: Layout, code: number, waits: number): boolean =>
  code < layout.stages && ((waits >> code) & 1) === 1;

export function emptySlots({ problem: { devices, microbatches }, codes }: Layout, width: number): Slots {
  return {
    counts: new Int32Array(width * codes),
    end: new Float64Array(width * codes * microbatches),
    free: new Float64Array(width * devices),
    level: new Float64Array(width * devices),
    waits: new Int32Array(width),
    used: 0,
  };
}

/** Copies the order of a slot of one step to a slot of another. */
export function copyOrder({ problem, codes }: Layout, from: Slots, slot: number, to: Slots, at: number): void {
  const { devices, microbatches } = problem;
  const ends = codes * microbatches;
  to.counts.set(from.counts.subarray(slot * codes, (slot + 1) * codes), at * codes);
  to.end.set(from.end.subarray(slot * ends, (slot + 1) * ends), at * ends);
  to.free.set(from.free.subarray(slot * devices, (slot + 1) * devices), at * devices);
  to.level.set(from.level.subarray(slot * devices, (slot + 1) * devices), at * devices);
}

/** Bytes that an operation of a code adds to its device. */
export function addedBytes({ problem: { activation, forWeight, weight }, stages }: Layout, code: number): number {
  if (code < stages) return activation[code];
  if (code < 2 * stages) return (weight[code - stages] > 0 ? forWeight[code - stages] : 0) - activation[code - stages];
  return -forWeight[code - 2 * stages];
}

/** Runs the next operation of a code in an order. */
export function runNext(layout: Layout, slots: Slots, slot: number, code: number, start: number): void {
  const { problem, codes, ticks, device } = layout;
  const count = slot * codes + code;
  const own = slot * problem.devices + device[code];
  slots.end[count * problem.microbatches + slots.counts[count]] = start + ticks[code];
  slots.counts[count] += 1;
  slots.free[own] = start + ticks[code];
  slots.level[own] += addedBytes(layout, code);
}

/** How long what follows an operation takes at least. */
import { needSlot, type Program, resultSlotOf, rowOf, microbatchOf } from '../../values/program.ts';
import { endAt, occupancyOf, secondsOf, type Timeline, type Timing } from '../../values/timeline.ts';

type Run = Pick<Timeline, 'program' | 'timing' | 'end'>;

/** What operations wait for, as compressed rows by position, and all positions from the last end to the first. */
export interface Waits {
  readonly seconds: Float64Array;
  readonly latest: Int32Array;
  readonly offsets: Int32Array;
  readonly before: Int32Array;
  readonly delay: Float64Array;
}

/** Operations of a device follow each other, and wait for results. O(operations · log operations). */
export function waitsOfOperations({ program, timing, end }: Run): Waits {
  const { order, offsets, devices } = program;
  const positionOf = new Map<number, number>();
  const device = new Int32Array(order.length);
  for (let each = 0; each < devices; each += 1) device.fill(each, offsets[each], offsets[each + 1]);
  order.forEach((word, at) => positionOf.set(resultSlotOf(program, word), at));
  const latest = Int32Array.from(order, (_, at) => at);
  const ends = Float64Array.from(order, (_, at) => endAt({ program, end }, at));
  // On one device the later position is the later operation, also where operations take no time.
  latest.sort((a, b) => ends[b] - ends[a] || (device[a] === device[b] ? b - a : 0));
  const rows = new Int32Array(order.length + 1);
  const before: number[] = [];
  const delays: number[] = [];
  const add = (from: number, delay: number): void => {
    before.push(from);
    delays.push(delay);
  };
  for (let at = 0; at < order.length; at += 1) {
    if (at > offsets[device[at]]) add(at - 1, 0);
    eachNeed(program, timing, order[at], (slot, delay) => {
      const from = positionOf.get(slot);
      if (from !== undefined) add(from, delay);
    });
    rows[at + 1] = before.length;
  }
  return {
    ...{ latest, offsets: rows },
    seconds: Float64Array.from(order, (word) => secondsOf(timing, program, word)),
    before: Int32Array.from(before),
    delay: Float64Array.from(delays),
  };
}

/**
 * By position in `order`, seconds: the longest path from the start of an operation to the end of the last. With `to`, it is the longest
 * path to the end of the operation there, or −∞ if none leads there. O(operations).
 */
export function pathsToEnd({ seconds, latest, offsets, before, delay }: Waits, to?: number): Float64Array {
  const after = new Float64Array(latest.length).fill(to === undefined ? 0 : -Infinity);
  if (to !== undefined) after[to] = 0;
  const path = new Float64Array(latest.length);
  for (const at of latest) {
    path[at] = after[at] + seconds[at];
    for (let wait = offsets[at]; wait < offsets[at + 1]; wait += 1)
      after[before[wait]] = Math.max(after[before[wait]], path[at] + delay[wait]);
  }
  return path;
}

function eachNeed(program: Program, timing: Timing, word: number, visit: (slot: number, delay: number) => void): void {
  const row = rowOf(program, word);
  const microbatch = microbatchOf(program, word);
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
    const slot = needSlot(timing, program.microbatches, need, microbatch);
    if (slot >= 0) visit(slot, occupancyOf(timing, program.microbatches, need, microbatch) + timing.needLatency[need]);
  }
}

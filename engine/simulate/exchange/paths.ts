/** How long what follows an operation takes at least. */
import { needSlot, type Program, resultSlotOf, rowOf, microbatchOf } from '../../program.ts';
import { endAt, secondsOf, type Timeline, type Timing } from '../../timeline.ts';

/**
 * By position in `order`, seconds: the longest path from the start of an operation to the end of the last. Operations of a device
 * follow each other, and wait for results. O(operations · log operations).
 */
export function pathsToEnd(timeline: Pick<Timeline, 'program' | 'timing' | 'end'>): Float64Array {
  const { program, timing } = timeline;
  const { order, offsets, devices } = program;
  const positionOf = new Map<number, number>();
  const device = new Int32Array(order.length);
  for (let each = 0; each < devices; each += 1) device.fill(each, offsets[each], offsets[each + 1]);
  order.forEach((word, at) => positionOf.set(resultSlotOf(program, word), at));
  const latest = Int32Array.from(order, (_, at) => at);
  const ends = Float64Array.from(order, (_, at) => endAt(timeline, at));
  // On one device the later position is the later operation, also where operations take no time.
  latest.sort((a, b) => ends[b] - ends[a] || (device[a] === device[b] ? b - a : 0));
  const after = new Float64Array(order.length);
  const path = new Float64Array(order.length);
  for (const at of latest) {
    path[at] = after[at] + secondsOf(timing, program, order[at]);
    if (at > offsets[device[at]]) after[at - 1] = Math.max(after[at - 1], path[at]);
    eachNeed(program, timing, order[at], (slot, delay) => {
      const from = positionOf.get(slot);
      if (from !== undefined) after[from] = Math.max(after[from], path[at] + delay);
    });
  }
  return path;
}

function eachNeed(program: Program, timing: Timing, word: number, visit: (slot: number, delay: number) => void): void {
  const row = rowOf(program, word);
  const microbatch = microbatchOf(program, word);
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
    const slot = needSlot(timing, program.microbatches, need, microbatch);
    if (slot >= 0) visit(slot, timing.needOccupancy[need] + timing.needLatency[need]);
  }
}

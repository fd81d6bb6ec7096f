/** The order in which operations of a program can start, and their ends: both found in one pass. */
import type { Program } from '../values/program.ts';
import { emptyEnds, fillsSlots } from '../values/timeline.ts';
import type { TwoNeeds } from './twoNeeds.ts';

export interface FirstPass {
  /** Words of all operations: each comes after what it needs, and after the operation before it on its device. */
  readonly words: Int32Array;
  /** As `Timeline.end`. */
  readonly end: Float64Array;
}

/**
 * Visits the devices again and again, and lets each run as far as it can. The fastest method if most visits run something, as in
 * a pipeline whose neighbours feed each other. Undefined once more visits than operations ran nothing, or if operations wait for each
 * other for ever.
 */
export function firstPass(program: Program, rows: TwoNeeds): FirstPass | undefined {
  const { devices, order, offsets, shift } = program;
  const { duration, made, first, second, firstDelay, secondDelay } = rows;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const end = emptyEnds(program, Infinity);
  const words = new Int32Array(order.length);
  const cursors = offsets.slice(0, devices);
  const free = new Float64Array(devices);
  let done = 0;
  let idle = order.length + devices;
  while (done < order.length) {
    const before = done;
    for (let device = 0; device < devices; device += 1) {
      const stop = offsets[device + 1];
      const from = cursors[device];
      let cursor = from;
      let time = free[device];
      while (cursor < stop) {
        const word = order[cursor];
        const row = word >> shift;
        const microbatch = word & mask;
        // A result that is to come arrives at Infinity. Without a need, and for a result that the program leaves out, this is NaN.
        const firstArrival = end[first[row] + microbatch] + firstDelay[row];
        const secondArrival = end[second[row] + microbatch] + secondDelay[row];
        if (firstArrival === Infinity || secondArrival === Infinity) break;
        if (firstArrival > time) time = firstArrival;
        if (secondArrival > time) time = secondArrival;
        time += duration[row];
        end[made[row] + microbatch] = time;
        words[done++] = word;
        cursor += 1;
      }
      if (cursor === from) idle -= 1;
      cursors[device] = cursor;
      free[device] = time;
    }
    if (done === before || idle < 0) break;
  }
  if (done < order.length) return undefined;
  if (!fillsSlots(program)) for (let slot = 0; slot < end.length; slot += 1) if (end[slot] === Infinity) end[slot] = -1;
  return { words, end };
}

import type { RowTables } from './rowTables.ts';

/**
 * Fills in the ends of operations that come in an order in which they can start, so nothing is read before it is there. What a
 * device has made itself is there when it is free. The hottest loop of the engine.
 */
export const laterPassOver = ({ made, need, delay, duration, device: deviceOf, free }: RowTables) =>
  function laterPass(words: Int32Array, shift: number, end: Float64Array): void {
    // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
    const mask = (1 << shift) - 1;
    for (let at = 0; at < words.length; at = (at + 1) | 0) {
      const word = words[at];
      const row = word >> shift;
      const microbatch = word & mask;
      const device = deviceOf[row];
      let time = free[device];
      // A slot that the program leaves out is NaN, which is not more than anything.
      const arrival = end[(need[row] + microbatch) | 0] + delay[row];
      if (arrival > time) time = arrival;
      time += duration[row];
      free[device] = time;
      end[(made[row] + microbatch) | 0] = time;
    }
  };

import type { Program } from '../values/program.ts';
import type { RowTables } from './rowTables.ts';

/**
 * Fills in the ends of the operations of a program of which nothing is known yet. Visits the devices again and again, and lets each
 * run as far as it can. The fastest method if most visits run something, as in a pipeline whose neighbours feed each other. False
 * once more visits than operations ran nothing, or if operations wait for each other for ever. An end in `end` that is not more
 * than 0 is to come.
 */
export const firstPassOver = (tables: RowTables) =>
  function firstPass({ devices, order, shift }: Program, end: Float64Array): boolean {
    const { made, need, delay, within, duration, count, free, cursor, stop } = tables;
    // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
    const mask = (1 << shift) - 1;
    const operations = order.length;
    let [done, before] = [0, -1];
    let idle = operations + devices;
    while (done < operations && done > before && idle >= 0) {
      before = done;
      for (let device = 0; device < devices; device = (device + 1) | 0) {
        const from = cursor[device];
        const last = stop[device];
        let time = free[device];
        let at = from;
        while (at < last) {
          const word = order[at];
          const row = word >> shift;
          const microbatch = word & mask;
          // A result that the program leaves out is NaN, which is neither less nor more than anything.
          const needed = end[(need[row] + microbatch) | 0];
          if (needed <= 0 || end[(within[row] + microbatch) | 0] <= 0) break;
          const arrival = needed + delay[row];
          if (arrival > time) time = arrival;
          time += duration[row];
          end[(made[row] + microbatch) | 0] = time;
          count[row] = (count[row] + 1) | 0;
          at = (at + 1) | 0;
        }
        cursor[device] = at;
        free[device] = time;
        done = (done + at - from) | 0;
        if (at === from) idle = (idle - 1) | 0;
      }
    }
    return done === operations;
  };

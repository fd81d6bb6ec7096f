import type { Program } from '../values/program.ts';
import type { RowTables } from './rowTables.ts';

/**
 * Fills in the ends of the operations of a program of which nothing is known yet. Visits the devices again and again, and lets each
 * run as far as it can. The fastest method if most visits run something, as in a pipeline whose neighbours feed each other. False
 * once more visits than operations ran nothing, or if operations wait for each other for ever. `end` holds `toCome` for all ends.
 */
export const firstPassOver = ({ made, need, delay, within, duration, count, free, cursor, stop }: RowTables) =>
  function firstPass({ devices, order, shift }: Program, end: Float64Array, toCome: number): boolean {
    // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
    const mask = (1 << shift) - 1;
    let [done, before, device] = [0, 0, 0];
    let idle = order.length + devices;
    let at = cursor[0];
    let from = at;
    let last = stop[0];
    let time = 0;
    // One loop rather than one in another: what a loop uses is loaded anew each time that it is entered.
    for (;;) {
      if (at < last) {
        const word = order[at];
        const row = word >> shift;
        const microbatch = word & mask;
        const needed = end[(need[row] + microbatch) | 0];
        if (needed !== toCome && end[(within[row] + microbatch) | 0] !== toCome) {
          // A result that the program leaves out is NaN, which is not more than anything.
          const arrival = needed + delay[row];
          if (arrival > time) time = arrival;
          time += duration[row];
          end[(made[row] + microbatch) | 0] = time;
          count[row] = (count[row] + 1) | 0;
          at = (at + 1) | 0;
          continue;
        }
      }
      cursor[device] = at;
      free[device] = time;
      done = (done + at - from) | 0;
      if (at === from) {
        idle = (idle - 1) | 0;
        if (idle < 0) break;
      }
      device = (device + 1) | 0;
      if (device === devices) {
        if (done === order.length || done === before) break;
        before = done;
        device = 0;
      }
      at = cursor[device];
      from = at;
      last = stop[device];
      time = free[device];
    }
    return done === order.length;
  };

import { factorAt } from '../order/jitter.ts';
import type { RowTables } from './rowTables.ts';

/** Tables of factors one after the other, and where the table of each row begins. */
export interface Factors {
  readonly tables: Float64Array;
  readonly from: Int32Array;
}

/** Words of all operations in an order in which they can start, and the key of each. */
export interface KeyedOrder {
  readonly words: Int32Array;
  readonly keys: Int32Array;
  readonly shift: number;
}

/** Fills in the ends of operations with the factors of a draw, as `laterPass` does. The last end of each device is in `free`. */
export const drawnPassOver = ({ made, need, delay, duration, device: deviceOf, free }: RowTables) =>
  function drawnPass(
    { words, keys, shift }: KeyedOrder,
    { tables, from }: Factors,
    draw: number,
    end: Float64Array,
  ): void {
    const mask = (1 << shift) - 1;
    for (let at = 0; at < words.length; at = (at + 1) | 0) {
      const word = words[at];
      const row = word >> shift;
      const microbatch = word & mask;
      const device = deviceOf[row];
      let time = free[device];
      const arrival = end[(need[row] + microbatch) | 0] + delay[row];
      if (arrival > time) time = arrival;
      time += duration[row] * tables[from[row] + factorAt(keys[at], draw)];
      free[device] = time;
      end[(made[row] + microbatch) | 0] = time;
    }
  };

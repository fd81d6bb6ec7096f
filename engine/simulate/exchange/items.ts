/** What is to be sent over a lane. */
import type { CallCost } from '../../values/exchangePlan.ts';
import { callOverhead, callSeconds } from '../../basics/callCost.ts';

/** Columns, in the order in which items get ready: buckets, or pieces that have been pushed. */
export interface Items {
  /** Seconds, ascending. */
  readonly ready: Float64Array;
  readonly bytes: Float64Array;
  /** The least rank goes first. Each number from 0 on is the rank of one item. */
  readonly rank: Int32Array;
  /** Index into `costs`. */
  readonly call: Int32Array;
  readonly costs: readonly CallCost[];
  /** What `Sent` calls the item; absent where that is its number. */
  readonly bucket?: Int32Array;
}

/** How pieces are handed over. */
export interface Handing {
  /** Bytes of a piece; `Infinity` for whole items. */
  readonly piece: number;
  /** Bytes; `Infinity` for all, `piece` for one piece at a time. */
  readonly credit: number | 'piece';
  readonly strict: boolean;
  readonly ack: number;
}

/** Bytes of the next piece. A remainder that is only rounding belongs to the last piece. */
export const pieceOf = (left: number, piece: number): number => (left <= piece * (1 + 1e-9) ? left : piece);

/** The item of each rank. */
export function itemsByRank(rank: Int32Array): Int32Array {
  const items = new Int32Array(rank.length);
  for (let item = 0; item < rank.length; item += 1) items[rank[item]] = item;
  return items;
}

/** Ranks by a figure, the least first; of equal ones the older item. */
export function ranksBy(figure: Float64Array): Int32Array {
  const order = Int32Array.from(figure, (_, item) => item).sort((a, b) => figure[a] - figure[b] || a - b);
  return itemsByRank(order);
}

/** Seconds and overhead of pieces by call: a linear cost is read from columns, without a call for each piece. */
export class Prices {
  readonly #fixed: Float64Array;
  readonly #perByte: Float64Array;
  readonly #costs: readonly CallCost[];

  constructor(costs: readonly CallCost[]) {
    this.#costs = costs;
    this.#fixed = Float64Array.from(costs, (cost) => (cost.kind === 'linear' ? cost.fixed : NaN));
    this.#perByte = Float64Array.from(costs, (cost) => (cost.kind === 'linear' ? cost.perByte : 0));
  }

  seconds(call: number, bytes: number): number {
    const fixed = this.#fixed[call];
    return Number.isNaN(fixed) ? callSeconds(this.#costs[call], bytes) : fixed + this.#perByte[call] * bytes;
  }

  overhead(call: number, bytes: number): number {
    const fixed = this.#fixed[call];
    return Number.isNaN(fixed) ? callOverhead(this.#costs[call], bytes) : fixed;
  }
}

/**
 * Seconds within which two events are one moment. Sums of the same times in another order differ by rounding. A tensor that gets
 * ready when a piece ends must be seen before the next piece is handed over.
 */
export function momentOf({ ready, bytes, call, costs }: Items): number {
  const prices = new Prices(costs);
  let all = 0;
  for (let item = 0; item < ready.length; item += 1) {
    const seconds = prices.seconds(call[item], bytes[item]);
    if (seconds < Infinity) all += seconds;
  }
  return ready.length === 0 ? 0 : 1e-12 * (all + Math.abs(ready[0]) + Math.abs(ready[ready.length - 1]));
}

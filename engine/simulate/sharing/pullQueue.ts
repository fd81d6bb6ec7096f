import type { CallCost } from '../../values/exchangePlan.ts';
import { type Items, itemsByRank } from '../exchange/items.ts';
import { RankHeap } from '../exchange/rankHeap.ts';
import type { Pulls } from '../exchange/sendBothWays.ts';
import type { Piece } from './pushQueue.ts';

/** Pieces that were pushed: after the delay of their call they may be pulled, in the order of their ranks. */
export class PullQueue {
  readonly #call: Items['call'];
  readonly #pulls: Pulls | undefined;
  readonly #itemOf: Int32Array;
  readonly #queue: RankHeap;
  /** By item, sizes of pieces that may be pulled, and how many of them have been. */
  readonly #sizes: readonly number[][];
  readonly #taken: Int32Array;
  /** Pieces that have left the lane, and when they are there. */
  #flying: (Piece & { readonly at: number })[] = [];

  constructor({ rank, call }: Items, pulls: Pulls | undefined) {
    this.#call = call;
    this.#pulls = pulls;
    this.#itemOf = itemsByRank(pulls?.rank ?? rank);
    this.#queue = new RankHeap(rank.length);
    this.#sizes = Array.from(rank, () => []);
    this.#taken = new Int32Array(rank.length);
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0;
  }

  /** The least rank that may be pulled. */
  get first(): number {
    return this.#queue.top;
  }

  /** When the next piece is there; `Infinity` if none was sent. */
  get next(): number {
    return this.#flying.reduce((least, { at }) => Math.min(least, at), Infinity);
  }

  /** A piece has left the lane. */
  pushed({ item, size }: Piece, now: number): void {
    if (this.#pulls === undefined || this.#costOf(item) === undefined || size === 0) return;
    this.#flying.push({ item, size, at: now + this.#pulls.delays[this.#call[item]] });
  }

  /** Takes in what is there until then. */
  land(until: number): void {
    if (this.#pulls === undefined || this.#flying.length === 0) return;
    for (const { item, size, at } of this.#flying) {
      if (at > until) continue;
      if (this.#sizes[item].length === this.#taken[item]) this.#queue.push(this.#pulls.rank[item]);
      this.#sizes[item].push(size);
    }
    this.#flying = this.#flying.filter(({ at }) => at > until);
  }

  /** The next piece to pull, and what its call costs. Not for an empty queue. */
  take(): Piece & { readonly cost: CallCost } {
    const item = this.#itemOf[this.#queue.top];
    const cost = this.#costOf(item);
    if (cost === undefined) throw new Error(`Item ${item} is not pulled.`);
    const size = this.#sizes[item][this.#taken[item]];
    this.#taken[item] += 1;
    if (this.#taken[item] === this.#sizes[item].length) this.#queue.pop();
    return { item, size, cost };
  }

  #costOf(item: number): CallCost | undefined {
    return this.#pulls?.costs[this.#call[item]];
  }
}

import { type Handing, type Items, itemsByRank, pieceOf } from '../exchange/items.ts';
import { RankHeap } from '../exchange/rankHeap.ts';

/** Bytes of an item that one call sends. */
export interface Piece {
  readonly item: number;
  readonly size: number;
}

/** Items that are ready, and pieces of them that have been handed to the lane, which sends them in the order of the hand-over. */
export class PushQueue {
  /** By item, bytes that have not been handed over, or that a cut call has not sent. */
  readonly left: Float64Array;
  readonly #rank: Items['rank'];
  readonly #handing: Handing;
  readonly #itemOf: Int32Array;
  readonly #queue: RankHeap;
  readonly #stack: Piece[] = [];
  #taken = 0;
  #credit: number;

  constructor({ bytes, rank }: Items, handing: Handing) {
    this.left = bytes.slice();
    this.#rank = rank;
    this.#handing = handing;
    this.#itemOf = itemsByRank(rank);
    this.#queue = new RankHeap(rank.length);
    this.#credit = handing.credit === 'piece' ? 1 : handing.credit;
  }

  get isEmpty(): boolean {
    return this.#queue.size === 0;
  }

  /** Nothing waits, on the stack neither. */
  get isDone(): boolean {
    return this.isEmpty && this.#taken === this.#stack.length;
  }

  /** The least rank that waits. */
  get first(): number {
    return this.#queue.top;
  }

  /** The item whose piece goes next. */
  get onStack(): number | undefined {
    return this.#taken < this.#stack.length ? this.#stack[this.#taken].item : undefined;
  }

  add(item: number): void {
    this.#queue.push(this.#rank[item]);
  }

  acknowledge(bytes: number): void {
    this.#credit += this.#handing.credit === 'piece' ? 1 : bytes;
  }

  /** Hands over as much as there is credit for. `isOut`: something of earlier hand-overs is not acknowledged. */
  handOver(isOut: boolean): void {
    const { piece, strict } = this.#handing;
    const byPiece = this.#handing.credit === 'piece';
    const passed: number[] = [];
    while (!this.isEmpty && this.#credit > 0) {
      const item = this.#itemOf[this.first];
      const size = pieceOf(this.left[item], piece);
      if (strict && !byPiece && (isOut || this.onStack !== undefined) && size > this.#credit) {
        passed.push(this.first);
        this.#queue.pop();
        continue;
      }
      this.#stack.push({ item, size });
      if (size === this.left[item]) this.#queue.pop();
      this.left[item] -= size;
      this.#credit -= byPiece ? 1 : size;
    }
    for (const each of passed) this.#queue.push(each);
  }

  /** The next piece of the stack. */
  take(): Piece | undefined {
    if (this.#taken === this.#stack.length) return undefined;
    this.#taken += 1;
    return this.#stack[this.#taken - 1];
  }

  /** All that is left of the item with the least rank, without a hand-over. */
  takeWhole(): Piece | undefined {
    if (this.isEmpty) return undefined;
    const item = this.#itemOf[this.first];
    this.#queue.pop();
    return { item, size: this.left[item] };
  }

  /** A call was cut: the item waits again, without the bytes that were sent. */
  giveBack(item: number, bytes: number): void {
    this.left[item] -= bytes;
    this.#queue.push(this.#rank[item]);
  }
}

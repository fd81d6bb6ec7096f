/** A binary heap of ranks, least first. Nothing is allocated after the start. */
export class RankHeap {
  readonly #ranks: Int32Array;
  size = 0;

  constructor(room: number) {
    this.#ranks = new Int32Array(room);
  }

  /** The least rank. */
  get top(): number {
    return this.#ranks[0];
  }

  push(rank: number): void {
    const ranks = this.#ranks;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (ranks[parent] <= rank) break;
      ranks[at] = ranks[parent];
      at = parent;
    }
    ranks[at] = rank;
  }

  pop(): void {
    const ranks = this.#ranks;
    const size = --this.size;
    const rank = ranks[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && ranks[child + 1] < ranks[child]) child += 1;
      if (rank <= ranks[child]) break;
      ranks[at] = ranks[child];
      at = child;
    }
    ranks[at] = rank;
  }
}

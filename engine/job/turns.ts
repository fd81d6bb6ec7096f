/**
 * Who comes next: one time for each of several parties, and the earliest of them, equal times by number. A tournament: whoever
 * changes a time plays again up to the root; O(log parties), nothing allocated after the start.
 */
export class Turns {
  readonly #times: Float64Array;
  /** Winner of each match, the root at 1; the leaves are the parties themselves. */
  readonly #winners: Int32Array;
  readonly #leaves: number;

  constructor(parties: number) {
    let leaves = 1;
    while (leaves < parties) leaves *= 2;
    this.#leaves = leaves;
    this.#times = new Float64Array(leaves).fill(Infinity);
    this.#winners = new Int32Array(2 * leaves);
    for (let leaf = 0; leaf < leaves; leaf += 1) this.#winners[leaves + leaf] = leaf;
    for (let match = leaves - 1; match > 0; match -= 1) this.#winners[match] = this.#winners[2 * match];
  }

  /** The party that is next, and when; `Infinity` where nobody is. */
  get first(): number {
    return this.#winners[1];
  }
  get time(): number {
    return this.#times[this.#winners[1]];
  }

  set(party: number, time: number): void {
    const times = this.#times;
    const winners = this.#winners;
    times[party] = time;
    for (let match = (this.#leaves + party) >> 1; match > 0; match >>= 1) {
      const left = winners[2 * match];
      const right = winners[2 * match + 1];
      const winner = times[left] <= times[right] ? left : right;
      // Where somebody else wins as before, nothing changes above.
      if (winner !== party && winners[match] === winner) return;
      winners[match] = winner;
    }
  }
}

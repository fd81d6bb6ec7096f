/** Who sends through which links. Clusters have thousands of links, most of which are used alike, so there is no object for each. */

/** A use is a number: links that the same flows take, in the same order, have the same one. */
export class LinkUses {
  /** By link, in the order in which links are first taken. */
  readonly ofLinks = new Map<number, number>();
  readonly #next: Map<number, number>[] = [new Map()];
  readonly #lanes: number[] = [0];
  readonly #lastLane: number[] = [-1];
  #flows = 0;

  /** How many lanes take the links of a use. */
  lanesOf(use: number): number {
    return this.#lanes[use];
  }

  /** Notes one pass of a lane. Call what it returns once for each link, with how much of the pass goes through it. */
  pass(lane: number): (link: number, amount: number) => void {
    const byAmount = new Map<number, number>();
    return (link, amount) => {
      let flow = byAmount.get(amount);
      if (flow === undefined) byAmount.set(amount, (flow = this.#flows++));
      this.ofLinks.set(link, this.#after(this.ofLinks.get(link) ?? 0, flow, lane));
    };
  }

  #after(use: number, flow: number, lane: number): number {
    const known = this.#next[use].get(flow);
    if (known !== undefined) return known;
    const made = this.#next.push(new Map()) - 1;
    this.#next[use].set(flow, made);
    this.#lanes.push(this.#lanes[use] + (this.#lastLane[use] === lane ? 0 : 1));
    this.#lastLane.push(lane);
    return made;
  }
}

/**
 * The earliest event, at most one for each device; equal times by device number. A tree of minima: setting a time takes one
 * minimum for each level, without any branch that a processor could guess wrong. Nothing is allocated after the start.
 */
export class EarliestEvent {
  /** Leaf of device d at `#leaves + d`; Infinity for no event. The element at i is the lesser of those at 2i and 2i + 1. */
  readonly #times: Float64Array;
  readonly #leaves: number;

  constructor(devices: number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(2, devices)));
    this.#times = new Float64Array(2 * this.#leaves).fill(Infinity);
  }

  /** Time of the earliest event; Infinity if there is none. */
  get time(): number {
    return this.#times[1];
  }

  /** Its device, if there is an event. */
  get device(): number {
    const times = this.#times;
    const earliest = times[1];
    let at = 1;
    while (at < this.#leaves) {
      at *= 2;
      if (times[at] > earliest) at += 1;
    }
    return at - this.#leaves;
  }

  /** Sets the event of a device; Infinity takes it out. */
  set(device: number, time: number): void {
    const times = this.#times;
    let at = this.#leaves + device;
    times[at] = time;
    for (at >>= 1; at > 0; at >>= 1) times[at] = Math.min(times[2 * at], times[2 * at + 1]);
  }
}

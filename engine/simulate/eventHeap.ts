/** A binary heap of at most one event a device, earliest first, equal times by device number. Nothing is allocated after the start. */
export class EventHeap {
  readonly #times: Float64Array;
  readonly #devices: Int32Array;
  #size = 0;

  constructor(devices: number) {
    this.#times = new Float64Array(devices);
    this.#devices = new Int32Array(devices);
  }

  get size(): number {
    return this.#size;
  }
  /** Time and device of the earliest event. */
  get time(): number {
    return this.#times[0];
  }
  get device(): number {
    return this.#devices[0];
  }

  push(time: number, device: number): void {
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(time, device, parent)) break;
      this.#times[at] = this.#times[parent];
      this.#devices[at] = this.#devices[parent];
      at = parent;
    }
    this.#times[at] = time;
    this.#devices[at] = device;
  }

  pop(): void {
    const time = this.#times[--this.#size];
    const device = this.#devices[this.#size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#before(this.#times[child + 1], this.#devices[child + 1], child)) child += 1;
      if (this.#before(time, device, child)) break;
      this.#times[at] = this.#times[child];
      this.#devices[at] = this.#devices[child];
      at = child;
    }
    this.#times[at] = time;
    this.#devices[at] = device;
  }

  #before(time: number, device: number, other: number): boolean {
    return time < this.#times[other] || (time === this.#times[other] && device < this.#devices[other]);
  }
}

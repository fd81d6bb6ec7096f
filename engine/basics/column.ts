/** Numbers that arrive one by one, without an object for each. */
export class Column {
  #values = new Float64Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** What has arrived so far. */
  values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}

/** The order in which numbers ascend; equal ones stay in their order. */
export const ascending = (values: Float64Array): Uint32Array =>
  Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);

/** How many of the ascending numbers are less than a value. */
export function countBelow(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

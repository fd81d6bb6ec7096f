/** A binary heap of numbers, least first, each with a whole number as its value. Sized once; push and pop are O(log n). */
export interface Heap {
  readonly keys: Float64Array;
  readonly values: Int32Array;
  size: number;
}

export const heapOf = (capacity: number): Heap => ({
  keys: new Float64Array(capacity),
  values: new Int32Array(capacity),
  size: 0,
});

export function push(heap: Heap, key: number, value: number): void {
  const { keys, values } = heap;
  let at = heap.size;
  heap.size += 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (keys[parent] <= key) break;
    keys[at] = keys[parent];
    values[at] = values[parent];
    at = parent;
  }
  keys[at] = key;
  values[at] = value;
}

/** Value of the least key. The heap must not be empty. */
export function pop(heap: Heap): number {
  const { keys, values } = heap;
  const least = values[0];
  heap.size -= 1;
  const size = heap.size;
  const key = keys[size];
  const value = values[size];
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && keys[child + 1] < keys[child]) child += 1;
    if (keys[child] >= key) break;
    keys[at] = keys[child];
    values[at] = values[child];
    at = child;
  }
  keys[at] = key;
  values[at] = value;
  return least;
}

/** Sorting in time in proportion to the numbers. */

/** Numbers for which a comparing sort is faster than clearing the counts of a digit. */
const few = 1024;
const digit = 11;

/** Positions of the numbers, which are from 0 to 2³¹ − 1, in ascending order; of equal ones the first comes first. */
export function ascending(numbers: Int32Array): Int32Array {
  const count = numbers.length;
  let sorted = true;
  let least = Infinity;
  let most = 0;
  for (let at = 0; at < count; at += 1) {
    if (numbers[at] < most) sorted = false;
    if (numbers[at] > most) most = numbers[at];
    if (numbers[at] < least) least = numbers[at];
  }
  const order = new Int32Array(count);
  for (let at = 0; at < count; at += 1) order[at] = at;
  if (sorted) return order;
  const range = most - least + 1;
  if (range <= 8 * count)
    return byDigit(numbers, order, new Int32Array(count), { keys: range, less: least, shift: 0, mask: -1 });
  if (count < few) return order.sort((a, b) => numbers[a] - numbers[b] || a - b);
  let other = new Int32Array(count);
  let result = order;
  for (let shift = 0; shift < 31 && most >>> shift > 0; shift += digit) {
    const next = byDigit(numbers, result, other, { keys: 1 << digit, less: 0, shift, mask: (1 << digit) - 1 });
    other = result;
    result = next;
  }
  return result;
}

interface Digit {
  readonly keys: number;
  /** The key of a number: (number − less) >>> shift, and of that the bits of the mask. */
  readonly less: number;
  readonly shift: number;
  readonly mask: number;
}

/** Puts positions into `into` by a key of their numbers, and keeps the order of equal keys. */
function byDigit<Into extends Int32Array>(
  numbers: Int32Array,
  order: Int32Array,
  into: Into,
  { keys, less, shift, mask }: Digit,
): Into {
  const starts = new Int32Array(keys + 1);
  for (let at = 0; at < order.length; at += 1) starts[(((numbers[at] - less) >>> shift) & mask) + 1] += 1;
  for (let key = 0; key < keys; key += 1) starts[key + 1] += starts[key];
  for (let at = 0; at < order.length; at += 1)
    into[starts[((numbers[order[at]] - less) >>> shift) & mask]++] = order[at];
  return into;
}

/** The balanced cut of layers that keep one order. */
import { balance } from './balance.ts';

/**
 * First position (in `order`) of each stage such that the slowest stage is as fast as can be. Exact if all devices are of one
 * kind. Otherwise exact to twelve digits, by bisection over the slowest time: each probe finds whether any cut stays below it.
 */
export function balancedStarts<Kind>(
  order: Int32Array,
  kinds: readonly Kind[],
  time: (element: number, kind: Kind) => number,
): Int32Array {
  const [first] = kinds;
  if (kinds.every((kind) => kind === first))
    return balance(
      Float64Array.from(order, (element) => time(element, first)),
      kinds.length,
    );
  const sums = new Map<Kind, Float64Array>();
  for (const kind of kinds) {
    if (sums.has(kind)) continue;
    const sum = new Float64Array(order.length + 1);
    for (const [index, element] of order.entries()) sum[index + 1] = sum[index] + time(element, kind);
    sums.set(kind, sum);
  }
  const ofStage = kinds.map((kind) => sums.get(kind) ?? new Float64Array(order.length + 1));
  let low = 0;
  let high = Math.max(...[...sums.values()].map((sum) => sum[order.length]));
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step += 1) {
    const middle = (low + high) / 2;
    if (fill(ofStage, order.length, middle) === undefined) low = middle;
    else high = middle;
  }
  return fill(ofStage, order.length, high) ?? Int32Array.from(kinds, (_, index) => index);
}

/**
 * First positions of a cut whose stages all stay within `limit`; `undefined` where there is none. Filling each stage as far as
 * it goes is not enough: a slow device must be able to leave a large layer to a neighbour. So for each number of
 * stages every position that they can end at is kept.
 */
function fill(sums: readonly Float64Array[], count: number, limit: number): Int32Array | undefined {
  const within = (sum: Float64Array, from: number, to: number): boolean => sum[to] - sum[from] <= limit * (1 + 1e-13);
  const ends: Uint8Array[] = [new Uint8Array(count + 1).fill(1, 0, 1)];
  for (const [stage, sum] of sums.entries()) {
    const before = ends[stage];
    const after = new Uint8Array(count + 1);
    let reach = 0;
    for (let start = 0, marked = 0; start < count; start += 1) {
      if (before[start] === 0) continue;
      reach = Math.max(reach, start);
      while (reach < count && within(sum, start, reach + 1)) reach += 1;
      marked = Math.max(marked, start);
      while (marked < reach) after[(marked += 1)] = 1;
    }
    ends.push(after);
  }
  if (ends[sums.length][count] === 0) return undefined;
  const starts = new Int32Array(sums.length);
  for (let stage = sums.length - 1, end = count; stage >= 0; stage -= 1) {
    let start = end - 1;
    while (ends[stage][start] === 0 || !within(sums[stage], start, end)) start -= 1;
    starts[stage] = start;
    end = start;
  }
  return starts;
}

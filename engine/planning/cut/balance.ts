/**
 * The exact best cut of layers into contiguous stages: the slowest stage is as fast as any cut can make it. Among such cuts it
 * has the least sum of squares: it is the most even. Among cuts that are equal in both, earlier stages are the smaller ones,
 * since most policies keep more microbatches in flight there. A test compares it with brute force.
 *
 * Costs are rounded to 2^-50 of their sum, so that equal layers have equal sums wherever they are; the tie-break rounds to 2^-26.
 * Negative and undefined costs count as 0. Takes O(n log n · parts); under half a second for 20,000 layers in 64 parts.
 */

/** Above this many cells of the table, the tie-break is left out and the slowest stage alone is exact. */
const tableLimit = 4_000_000;

/**
 * First layer of each part, ascending from 0; `length` is `parts`, or the number of costs where there are fewer (no part is
 * empty). Nothing for no costs or fewer than one part.
 */
export function balance(costs: Float64Array, parts: number): Int32Array {
  const count = costs.length;
  const wanted = Math.min(Math.trunc(parts), count);
  if (!(wanted >= 1)) return new Int32Array(0);
  const sums = prefixSums(costs, 50);
  const slowest = leastSlowest(sums, wanted);
  return count * wanted <= tableLimit
    ? mostEven(sums, prefixSums(costs, 26), wanted, slowest)
    : fillUp(sums, wanted, slowest);
}

/** Cost of the slowest part of the best cut, in the unit of `costs`; 0 where `balance` has no parts. */
export function bestSlowest(costs: Float64Array, parts: number): number {
  return slowestOf(costs, balance(costs, parts));
}

/** Cost of the slowest part of a cut given by first layers, as `balance` returns it. */
export function slowestOf(costs: Float64Array, starts: Int32Array): number {
  let slowest = 0;
  for (let part = 0; part < starts.length; part += 1) {
    const end = part + 1 < starts.length ? starts[part + 1] : costs.length;
    let sum = 0;
    for (let at = starts[part]; at < end; at += 1) sum += usable(costs[at]);
    slowest = Math.max(slowest, sum);
  }
  return slowest;
}

const usable = (cost: number) => (cost > 0 && cost < Infinity ? cost : 0);

/** Sums of the first i costs as whole numbers below about 2^bits; costs that are whole numbers of that size stay as they are. */
function prefixSums(costs: Float64Array, bits: number): Float64Array {
  let total = 0;
  let whole = true;
  for (const each of costs) {
    total += usable(each);
    whole = whole && Number.isInteger(usable(each));
  }
  const exact = whole && total <= 2 ** bits;
  const sums = new Float64Array(costs.length + 1);
  for (let i = 0; i < costs.length; i += 1) {
    const cost = usable(costs[i]);
    sums[i + 1] = sums[i] + (exact || total === 0 ? cost : Math.round((cost / total) * 2 ** bits));
  }
  return sums;
}

/** Bisection over whole numbers; each probe cuts as late as it may and needs parts · log n steps. */
function leastSlowest(sums: Float64Array, parts: number): number {
  let low = 0;
  let high = sums[sums.length - 1];
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (fits(sums, parts, middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** A cut into at most `parts`; a cut into fewer can always be cut further, so exactly as many is no harder. */
function fits(sums: Float64Array, parts: number, limit: number): boolean {
  let start = 0;
  for (let part = 0; part < parts && start < sums.length - 1; part += 1) {
    const end = lastWithin(sums, start, limit);
    if (end === start) return false;
    start = end;
  }
  return start === sums.length - 1;
}

/** Largest end for which the costs from `start` stay within the limit. */
function lastWithin(sums: Float64Array, start: number, limit: number): number {
  let low = start;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (sums[middle] - sums[start] <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Each part as long as the limit lets it be, but leaving a layer for each that follows. */
function fillUp(sums: Float64Array, parts: number, limit: number): Int32Array {
  const starts = new Int32Array(parts);
  for (let part = 1; part < parts; part += 1) {
    const leave = sums.length - 1 - (parts - part);
    starts[part] = Math.min(lastWithin(sums, starts[part - 1], limit), leave);
  }
  return starts;
}

/**
 * Least sum of squares among the cuts whose parts stay within the limit. Row k holds the best for k parts of each prefix. A convex
 * cost of sums has monotone best last cuts, within the window that the limit allows, so each row is solved by halving
 * (divide and conquer optimisation of dynamic programs).
 */
function mostEven(sums: Float64Array, coarse: Float64Array, parts: number, limit: number): Int32Array {
  const count = sums.length - 1;
  // Earliest start of a part that ends at i.
  const earliest = new Int32Array(count + 1);
  for (let i = 1, j = 0; i <= count; i += 1) {
    while (sums[i] - sums[j] > limit) j += 1;
    earliest[i] = j;
  }
  let before = new Float64Array(count + 1);
  let row = new Float64Array(count + 1);
  const cut = new Int32Array((parts + 1) * (count + 1));
  // Prefixes that the row before can cut: from `parts of it` to `reach`.
  let reach = 0;
  for (let part = 1; part <= parts; part += 1) {
    const previous = reach;
    reach = lastWithin(sums, previous, limit);
    const base = part * (count + 1);
    const solve = (low: number, high: number, from: number, to: number): void => {
      if (low > high) return;
      const end = (low + high) >>> 1;
      const first = Math.max(from, earliest[end], part - 1);
      const last = Math.min(to, end - 1, previous);
      let best = Infinity;
      let at = first;
      for (let start = first; start <= last; start += 1) {
        const size = coarse[end] - coarse[start];
        const value = before[start] + size * size;
        if (value < best) {
          best = value;
          at = start;
        }
      }
      row[end] = best;
      cut[base + end] = at;
      solve(low, end - 1, from, at);
      solve(end + 1, high, at, to);
    };
    solve(part, reach, 0, count);
    [before, row] = [row, before];
  }
  const starts = new Int32Array(parts);
  for (let part = parts, end = count; part >= 1; part -= 1) {
    end = cut[part * (count + 1) + end];
    starts[part - 1] = end;
  }
  return starts;
}

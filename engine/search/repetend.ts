import { type Layout, layoutOf } from './layout.ts';
import { latestStarts } from './latest.ts';
import type { Found } from './run.ts';
import { makespanOf, timingFor } from './timing.ts';

/** Microbatches of the pattern that is repeated, at most. */
export const longestRepetend = 8;

/**
 * Microbatches of smaller problems to solve, with the lengths of the patterns that each may repeat. None if the problem is hardly
 * larger. Lin et al., "Tessel: Boosting Distributed Execution of Large DNN Models via Flexible Schedule Search" (2024), call such a
 * pattern a repetend. `held`: microbatches that a device may hold.
 */
export function smallerCounts(microbatches: number, devices: number, held: number): ReadonlyMap<number, number[]> {
  const least = Math.ceil(Math.max(devices + 2, 10, 2 * Math.min(held, 2 * devices) + 2));
  const counts = new Map<number, number[]>();
  if (microbatches < 2.5 * least) return counts;
  for (let length = 1; length <= longestRepetend; length += 1) {
    const count = least + ((microbatches - least) % length);
    if (count + length > microbatches) continue;
    counts.set(count, [...(counts.get(count) ?? []), length]);
  }
  return counts;
}

/** Keys of the large problem: the instants of the small problem's order, with `length` of its microbatches repeated. */
export function* extendedKeys(
  layout: Layout,
  { words }: Found,
  count: number,
  length: number,
  keys: Float64Array,
): Generator<void, void> {
  const { problem, local, ticks, codes } = layout;
  const { microbatches } = problem;
  const small = layoutOf({ ...problem, microbatches: count });
  const timing = timingFor(small);
  const latest = new Float64Array(codes * count);
  latestStarts(small, timing, makespanOf(small, words, timing), latest);
  const more = microbatches - count;
  for (const part of [0.3, 0.5, 0.7])
    for (const late of [false, true]) {
      const from = Math.max(0, Math.min(count - length - 1, Math.floor(count * part - length / 2)));
      const startOf = (code: number, microbatch: number): number =>
        late ? latest[code * count + microbatch] : timing.end[code * count + microbatch] - ticks[code];
      const period =
        local.reduce((sum, code) => sum + startOf(code, from + length) - startOf(code, from), 0) / local.length;
      for (const code of local)
        for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
          const turn = Math.floor((Math.min(microbatch, from + more) - from) / length);
          const repeated = microbatch < from ? 0 : microbatch < from + more ? turn : more / length;
          keys[code * microbatches + microbatch] = startOf(code, microbatch - repeated * length) + repeated * period;
        }
      yield;
    }
}

import type { Layout } from './layout.ts';
import type { Timing } from './timing.ts';

/**
 * Ticks at which each operation may start at the latest with the words that were timed last, if everything must end by `until`;
 * by code · m + microbatch.
 */
export function latestStarts(layout: Layout, timing: Timing, until: number, into: Float64Array): void {
  const { problem, ticks, device: deviceOf, delay, feeding, offsets } = layout;
  const { microbatches, step } = problem;
  const { operation, sequence } = timing;
  for (let index = sequence.length - 1; index >= 0; index -= 1) {
    const at = sequence[index];
    const op = operation[at];
    const code = Math.floor(op / microbatches);
    const microbatch = op - code * microbatches;
    const device = deviceOf[code];
    let end = at + 1 < offsets[device + 1] ? into[operation[at + 1]] : until - step[device];
    for (let place = 2 * code; place < 2 * code + 2; place += 1) {
      const next = feeding[place];
      if (next >= 0) end = Math.min(end, into[next * microbatches + microbatch] - delay[next]);
    }
    into[op] = end - ticks[code];
  }
}

import type { PairedReport } from '../values/report.ts';
import { percentile } from '../order/jitter.ts';

/** Iterations that differ by less than this share are equal: they differ by rounding. */
const rounding = 1e-9;

/**
 * How sure it is that one pipeline is faster than another. Both are seconds of the iteration, by draw: random times are the same in the
 * same draw. Undefined if one of them is certain.
 */
export function pairedDraws(draws: Float64Array, others: Float64Array): PairedReport | undefined {
  const count = Math.min(draws.length, others.length);
  if (count < 2) return undefined;
  const gains = Float64Array.from({ length: count }, (_, draw) => 1 - draws[draw] / others[draw]).sort();
  return {
    draws: count,
    faster: gains.reduce((faster, gain) => faster + (gain > rounding ? 1 : 0), 0) / count,
    gain: { p5: percentile(gains, 0.05), p50: percentile(gains, 0.5), p95: percentile(gains, 0.95) },
  };
}

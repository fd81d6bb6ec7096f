import { percentile } from '../order/jitter.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { JitterReport } from '../values/report.ts';
import { iterationsUnderJitter } from '../simulate/draws.ts';
import type { Timeline } from '../values/timeline.ts';

/** Intervals of equal length that draws are counted in. */
const intervals = 32;

/**
 * Seconds of the iteration, by draw; undefined if the pipeline has no `jitter`, or if its iterations run into each other. Times that are
 * certain have one draw: `iteration`, in seconds.
 */
export function jitterDraws(plan: PipelinePlan, timeline: Timeline, iteration: number): Float64Array | undefined {
  const isOpen = timeline.program.weights !== undefined || timeline.timing.exchange?.rule.barrier === false;
  if (plan.jitter === undefined || isOpen) return undefined;
  const isCertain = plan.jitter.every((share) => share === 0);
  return isCertain ? Float64Array.of(iteration) : iterationsUnderJitter(plan, timeline);
}

/** How the iteration varies over draws. */
export function jitterReport(draws: Float64Array): JitterReport {
  const sorted = draws.toSorted();
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  return {
    draws: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    least,
    most,
    ...(most > least ? { counts: countsOf(sorted) } : {}),
  };
}

/** Draws in equal intervals from the shortest iteration to the longest. */
function countsOf(sorted: Float64Array): readonly number[] {
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const counts = new Array<number>(intervals).fill(0);
  for (const value of sorted)
    counts[Math.min(intervals - 1, Math.floor(((value - least) / (most - least)) * intervals))] += 1;
  return counts;
}

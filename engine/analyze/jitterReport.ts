import { percentile } from '../order/jitter.ts';
import type { PipelinePlan } from '../plan.ts';
import type { JitterReport } from '../report.ts';
import { iterationsUnderJitter } from '../simulate/draws.ts';
import type { Timeline } from '../timeline.ts';

/**
 * How the iteration varies; undefined if the times of the plan are certain, or if its iterations run into each other. A percentile is
 * the shortest iteration that this share of the draws does not exceed.
 */
export function jitterReport(plan: PipelinePlan, timeline: Timeline, iteration: number): JitterReport | undefined {
  const isOpen = timeline.program.weights !== undefined || timeline.timing.exchange?.rule.barrier === false;
  if (plan.jitter === undefined || isOpen) return undefined;
  const isCertain = plan.jitter.every((share) => share === 0);
  const iterations = isCertain ? Float64Array.of(iteration) : iterationsUnderJitter(plan, timeline);
  const draws = iterations.length;
  return {
    draws,
    mean: iterations.reduce((sum, value) => sum + value, 0) / draws,
    p50: percentile(iterations, 0.5),
    p95: percentile(iterations, 0.95),
    p99: percentile(iterations, 0.99),
    least: iterations[0],
    most: iterations[draws - 1],
  };
}

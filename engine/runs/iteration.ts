/** How long the iterations of a run take. */
import { mean, median } from './statistics.ts';

/** Seconds of the first start and the last end of a step. */
export type Span = readonly [start: number, end: number];

/** Steps without the first ones, in which libraries start. One step is kept, whatever is left out. */
export const withoutFirst = <Step>(steps: readonly Step[], skip: number): readonly Step[] =>
  steps.slice(Math.min(skip, steps.length - 1));

/**
 * The mean from the first start to the last end where ranks meet between steps. Otherwise steps interlock, and the iteration is the
 * median from step to step.
 */
export function iterationSeconds(steps: readonly Span[]): number {
  const periods = steps.slice(1).map(([start], at) => start - steps[at][0]);
  const interlock = steps.slice(1).some(([start], at) => start < steps[at][1]);
  return interlock ? median(periods) : mean(steps.map(([start, end]) => end - start));
}

/** How much longer a stage may take before it holds up every microbatch. */
import type { PipelinePlan } from '../values/plan.ts';
import type { Timeline } from '../values/timeline.ts';
import { isOfStage, iterationIn, iterationWith, secondsForMicrobatch } from './scaledRuns.ts';

/** Operations of a pipeline whose slack is looked for at most: it takes some ten runs for each stage. */
const mostOperations = 100_000;
/** Share of the iteration that is rounding. */
const rounding = 1e-9;
/** Times of the stage that are tried at most: this often as long. */
const longest = 10_000;
/** Most straight parts of the curve that are followed. */
const mostParts = 40;

/**
 * Seconds by which each microbatch of a stage may take longer, so that the iteration gets longer by no more than these seconds
 * once: pipelines fill through every stage. The period of an asynchronous pipeline gets no longer at all. Operations of the stage
 * take longer in proportion, and the order stays. Undefined if the stage never holds up more than that, as with one microbatch, and for
 * large pipelines.
 *
 * Over the times of a stage the iteration is a maximum of straight lines, so Newton's method from above ends after a few of them.
 */
export function stageSlack(plan: PipelinePlan, timeline: Timeline, stage: number): number | undefined {
  const { program } = timeline;
  if (program.order.length > mostOperations) return undefined;
  const time = secondsForMicrobatch(plan, timeline, stage);
  const base = iterationIn(timeline);
  const once = program.weights === undefined ? 1 : 0;
  /** Seconds by which the iteration gets longer than allowed. */
  const over = (more: number): number => {
    const factor = 1 + more / time;
    const row = (at: number) => (isOfStage(plan, program, stage, at) ? factor : 1);
    return (iterationWith(timeline, { row }) ?? Infinity) - base - once * more;
  };
  if (!(time > 0)) return undefined;
  const none = rounding * base;
  let high = time;
  let excess = over(high);
  while (!(excess > none)) {
    high *= 4;
    if (high > longest * time) return undefined;
    excess = over(high);
  }
  let low = 0;
  for (let part = 0; part < mostParts && excess > none; part += 1) {
    const step = (high - low) * 1e-3;
    const slope = (excess - over(high - step)) / step;
    const next = high - excess / slope;
    // Transfers that queue bend the curve: then the interval is halved.
    const tried = next > low && next < high ? next : (low + high) / 2;
    const there = over(tried);
    if (there > none || tried === next) [high, excess] = [tried, there];
    else low = tried;
  }
  const slack = excess > none ? low : high;
  return slack < rounding * time * mostParts ? 0 : slack;
}

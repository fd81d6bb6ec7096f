import type { OrderProblem } from './orderProblem.ts';

/**
 * The longest span of a device as the end of a pipeline. A device starts with the first forward of its first stage, as soon as that
 * has come down to it, in every order. So its span is its last end less that start, and the longest span is the end of the last
 * step where steps make up for late starts.
 */
export interface SpanProblem {
  readonly problem: OrderProblem;
  /** Ticks that the end of `problem` is above the longest span. */
  readonly above: number;
}

/** The first stages must be on different devices, as in a line, a V or a loop. The steps of the problem are not part of a span. */
export function spanProblem(problem: OrderProblem): SpanProblem {
  const start = firstStarts(problem);
  const above = start.reduce((most, ticks) => Math.max(most, ticks), 0);
  return { problem: { ...problem, step: start.map((ticks) => above - ticks) }, above };
}

/** Ticks at which each device starts its first operation, in every order. */
export function firstStarts({ devices, device, forward, transfer }: OrderProblem): Float64Array {
  const starts = new Float64Array(devices);
  for (let stage = 1; stage < devices; stage += 1)
    starts[device[stage]] = starts[device[stage - 1]] + forward[stage - 1] + transfer[stage - 1];
  return starts;
}

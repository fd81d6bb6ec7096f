import { wholeTicks } from '../order/wholeTicks.ts';
import type { OrderProblem } from './orderProblem.ts';

/** An `OrderProblem` in seconds. */
export type OrderTimes = OrderProblem;

/** A problem in whole ticks, and how many of them are a second. */
export interface TimedProblem {
  readonly problem: OrderProblem;
  readonly perSecond: number;
}

/** The problem of an order whose times are in seconds. */
export function problemOf(times: OrderTimes): TimedProblem {
  const stages = times.device.length;
  const seconds = Float64Array.of(...times.forward, ...times.input, ...times.weight, ...times.step);
  const { duration, transfer, perSecond } = wholeTicks(seconds, times.transfer.slice(), times.microbatches);
  return {
    perSecond,
    problem: {
      ...times,
      forward: duration.subarray(0, stages),
      input: duration.subarray(stages, 2 * stages),
      weight: duration.subarray(2 * stages, 3 * stages),
      step: duration.subarray(3 * stages),
      transfer,
    },
  };
}

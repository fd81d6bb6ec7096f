import { boundSteps } from '../../search/bound.ts';
import { toEnd } from '../../basics/steps.ts';
import type { SearchProblem } from './problem.ts';

/** Operations that a hover waits for: some ten milliseconds. */
const effort = 4e6;

/** Ticks that no order within the limits ends before; at most the makespan of an order that is known. */
export function provenLeast(problem: SearchProblem, makespan: number): number {
  const { devices, microbatches, duration, transfer, step, activation, forWeight, limits } = problem;
  const [forward, input, weight] = duration;
  const orders = {
    ...{ devices, microbatches, transfer, step, activation, forWeight, limit: limits },
    ...{ device: Int32Array.from(forward, (_, device) => device), forward, input, weight },
  };
  return toEnd(boundSteps(orders, makespan, effort)).bound;
}

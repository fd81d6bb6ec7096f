import type { PipelinePlan } from '../plan.ts';
import { boundSteps } from '../search/bound.ts';
import { programProblem } from '../search/programProblem.ts';
import { toEnd } from '../steps.ts';
import { iterationSeconds, type Timeline } from '../timeline.ts';
import { leastStep } from './bound.ts';

/** What is proven of an order that is written down. */
export interface VerifiedOrder {
  /** Seconds of the simulated iteration. */
  readonly iteration: number;
  /** Seconds that no order of these operations is under, within the memory if this order fits; or why there is no such bound. */
  readonly bound: number | { readonly reason: string };
  /** Whether nothing is shorter. */
  readonly optimal: boolean;
}

/** What the rounding of times to ticks may change. */
const rounding = 1e-9;

/**
 * Refutes that any order is shorter, from the times of the simulation alone. `fits`: whether the order fits the memory of its
 * devices; the bound is then for orders that fit. Visits `effort` operations at most.
 */
export function verifyOrder(plan: PipelinePlan, timeline: Timeline, fits: boolean, effort: number): VerifiedOrder {
  const { program, timing } = timeline;
  const iteration = iterationSeconds(timeline);
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const found = programProblem({ plan, program, timing, step, memory: fits });
  if ('reason' in found) return { iteration, bound: found, optimal: false };
  const { bound } = toEnd(boundSteps(found.problem, Math.ceil(iteration * found.perSecond), effort));
  const seconds = Math.min(iteration, bound / found.perSecond);
  return { iteration, bound: seconds, optimal: iteration <= seconds * (1 + rounding) };
}

import type { PipelinePlan, PolicyArgument } from '../values/plan.ts';
import { wordsOf } from '../policies/searched/given.ts';
import { problemOfShape } from '../policies/searched/problem.ts';
import { shapeOf } from '../policies/shape.ts';
import { limitOf, limitWords } from '../policies/zbAuto/limit.ts';
import { boundSteps } from '../search/bound.ts';
import { rounding as bytesRounding } from '../search/bytes.ts';
import type { OrderProblem } from '../search/orderProblem.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import { programProblem } from '../search/programProblem.ts';
import { F, type Program, W, kindOf, stageOf } from '../values/program.ts';
import { toEnd } from '../basics/steps.ts';
import { iterationSeconds, type Timeline } from '../values/timeline.ts';
import { leastStep } from './bound.ts';
import { hasWholeBackwards, searchPlan } from './findOrder.ts';
import { leastIteration } from './leastIteration.ts';
import { boundHolds } from './searchReport.ts';

/** What is proven of an order that is written down. */
export interface VerifiedOrder {
  /** Seconds of the simulated iteration. */
  readonly iteration: number;
  /** Seconds that no order of these operations is under; or why there is no such bound. */
  readonly bound: number | { readonly reason: string };
  /** What those orders are within, in words; undefined if the bound leaves memory out. */
  readonly within?: string;
  /** Whether nothing is shorter. */
  readonly optimal: boolean;
  /** A limit that is given and that this order exceeds, in words. The bound then leaves it out. */
  readonly exceeded?: string;
}

export interface VerifyOptions {
  /** Whether the order fits the memory of its devices. The bound is then for orders that fit. */
  readonly fits: boolean;
  /** What a device may hold, as the argument `limit` of `search`. The bound is then for orders within it. */
  readonly limit?: PolicyArgument;
  /** Operations that the proof may visit. */
  readonly effort: number;
}

/** What the rounding of times to ticks may change. */
const rounding = 1e-9;

/** Refutes that any order is shorter, from the times of the simulation alone. */
export function verifyOrder(
  plan: PipelinePlan,
  timeline: Timeline,
  { fits, limit, effort }: VerifyOptions,
): VerifiedOrder {
  const { program, timing } = timeline;
  const iteration = iterationSeconds(timeline);
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const found = programProblem({ plan, program, timing, step, memory: fits });
  if ('reason' in found) return { iteration, bound: found, optimal: false };
  const limited = limit === undefined ? undefined : limitedProblem(plan, timeline, limit);
  if (limited !== undefined && 'reason' in limited) return { iteration, bound: limited, optimal: false };
  const proven = ({ problem, perSecond }: TimedProblem): number => {
    // Ticks are rounded times: what differs less is equal.
    const upper = Math.ceil(iteration * (1 - rounding) * perSecond);
    const { bound } = toEnd(boundSteps(problem, upper, effort));
    return bound >= upper ? iteration : bound / perSecond;
  };
  const words = limit === undefined ? undefined : limitWords(limitOf({ args: { limit } }));
  const [bound, within] =
    limited?.keeps === true
      ? [Math.max(proven(limited), leastIteration(plan, timeline, false)), words]
      : [proven(found), fits ? limitWords(limitOf({ args: {} })) : undefined];
  const seconds = Math.min(iteration, bound);
  return {
    iteration,
    bound: seconds,
    within,
    optimal: iteration <= seconds * (1 + rounding),
    ...(limited?.keeps === false ? { exceeded: words } : {}),
  };
}

/** The problem of all orders within a limit, and whether this one is among them. */
function limitedProblem(
  plan: PipelinePlan,
  timeline: Timeline,
  limit: PolicyArgument,
): (TimedProblem & { readonly keeps: boolean }) | { readonly reason: string } {
  const { program } = timeline;
  const whole = hasWholeBackwards(program);
  const searched = searchPlan(plan, { limit, ...(whole ? { backward: 'whole' } : { backward: 'split' }) });
  if ('problem' in searched) return { reason: searched.problem };
  const timed = problemOfShape(shapeOf(searched));
  const words = wordsOf(timed.problem, program, whole);
  if (words === undefined) return { reason: 'it has other operations than the orders that the limit is for' };
  if (!boundHolds(plan, timeline, timed)) return { reason: 'its times are not those that the limit is checked with' };
  return { ...timed, keeps: keepsLimit(timed.problem, program) };
}

/** Whether no device ever holds more than its limit. A W without time has no word, but this order may run it late: its bytes count. */
function keepsLimit({ device, activation, forWeight, limit }: OrderProblem, program: Program): boolean {
  for (let row = 0; row < program.devices; row += 1) {
    let held = 0;
    for (let at = program.offsets[row]; at < program.offsets[row + 1]; at += 1) {
      const kind = kindOf(program, program.order[at]);
      const stage = stageOf(program, program.order[at]);
      if (kind === F) held += activation[stage];
      else if (kind === W) held -= forWeight[stage];
      else held += forWeight[stage] - activation[stage];
      if (held > limit[device[stage]] * bytesRounding) return false;
    }
  }
  return true;
}

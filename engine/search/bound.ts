import { leastOf } from './least.ts';
import type { OrderProblem } from './orderProblem.ts';
import { type Refutation, refutationOf } from './refutation.ts';

export interface Bound {
  /** Ticks that no order is under. */
  readonly bound: number;
  /** Operations that were visited to find it. */
  readonly effort: number;
  /** Whether more effort could not raise it: it is the given makespan, or the least tick that is not refuted. */
  readonly closed: boolean;
}

/**
 * Phases of the search, from short refutations to long ones. `rounds`: about how many rounds over all devices a refutation may
 * take. `fine`: ends of the bisection that are closer than this share of the bound count as found.
 */
const phases = [
  { probes: false, rounds: Infinity, fine: 1e-7 },
  { probes: true, rounds: 30, fine: 1e-3 },
  { probes: true, rounds: Infinity, fine: 1e-7 },
] as const;

/**
 * A bound on the makespans of all orders, at most `upper`, the makespan of an order that is known. First what takes no time to
 * find, then whether anything is under `upper`, then bisection, with the rules alone and then with probes. Yields what is proven
 * after each round over the devices, and ends when more than `effort` operations have been visited: what is proven by then holds. More effort goes on
 * from there, and never gives a lower bound.
 */
export function* boundSteps(problem: OrderProblem, upper: number, effort: number): Generator<Bound, Bound> {
  let low = Math.min(upper, leastOf(problem));
  if (low >= upper || !(upper < Infinity)) return { bound: low, effort: 0, closed: low >= upper };
  const round = roundOf(problem);
  if (round > effort) return { bound: low, effort: 0, closed: false };
  const refutation = refutationOf(problem);
  let closed = false;
  for (const { probes, rounds, fine } of phases) {
    let ticks = upper - 1;
    for (let open = upper; low < open;) {
      const until = Math.min(effort, refutation.effort() + rounds * round);
      const refuted = yield* refutes(refutation, ticks, probes, until, low);
      if (refuted === undefined && refutation.effort() >= effort)
        return { bound: low, effort: refutation.effort(), closed: false };
      if (refuted === true) low = ticks + 1;
      else open = ticks;
      closed = open <= low;
      if (open - low <= fine * low) break;
      ticks = low + Math.floor((open - low) / 2);
    }
    if (low >= upper) break;
  }
  return { bound: low, effort: refutation.effort(), closed };
}

/** Undefined where the effort is spent. */
function* refutes(
  refutation: Refutation,
  ticks: number,
  probes: boolean,
  until: number,
  low: number,
): Generator<Bound, boolean | undefined> {
  const steps = refutation.refuteSteps(ticks, probes);
  for (;;) {
    if (refutation.effort() >= until) return undefined;
    const step = steps.next();
    if (step.done === true) return step.value;
    yield { bound: low, effort: refutation.effort(), closed: false };
  }
}

/** About what one round of a refutation visits. */
function roundOf({ microbatches, device, devices, weight }: OrderProblem): number {
  const operations = new Float64Array(devices);
  device.forEach((on, stage) => {
    operations[on] += (weight[stage] > 0 ? 3 : 2) * microbatches;
  });
  return operations.reduce((sum, count) => sum + 8 * count * count, 0);
}

/** How a search of an order gets on: what its best order takes, and what is proven, over the work that it has done. */
import type { PipelinePlan } from '../values/plan.ts';
import type { Shape } from '../policies/policy.ts';
import type { GivenOrder } from '../policies/searched/given.ts';
import { searchedProgram } from '../schedule/generate.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import type { Found } from '../search/run.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { iterationSeconds } from '../values/timeline.ts';
import { leastIteration } from './leastIteration.ts';
import { boundHolds } from './searchReport.ts';

/** From here on, until the next point. */
export interface OrderPoint {
  /** Operations that the search and its bound have visited, in units of 20 million. */
  readonly work: number;
  /** Seconds of the best order, simulated, and seconds that no order is under. */
  readonly iteration: number;
  readonly bound: number;
}

export interface OrderProgress {
  /** In the order of their work. The last one is of `order`. */
  readonly points: readonly OrderPoint[];
  readonly order: GivenOrder;
}

export interface OrderCurve {
  /** What is known with this order, or with this bound; undefined before an order runs. */
  add(found: Found): OrderProgress | undefined;
  /** The same for figures of a report. */
  end(found: Found, iteration: number, bound: number): OrderProgress;
}

/** Times that differ by less are equal. */
const rounding = 1e-9;
/** More points could not be seen. */
const mostPoints = 256;

/** `plan`: with `search` as its schedule. */
export function orderCurve(plan: PipelinePlan, shape: Shape, timed: TimedProblem): OrderCurve {
  let points: OrderPoint[] = [];
  let last: Found | undefined;
  let iteration = Infinity;
  let proven = 0;
  let holds: boolean | undefined;

  function take(found: Found): void {
    if (last === undefined || found.makespan !== last.makespan) {
      const timeline = simulatedOrder(plan, shape, timed, found);
      if (timeline !== undefined) {
        iteration = iterationSeconds(timeline);
        if (holds === undefined) {
          holds = boundHolds(plan, timeline, timed);
          proven = leastIteration(plan, timeline, false);
        }
      }
    }
    last = found;
    if (holds === true) proven = Math.max(proven, found.bound / timed.perSecond);
  }

  function push(work: number, seconds: number, bound: number): void {
    if (points.length >= mostPoints) points = points.filter((_, index) => index === 0 || index % 2 === 1);
    points.push({ work, iteration: seconds, bound: bound >= seconds * (1 - rounding) ? seconds : bound });
  }

  const progress = ({ words, bound, spanBound, effort, work, by, risk }: Found): OrderProgress => ({
    points: [...points],
    // Answers hand their arrays over.
    order: { words: words.slice(), bound, spanBound, effort, work, by, ...(risk === undefined ? {} : { risk }) },
  });

  return {
    add(found) {
      take(found);
      if (iteration === Infinity) return undefined;
      push(found.work, iteration, proven);
      return progress(found);
    },
    end(found, seconds, bound) {
      proven = Math.max(proven, bound);
      push(found.work, seconds, proven);
      return progress(found);
    },
  };
}

function simulatedOrder(plan: PipelinePlan, shape: Shape, { problem }: TimedProblem, { words }: Found) {
  const program = searchedProgram(plan, shape, problem, words);
  return simulate(program, timingOf(plan, program));
}

import { toEnd } from '../../basics/steps.ts';
import { listKey } from '../answers.ts';
import { answersWithin } from '../answers.ts';
import { layoutOf } from '../../search/layout.ts';
import type { OrderProblem } from '../../search/orderProblem.ts';
import type { TimedProblem } from '../../search/problemOf.ts';
import { type Found, isMoreEven } from '../../search/run.ts';
import { evenestSteps, searchSteps, seedOfProblem } from '../../search/search.ts';
import type { Shape } from '../policy.ts';
import { effortOf, objectiveOf, problemOfShape, randomTimes } from './problem.ts';
import { seedsOf } from './seeds.ts';

/** The order that was found for a shape. */
export interface SearchAnswer extends Found, TimedProblem {
  /** Of the generator. */
  readonly seed: number;
}

/** Orders that were found, by problem: an edit that does not touch the pipeline searches no further. */
const found = answersWithin<Found>(2 ** 26, ({ words }) => words.length);
const known = new WeakMap<Shape, SearchAnswer>();

/** All that an order depends on. */
function keyOf(problem: OrderProblem, shape: Shape): string {
  const { args } = shape;
  const { devices, microbatches, device, forward, input, weight, transfer, step, activation, forWeight, limit } =
    problem;
  const lists: ArrayLike<number>[] = [device, forward, input, weight, transfer, step, activation, forWeight, limit];
  const { jitter = [], slow = [] } = randomTimes(shape) ?? {};
  lists.push(jitter, slow);
  return [objectiveOf(args), effortOf(args), devices, microbatches, ...lists.map(listKey)].join(';');
}

/** Finds the order of a shape, with pauses. What was found before is not searched again. */
export function* answerSteps(shape: Shape): Generator<void, SearchAnswer> {
  const before = known.get(shape);
  if (before !== undefined) return before;
  const timed = problemOfShape(shape);
  const seed = seedOfProblem(timed.problem);
  const key = keyOf(timed.problem, shape);
  const answer = found.known(key) ?? (yield* quietly(foundSteps(shape, timed.problem, seed, effortOf(shape.args))));
  found.keep(key, answer);
  return answerTo(shape, answer);
}

/** From now on the answer of this shape is an order that is known from elsewhere. Other shapes do not have it. */
export function answerTo(shape: Shape, order: Found): SearchAnswer {
  const timed = problemOfShape(shape);
  const answer = { ...order, ...timed, seed: seedOfProblem(timed.problem) };
  known.set(shape, answer);
  return answer;
}

/** Searches from the orders of other policies on. Yields each better order, and nothing at a pause. */
export function* foundSteps(
  shape: Shape,
  problem: OrderProblem,
  seed: number,
  effort: number,
): Generator<Found | undefined, Found> {
  const objective = objectiveOf(shape.args);
  const seeds = seedsOf(shape, layoutOf(problem), objective);
  yield undefined;
  const random = randomTimes(shape);
  const order = yield* searchSteps(problem, {
    ...{ seeds, objective, effort, seed },
    ...(random === undefined ? {} : { random }),
  });
  if (objective === 'end' || order.span <= order.spanBound) return order;
  // A search for the end may come upon a shorter span: it goes the same way here.
  const ends = seedsOf(shape, layoutOf(problem), 'end');
  const even = yield* evenestSteps(problem, { seeds: ends, effort, seed });
  if (even === undefined || !isMoreEven(even, order)) return order;
  const { bound, spanBound, effort: spent, work } = order;
  return { ...even, bound, spanBound, effort: spent, work: work + even.work };
}

function* quietly(steps: Generator<unknown, Found>): Generator<void, Found> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
  }
}

export const answerOf = (shape: Shape): SearchAnswer => toEnd(answerSteps(shape));

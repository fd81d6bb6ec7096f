import type { PipelinePlan } from '../values/plan.ts';
import { objectiveOf } from '../policies/searched/problem.ts';
import { limitOf, limitWords } from '../policies/zbAuto/limit.ts';
import { searchesWholeBackwards } from './findOrder.ts';
import { bytesLiteral, count, shareAtMost, time, timeAtLeast } from '../basics/quantities.ts';

/** What is known of an order that a search has found. */
export interface KeptOrder {
  /** Seconds of the simulated iteration, and seconds that no order within the limit is under. */
  readonly iteration: number;
  readonly bound: number;
  /** The same for the longest span of a device; only if that is the objective. */
  readonly span?: number;
  readonly spanBound?: number;
  /** How long the search took and its seed, so that it can be run again: `effort 4`. */
  readonly effort: string;
  readonly seed: number;
}

/** What the rounding of times to ticks may change. */
const rounding = 1e-9;

/** Lines above an order that is kept as rows: what it is, what is proven and within which limit, and how it was found. `plan`: with `search` as its schedule. */
export function orderComment(plan: PipelinePlan, order: KeptOrder): readonly string[] {
  const { iteration, bound, span = iteration, spanBound = 0, effort, seed } = order;
  const { schedule, name, microbatches } = plan;
  const args = schedule.kind === 'policy' ? schedule.args : {};
  const limit = limitOf({ args });
  const within = limitWords(limit);
  const of = `found for ${name} with ${count(microbatches, 'microbatch', 'microbatches')}`;
  const isSpan = objectiveOf(args) === 'span';
  const orders = `${searchesWholeBackwards(plan) ? 'order with whole backwards' : 'order'} within ${within}`;
  const found = ((): string => {
    if (isSpan) return `The order with the shortest span ${of}: ${time(span)}. It ends after ${time(iteration)}.`;
    if (args['prefer'] === 'p95') return `The order with the least p95 ${of}. It takes ${time(iteration)}.`;
    return `The shortest order ${of}: ${time(iteration)}.`;
  })();
  const options = [
    effort,
    `seed ${seed}`,
    ...(limit.kind === 'device' ? [] : [`limit ${limit.kind === 'bytes' ? bytesLiteral(limit.amount) : limit.amount}`]),
  ];
  return [
    found,
    isSpan
      ? proofWords(span, spanBound, orders, 'has a shorter one')
      : proofWords(iteration, bound, orders, 'is shorter'),
    `Search: ${options.join(', ')}.`,
  ];
}

/** How short another order could be: a sentence. `of`: the orders that the bound is for. Seconds; a bound of 0 says nothing. */
export function proofWords(now: number, bound: number, of: string, isShorter: string): string {
  if (!(bound > 0))
    return 'How short another order could be is not proven: the simulation takes other times than the search assumed.';
  return now <= bound * (1 + rounding)
    ? `It is proven that no ${of} ${isShorter}.`
    : `No ${of} is under ${timeAtLeast(bound)}, so any other is at most ${shareAtMost(1 - bound / now)} shorter.`;
}

import { fitsAll } from '../../search/bytes.ts';
import { type Layout, layoutOf, type Words } from '../../search/layout.ts';
import type { OrderProblem } from '../../search/orderProblem.ts';
import type { Risk } from '../../search/risk.ts';
import type { Found } from '../../search/run.ts';
import { makespanOf, spanOf, timingFor } from '../../search/timing.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { RiskReport, SearchReport } from '../../values/searchReport.ts';
import { F, kindOf, type Program, stageOf, W } from '../../values/program.ts';
import { shapeOf } from '../shape.ts';
import { answerTo } from './answers.ts';
import { isWhole, problemOfShape } from './problem.ts';

/** An order that a search has found for a plan, as one thread or process hands it to another. */
export type GivenOrder = Omit<Found, 'makespan' | 'span'>;

/**
 * Takes an order as the answer of the search for this plan, which must have `search` as its schedule. False if it cannot be one:
 * then the plan is searched as usual. The bounds are taken as they are, up to the makespan and the span, which are computed anew.
 */
export function giveOrder(plan: PipelinePlan, order: GivenOrder): boolean {
  const shape = shapeOf(plan);
  const { problem } = problemOfShape(shape);
  const layout = layoutOf(problem);
  if (!isComplete(layout, order.words) || !fitsAll(layout, order.words)) return false;
  const timing = timingFor(layout);
  const makespan = makespanOf(layout, order.words, timing);
  if (!(makespan < Infinity) || !(order.bound >= 0) || !(order.spanBound >= 0)) return false;
  const span = spanOf(layout, timing);
  const [bound, spanBound] = [Math.min(order.bound, makespan), Math.min(order.spanBound, span)];
  answerTo(shape, { ...order, makespan, span, bound, spanBound });
  return true;
}

/** Whether each device has each of its codes once for each microbatch. */
function isComplete({ problem, local, first, offsets }: Layout, words: Words): boolean {
  if (words.length !== offsets[problem.devices]) return false;
  const counts = new Int32Array(local.length);
  for (let device = 0; device < problem.devices; device += 1)
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      const place = first[device] + words[at];
      if (place >= first[device + 1]) return false;
      counts[place] += 1;
    }
  return counts.every((count) => count === problem.microbatches);
}

/** The order of a plan with `search` as its schedule, and what its report proved. */
export function givenOrder(
  plan: PipelinePlan,
  program: Program,
  search: Pick<SearchReport, 'bound' | 'effort' | 'by' | 'span' | 'p95'>,
): GivenOrder | undefined {
  const shape = shapeOf(plan);
  const { problem, perSecond } = problemOfShape(shape);
  const words = wordsOf(problem, program, isWhole(shape.args));
  if (words === undefined) return undefined;
  // A bound of the search is in whole ticks. One from elsewhere is found anew by whoever reports this order.
  const ticksOf = (seconds: number): number => {
    const ticks = Math.round(seconds * perSecond);
    return Math.max(0, ticks / perSecond === seconds ? ticks : ticks - 1);
  };
  const [bound, spanBound] = [ticksOf(search.bound), ticksOf(search.span?.bound ?? 0)];
  const { effort, by, p95 } = search;
  return {
    words,
    bound,
    spanBound,
    effort,
    work: effort,
    by,
    ...(p95 === undefined ? {} : { risk: riskOf(p95, perSecond) }),
  };
}

const riskOf = (
  { p95, shortest, shortest_p95: ofShortest, orders, draws, slow }: RiskReport,
  perSecond: number,
): Risk => ({
  ...{ p95: p95 * perSecond, orders, draws, isSlowed: slow === true },
  shortest: { makespan: shortest * perSecond, p95: ofShortest * perSecond },
});

/** The words of a program; undefined if it has other operations than a search orders. */
export function wordsOf(problem: OrderProblem, program: Program, whole: boolean): Words | undefined {
  const { stages, local, first, indexOf, offsets } = layoutOf(problem);
  const words = new Uint8Array(offsets[problem.devices]);
  for (let device = 0; device < problem.devices; device += 1) {
    const row = program.placement[local[first[device]] % stages];
    let to = offsets[device];
    for (let at = program.offsets[row]; at < program.offsets[row + 1]; at += 1) {
      const kind = kindOf(program, program.order[at]);
      const stage = stageOf(program, program.order[at]);
      if (problem.device[stage] !== device || kind > W) return undefined;
      // A weight gradient that takes no time follows its input gradient, and has no word.
      if (kind === W && (whole || problem.weight[stage] === 0)) continue;
      if (to === offsets[device + 1]) return undefined;
      words[to] = indexOf[(kind === F ? 0 : kind === W ? 2 : 1) * stages + stage];
      to += 1;
    }
    if (to < offsets[device + 1]) return undefined;
  }
  return words;
}

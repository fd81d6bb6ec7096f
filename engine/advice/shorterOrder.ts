/** A shorter order of a pipeline's operations. It takes a second to find, so an editor looks for it once its check is done. */
import { gapOf } from '../analyze/expectations.ts';
import { hasWholeBackwards, searchesWholeBackwards, searchPlan } from '../analyze/findOrder.ts';
import { orderComment } from '../analyze/orderComment.ts';
import { orderCurve, type OrderProgress } from '../analyze/orderCurve.ts';
import { simulated } from '../flow/evaluate.ts';
import { type Evaluation, planKey } from '../schedule/evaluation.ts';
import { finding, type Finding } from '../findings/finding.ts';
import { placeOf } from '../flow/check.ts';
import { type Places, paths, type PipelinePlan } from '../values/plan.ts';
import { answerTo, foundSteps } from '../policies/searched/answers.ts';
import { giveOrder } from '../policies/searched/given.ts';
import { objectiveOf, problemOfShape } from '../policies/searched/problem.ts';
import { shapeOf } from '../policies/shape.ts';
import type { Program } from '../values/program.ts';
import type { PipelineReport } from '../values/report.ts';
import type { SearchReport } from '../values/searchReport.ts';
import { count } from '../basics/quantities.ts';
import { scheduleText } from '../schedule/rowsText.ts';
import { seedOfProblem } from '../search/search.ts';
import { advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import type { Search } from '../basics/searches.ts';

export interface OrderQuestion {
  /** The plan with `search` as its schedule. */
  readonly plan: PipelinePlan;
  /** Seconds of the order that the file has, and the bytes of its fullest device. */
  readonly iteration: number;
  readonly peak: number;
}

/** An order that fits the memory of every device. */
export interface ShorterOrder {
  readonly iteration: number;
  readonly peak: number;
  /** Seconds that no order of these operations is under. */
  readonly bound: number;
  /** A schedule of rows that runs it. */
  readonly text: string;
}

export interface OrderAnswer {
  /** Shorter than the file's by at least `leastSaved`. */
  readonly found?: ShorterOrder;
  /** Shorter than the file's, however little. */
  readonly shorter?: ShorterOrder;
  /** How the search went; absent where its order does not run. */
  readonly search?: OrderProgress & Pick<SearchReport, 'status'> & { readonly fits: boolean; readonly stopped?: true };
}

/** Less of the iteration is not worth an edit that nobody asked for. */
const leastSaved = 0.01;
/** Times that differ by less are equal. */
const rounding = 1e-9;
/** Operations of a pipeline that an editor searches. */
const mostOperations = 20_000;

export const shorterOrder: Search<OrderQuestion, OrderAnswer, OrderProgress> = {
  name: 'shorter-order',
  // Always in a thread.
  size: () => Infinity,
  key: ({ plan, iteration }) => `${iteration} ${planKey(plan)}`,
  steps: (question) => advisedSteps(orderAdvice, question),
};

export const orderAdvice: SlowAdvice<[OrderQuestion], OrderProgress | undefined, OrderAnswer> = {
  name: 'shorter order',
  *steps({ plan, iteration }) {
    const shape = shapeOf(plan);
    const timed = problemOfShape(shape);
    const curve = orderCurve(plan, shape, timed);
    const steps = foundSteps(shape, timed.problem, seedOfProblem(timed.problem), effortOf(plan));
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield step.value === undefined ? undefined : curve.add(step.value);
    answerTo(shape, step.value);
    yield;
    const effort = `effort ${effortOf(plan)}`;
    return answerFor({ plan, iteration }, (seconds, bound) => curve.end(step.value, seconds, bound), effort);
  },
  otherwise: {},
};

/** What a search that was stopped had come to, by the last that it said. Simulates the order once. */
export function stoppedOrder({ plan, iteration }: OrderQuestion, progress: OrderProgress): OrderAnswer {
  if (!giveOrder(plan, progress.order)) return {};
  const work = Number(progress.order.work.toPrecision(2));
  const answer = answerFor({ plan, iteration }, () => progress, `stopped after ${work} of effort ${effortOf(plan)}`);
  return answer.search === undefined ? answer : { ...answer, search: { ...answer.search, stopped: true } };
}

/** `progress`: with the seconds of the order and of its bound. `effort`: of the search, in words. */
function answerFor(
  { plan, iteration }: Pick<OrderQuestion, 'plan' | 'iteration'>,
  progress: (seconds: number, bound: number) => OrderProgress,
  effort: string,
): OrderAnswer {
  const result = simulated(plan);
  if (!('run' in result)) return {};
  const { program, report } = result.run;
  if (report.search === undefined) return {};
  const { bound, seed, status } = report.search;
  const fits = report.devices.every(({ peak, capacity }) => peak <= capacity);
  const search = { ...progress(report.iteration, bound), status, fits };
  if (!fits || report.iteration >= iteration * (1 - rounding)) return { search };
  const comment = orderComment(plan, { iteration: report.iteration, bound, effort, seed });
  const text = scheduleText(program, orderName(plan), comment);
  if (text === undefined) return { search };
  const shorter = { iteration: report.iteration, peak: peakOf(report), bound, text };
  return { search, shorter, ...(report.iteration > iteration * (1 - leastSaved) ? {} : { found: shorter }) };
}

const effortOf = ({ schedule }: PipelinePlan): number =>
  schedule.kind === 'policy' ? Number(schedule.args['effort'] ?? 1) : 0;

/** Name of the schedule in the text of an answer. */
const orderName = ({ name }: Pick<PipelinePlan, 'name'>): string => `${name}_order`;

/** What to search for a pipeline unasked; undefined if the bound leaves nothing to save, or if orders cannot be searched. */
export function orderQuestion(pipeline: Evaluation, effort: number): OrderQuestion | undefined {
  const { plan, run } = pipeline;
  if (run === undefined || !(effort > 0) || isSearched(plan)) return undefined;
  if (1 / (1 + gapOf(run.report)) > 1 - leastSaved) return undefined;
  const asked = askedOrder(pipeline, effort);
  return 'reason' in asked ? undefined : asked;
}

/** More is not an argument of `search`. */
export const mostEffort = 1_000;

/** Effort of a search that a reader asks for. `usual`: of searches that nobody asks for; 0 for none. */
export function askedEffort(plan: PipelinePlan, usual: number, times: number): number {
  const least = isSearched(plan) ? Math.max(1, effortOf(plan)) : Math.max(1, usual);
  return Math.min(mostEffort, Math.max(1, Math.round(least * times)));
}

const isSearched = ({ schedule }: PipelinePlan): boolean => schedule.kind === 'policy' && schedule.name === 'search';

/** The same for a reader who asks for it, or why there is nothing to search: a clause after "because". */
export function askedOrder({ plan, run }: Evaluation, effort: number): OrderQuestion | { readonly reason: string } {
  if (run === undefined) return { reason: 'the pipeline does not run' };
  const { program, report } = run;
  const reason = reasonAgainst(plan, program, report);
  if (reason !== undefined) return { reason };
  const searched = searchPlan(plan);
  if ('problem' in searched) return { reason: searched.problem };
  if (searched.schedule.kind !== 'policy') return { reason: 'its orders are not searched' };
  if (objectiveOf(searched.schedule.args) === 'span')
    return { reason: 'its search shortens the longest span of a device, not the iteration' };
  if (searched.schedule.args['prefer'] === 'p95')
    return { reason: 'its search prefers a short p95 to a short iteration' };
  const whole = !isSearched(plan) && hasWholeBackwards(program);
  const args = { ...searched.schedule.args, effort, ...(whole ? { backward: 'whole' } : {}) };
  return {
    plan: { ...searched, schedule: { ...searched.schedule, args } },
    iteration: report.iteration,
    peak: peakOf(report),
  };
}

/** Rows run operations one after the other: some programs do more. */
function reasonAgainst(plan: PipelinePlan, program: Program, report: PipelineReport): string | undefined {
  if (report.operations > mostOperations)
    return `it has ${count(report.operations, 'operation', 'operations')}, and at most ${count(mostOperations, 'is', 'are')} searched`;
  if (program.forwardOnly === true) return 'nothing runs backwards';
  if (report.asynchronous !== undefined) return 'its schedule has no flush';
  if (program.fused !== undefined || (program.overlap ?? 0) > 0) return 'its operations share slots';
  if (program.copies !== undefined) return 'its stages have copies or segments';
  if (program.apart !== undefined) return 'recomputation is a separate operation in it';
  if (program.partner !== undefined) return 'its devices keep activations for each other';
  return plan.lengths === undefined ? undefined : 'its microbatches have different lengths';
}

const peakOf = ({ devices }: PipelineReport): number => devices.reduce((most, { peak }) => Math.max(most, peak), 0);

/** `schedule/shorter-order`, at the schedule of the pipeline. */
export function shorterOrderFinding(
  { plan, iteration, peak }: OrderQuestion,
  found: ShorterOrder,
  places: Places,
): Finding | undefined {
  const { name } = plan;
  const place = placeOf(paths.key(name, 'schedule'), places);
  if (place === undefined) return undefined;
  const { iteration: shorter, bound, text, peak: peakAfter } = found;
  return finding(
    'schedule/shorter-order',
    place,
    { iteration, shorter, bound, peak, peakAfter, ...(searchesWholeBackwards(plan) ? { whole: true } : {}) },
    { hint: { kind: 'order', pipeline: name, text } },
  );
}

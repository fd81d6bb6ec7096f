import type { PipelinePlan } from '../values/plan.ts';
import { answerOf, type SearchAnswer } from '../policies/searched/answers.ts';
import { objectiveOf } from '../policies/searched/problem.ts';
import { shapeOf } from '../policies/shape.ts';
import { limitOf } from '../policies/zbAuto/limit.ts';
import type { RiskReport, SearchReport, SpanReport } from '../values/searchReport.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import { programProblem } from '../search/programProblem.ts';
import type { Risk } from '../search/risk.ts';
import { firstStarts } from '../search/spans.ts';
import { iterationSeconds, type Timeline, type Timing } from '../values/timeline.ts';
import { leastStep } from './bound.ts';

/** What the rounding of times to ticks may change. */
const rounding = 1e-9;

/**
 * The certificate of a searched order; undefined for other schedules. `least`: seconds that no order of the operations is under, by
 * the report. The bound of the search knows the limit that it was given, too; it is used if the simulation cannot be faster than
 * what the search assumed.
 */
export function searchReport(plan: PipelinePlan, timeline: Timeline, least: () => number): SearchReport | undefined {
  const { schedule } = plan;
  if (schedule.kind !== 'policy' || schedule.name !== 'search') return undefined;
  const answer = answerOf(shapeOf(plan));
  const makespan = iterationSeconds(timeline);
  const bound = Math.max(least(), boundHolds(plan, timeline, answer) ? answer.bound / answer.perSecond : 0);
  const objective = objectiveOf(schedule.args);
  const { status, ...proof } = proofOf(makespan, bound);
  return {
    makespan,
    ...proof,
    effort: answer.effort,
    status,
    ...limitReport(schedule),
    seed: answer.seed >>> 0,
    by: answer.by,
    objective,
    ...(objective === 'span' ? { span: spanReport(plan, timeline, answer) } : {}),
    ...(answer.risk === undefined ? {} : { p95: riskReport(answer.risk, answer.perSecond) }),
  };
}

function limitReport(schedule: Parameters<typeof limitOf>[0]): Pick<SearchReport, 'limit'> {
  const { kind, amount } = limitOf(schedule);
  return kind === 'device' ? {} : { limit: kind === 'bytes' ? { bytes: amount } : { microbatches: amount } };
}

/**
 * A span is at least what its device has to do. The bound of the search holds if the simulation starts each device as early as the search
 * assumed, and is not faster afterwards. Neither a barrier nor an exchange of gradients is part of a span.
 */
function spanReport(plan: PipelinePlan, timeline: Timeline, answer: SearchAnswer): SpanReport {
  const longest = longestSpan(timeline);
  const work = timeline.busy.reduce((most, seconds) => Math.max(most, seconds), 0);
  const holds = spanBoundHolds(plan, timeline, answer);
  return { longest, ...proofOf(longest, Math.max(work, holds ? answer.spanBound / answer.perSecond : 0)) };
}

/** Seconds between the first start and the last end of the device where that is longest. */
export const longestSpan = ({ first, last }: Timeline): number =>
  last.reduce((most, end, device) => Math.max(most, end - first[device]), 0);

/** The same as `boundHolds` for the longest span. */
export function spanBoundHolds(plan: PipelinePlan, timeline: Timeline, searched: TimedProblem): boolean {
  const { first, timing } = timeline;
  const starts = firstStarts(searched.problem);
  const startsInTime = first.every((start, device) => start <= (starts[device] / searched.perSecond) * (1 + rounding));
  return (
    startsInTime && isSlower(plan, timeline, { ...timing, exchange: undefined }, searched, ['forward', 'transfer'])
  );
}

const riskReport = ({ p95, shortest, orders, draws, isSlowed }: Risk, perSecond: number): RiskReport => ({
  p95: p95 / perSecond,
  shortest: shortest.makespan / perSecond,
  shortest_p95: shortest.p95 / perSecond,
  orders,
  draws,
  ...(isSlowed === true ? { slow: true as const } : {}),
});

/** What a bound says of a figure. */
function proofOf(figure: number, least: number): Pick<SpanReport, 'bound' | 'gap' | 'status'> {
  const bound = Math.min(figure, least);
  const isOptimal = figure <= bound * (1 + rounding);
  return {
    bound,
    gap: isOptimal || !(bound > 0) ? 0 : (figure - bound) / bound,
    status: isOptimal ? 'optimal' : 'within',
  };
}

/** Whether the bounds of a search hold for what its orders take when they are simulated. `timeline`: of any of its orders. */
export const boundHolds = (plan: PipelinePlan, timeline: Timeline, searched: TimedProblem): boolean =>
  isSlower(plan, timeline, timeline.timing, searched, ['forward', 'transfer', 'step']);

/** Whether the simulation cannot be faster than what the search assumed: in these times, and in the backwards. */
function isSlower(
  plan: PipelinePlan,
  { program }: Timeline,
  timing: Timing,
  searched: TimedProblem,
  times: readonly ('forward' | 'transfer' | 'step')[],
): boolean {
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const simulated = programProblem({ plan, program, timing, step, memory: false });
  return !('reason' in simulated) && isNoFaster(simulated, searched, times);
}

/** Whether these times and the backwards of a problem take at least as long as in another one. The backward of a stage may be whole in either. */
function isNoFaster(
  program: TimedProblem,
  searched: TimedProblem,
  times: readonly ('forward' | 'transfer' | 'step')[],
): boolean {
  const seconds = ({ problem, perSecond }: TimedProblem, name: 'forward' | 'input' | 'weight' | 'transfer' | 'step') =>
    problem[name].map((ticks) => ticks / perSecond);
  const backward = (of: TimedProblem): Float64Array => {
    const weight = seconds(of, 'weight');
    return seconds(of, 'input').map((input, stage) => input + weight[stage]);
  };
  const covers = (times: Float64Array, others: Float64Array): boolean =>
    times.length === others.length && times.every((time, at) => time >= others[at] * (1 - rounding));
  const isWhole = searched.problem.weight.every((ticks) => ticks === 0);
  return (
    times.every((name) => covers(seconds(program, name), seconds(searched, name))) &&
    covers(backward(program), backward(searched)) &&
    (isWhole || (['input', 'weight'] as const).every((name) => covers(seconds(program, name), seconds(searched, name))))
  );
}

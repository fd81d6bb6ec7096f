import type { PipelinePlan } from '../plan.ts';
import { answerOf } from '../policies/searched/answers.ts';
import { shapeOf } from '../policies/shape.ts';
import type { SearchReport } from '../report.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import { programProblem } from '../search/programProblem.ts';
import { iterationSeconds, type Timeline } from '../timeline.ts';
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
  const holds = boundHolds(plan, timeline, answer);
  const bound = Math.min(makespan, Math.max(least(), holds ? answer.bound / answer.perSecond : 0));
  const isOptimal = makespan <= bound * (1 + rounding);
  return {
    makespan,
    bound,
    gap: isOptimal || !(bound > 0) ? 0 : (makespan - bound) / bound,
    effort: answer.effort,
    status: isOptimal ? 'optimal' : 'within',
    seed: answer.seed >>> 0,
    by: answer.by,
  };
}

/** Whether the bounds of a search hold for what its orders take when they are simulated. `timeline`: of any of its orders. */
export function boundHolds(plan: PipelinePlan, { program, timing }: Timeline, searched: TimedProblem): boolean {
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const simulated = programProblem({ plan, program, timing, step, memory: false });
  return !('reason' in simulated) && isNoFaster(simulated, searched);
}

/** Whether every time of a problem is at least the same time of another one. The backward of a stage may be whole in either. */
function isNoFaster(program: TimedProblem, searched: TimedProblem): boolean {
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
    (['forward', 'transfer', 'step'] as const).every((name) =>
      covers(seconds(program, name), seconds(searched, name)),
    ) &&
    covers(backward(program), backward(searched)) &&
    (isWhole || (['input', 'weight'] as const).every((name) => covers(seconds(program, name), seconds(searched, name))))
  );
}

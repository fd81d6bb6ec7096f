import type { PipelinePlan } from '../plan.ts';
import { answerOf } from '../policies/searched/answers.ts';
import { shapeOf } from '../policies/shape.ts';
import type { SearchReport } from '../report.ts';
import type { OrderProblem } from '../search/orderProblem.ts';
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
  const { program, timing } = timeline;
  const makespan = iterationSeconds(timeline);
  const step = Float64Array.from(plan.devices, (_, device) => leastStep(program, timing, device));
  const simulated = programProblem({ plan, program, timing, step, memory: false });
  const holds = !('reason' in simulated) && isNoFaster(simulated, answer);
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

interface Timed {
  readonly problem: OrderProblem;
  readonly perSecond: number;
}

/** Whether every time of a problem is at least the same time of another one. The backward of a stage may be whole in either. */
function isNoFaster(program: Timed, searched: Timed): boolean {
  const seconds = ({ problem, perSecond }: Timed, name: 'forward' | 'input' | 'weight' | 'transfer' | 'step') =>
    problem[name].map((ticks) => ticks / perSecond);
  const backward = (of: Timed): Float64Array => {
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

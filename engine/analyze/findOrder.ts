import type { PipelinePlan, PolicyArgument } from '../values/plan.ts';
import { linear, loop, wave } from '../policies/placement.ts';
import type { PolicyArguments, Shape } from '../policies/policy.ts';
import { foundSteps } from '../policies/searched/answers.ts';
import { problemOfShape } from '../policies/searched/problem.ts';
import { shapeOf } from '../policies/shape.ts';
import { B, kindOf, type Program } from '../values/program.ts';
import { searchedProgram, searchFaults } from '../schedule/generate.ts';
import { seedOfProblem } from '../search/search.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import type { Found } from '../search/run.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { iterationSeconds } from '../values/timeline.ts';
import { boundHolds, longestSpan, spanBoundHolds } from './searchReport.ts';

/** An order that is shorter than all before it. */
export interface FoundOrder {
  readonly plan: PipelinePlan;
  readonly program: Program;
  /** Seconds of the simulated iteration. */
  readonly iteration: number;
  /** Seconds that no order within the limit is under; 0 if nothing is proven of the simulated times. */
  readonly bound: number;
  /** The same for the longest span of a device, from its first start to its last end. */
  readonly span: number;
  readonly spanBound: number;
  readonly effort: number;
  /** Of the random generator. */
  readonly seed: number;
  readonly by: string;
  /** Only if it was chosen for random times: seconds that 95 of 100 draws do not exceed, and the end of the shortest order. */
  readonly p95?: number;
  readonly shortest?: number;
}

export interface FindOptions {
  /** Operations to visit, in units of 20 million. Infinity: until the caller stops. */
  readonly effort: number;
  readonly seed?: number;
}

/** Whether the backwards of a program are not split: frameworks that cannot split them stay as they are. */
export const hasWholeBackwards = (program: Program): boolean =>
  program.order.some((operation) => kindOf(program, operation) === B);

/** Whether the orders that a plan searches for do not split backwards. */
export const searchesWholeBackwards = ({ schedule }: Pick<PipelinePlan, 'schedule'>): boolean =>
  schedule.kind === 'policy' && schedule.name === 'search' && schedule.args['backward'] === 'whole';

/** The plan with its schedule searched for, or why that cannot be. The arguments of `search` are kept, but for those given here. */
export function searchPlan(
  plan: PipelinePlan,
  given: PolicyArguments = {},
): PipelinePlan | { readonly problem: string } {
  const args = argumentsFor(plan);
  if (args === undefined)
    return { problem: 'the search needs one or two stages on each device, in a line, in a V or in a loop' };
  const searched: PipelinePlan = { ...plan, schedule: { kind: 'policy', name: 'search', args: { ...args, ...given } } };
  if (plan.stages.some(({ copy }) => copy !== undefined)) return { problem: 'its stages have copies or segments' };
  if (plan.iterations > 1) return { problem: 'its iterations follow each other without a flush' };
  const [fault] = searchFaults(searched);
  return fault === undefined ? searched : { problem: fault };
}

function argumentsFor({ schedule, placement, devices }: PipelinePlan): PolicyArguments | undefined {
  if (schedule.kind === 'policy' && schedule.name === 'search') return schedule.args;
  const limit: Readonly<Record<string, PolicyArgument>> =
    schedule.kind === 'policy' && schedule.name === 'zb_auto' && schedule.args['limit'] !== undefined
      ? { limit: schedule.args['limit'] }
      : {};
  const stages = placement.length;
  const is = (other: Int32Array): boolean => other.every((device, stage) => device === placement[stage]);
  if (stages === devices.length && is(linear(stages))) return limit;
  if (stages !== 2 * devices.length) return undefined;
  if (is(wave(stages, devices.length))) return { ...limit, chunks: 2, placement: 'v_shape' };
  return is(loop(stages, devices.length)) ? { ...limit, chunks: 2, placement: 'loop' } : undefined;
}

/** Searches an order for a plan of `searchPlan`. Yields each shorter order, and nothing where the caller may stop or pause. */
export function* findOrder(
  plan: PipelinePlan,
  { effort, seed }: FindOptions,
): Generator<FoundOrder | undefined, FoundOrder> {
  const shape = shapeOf(plan);
  const timed = problemOfShape(shape);
  const generator = seed ?? seedOfProblem(timed.problem);
  const order = (found: Found): FoundOrder => orderOf(plan, shape, found, timed, generator);
  const steps = foundSteps(shape, timed.problem, generator, effort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return order(step.value);
    yield step.value === undefined ? undefined : order(step.value);
  }
}

function orderOf(plan: PipelinePlan, shape: Shape, found: Found, timed: TimedProblem, seed: number): FoundOrder {
  const { problem, perSecond } = timed;
  const program = searchedProgram(plan, shape, problem, found.words);
  const timeline = simulate(program, timingOf(plan, program));
  const { effort, by, risk } = found;
  const about = { plan, program, effort, seed: seed >>> 0, by };
  if (timeline === undefined) return { ...about, iteration: Infinity, bound: 0, span: Infinity, spanBound: 0 };
  const iteration = iterationSeconds(timeline);
  const span = longestSpan(timeline);
  const bound = boundHolds(plan, timeline, timed) ? found.bound / perSecond : 0;
  const spanBound = spanBoundHolds(plan, timeline, timed) ? found.spanBound / perSecond : 0;
  return {
    ...about,
    ...{ iteration, bound: Math.min(iteration, bound), span, spanBound: Math.min(span, spanBound) },
    ...(risk === undefined ? {} : { p95: risk.p95 / perSecond, shortest: risk.shortest.makespan / perSecond }),
  };
}

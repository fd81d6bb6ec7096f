import type { PipelinePlan, PolicyArgument } from '../plan.ts';
import { linear, loop, wave } from '../policies/placement.ts';
import type { PolicyArguments, Shape } from '../policies/policy.ts';
import { foundSteps } from '../policies/searched/answers.ts';
import { problemOfShape } from '../policies/searched/problem.ts';
import { shapeOf } from '../policies/shape.ts';
import type { Program } from '../program.ts';
import { searchedProgram, searchFaults } from '../schedule/generate.ts';
import { seedOfProblem } from '../search/search.ts';
import type { TimedProblem } from '../search/problemOf.ts';
import type { Found } from '../search/run.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { iterationSeconds } from '../timeline.ts';

/** An order that is shorter than all before it. */
export interface FoundOrder {
  readonly plan: PipelinePlan;
  readonly program: Program;
  /** Seconds of the simulated iteration. */
  readonly iteration: number;
  /** Seconds that no order of this problem is under. */
  readonly bound: number;
  readonly effort: number;
  /** Of the random generator. */
  readonly seed: number;
  readonly by: string;
}

export interface FindOptions {
  /** Operations to visit, in units of 20 million. Infinity: until the caller stops. */
  readonly effort: number;
  readonly seed?: number;
}

/** The plan with its schedule searched for, or why that cannot be. The arguments of `search` are kept. */
export function searchPlan(plan: PipelinePlan): PipelinePlan | { readonly problem: string } {
  const args = argumentsFor(plan);
  if (args === undefined)
    return { problem: 'the search needs one or two stages on each device, in a line, in a V or in a loop' };
  const searched: PipelinePlan = { ...plan, schedule: { kind: 'policy', name: 'search', args } };
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

function orderOf(
  plan: PipelinePlan,
  shape: Shape,
  found: Found,
  { problem, perSecond }: TimedProblem,
  seed: number,
): FoundOrder {
  const program = searchedProgram(plan, shape, problem, found.words);
  const timeline = simulate(program, timingOf(plan, program));
  const iteration = timeline === undefined ? Infinity : iterationSeconds(timeline);
  const { bound, effort, by } = found;
  return { plan, program, iteration, bound: Math.min(iteration, bound / perSecond), effort, seed: seed >>> 0, by };
}

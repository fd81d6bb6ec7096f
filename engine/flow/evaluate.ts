/** One pipeline of a plan, simulated: program → timeline → report and findings. The preview's worker runs `simulated`. */
import { type Evaluation, evaluationSize, planKey, type EvaluationProblem, type Run } from '../schedule/evaluation.ts';
import { analyze } from '../analyze/analyze.ts';
import { simulatedRun } from '../analyze/simulatedRun.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { generate, orderSteps } from '../schedule/generate.ts';
import { misplaced, validate } from '../schedule/validate.ts';
import { simulate } from '../simulate/simulate.ts';
import { timingOf } from '../simulate/timing.ts';
import { runSearch, type Search } from '../basics/searches.ts';
import { toEnd } from '../basics/steps.ts';
import type { Program } from '../values/program.ts';
import type { Timeline } from '../values/timeline.ts';

/** Never throws; a plan that cannot run gives findings and no run. */
export function evaluate(plan: PipelinePlan, options: EngineOptions): Evaluation {
  return { plan, options, ...runSearch(evaluation, { plan, options }) };
}

/** The answer is plain data without the problem, so that it can come from another thread. */
export const evaluation: Search<EvaluationProblem, Omit<Evaluation, keyof EvaluationProblem>> = {
  name: 'evaluation',
  large: true,
  size: ({ plan }) => evaluationSize(plan),
  key: ({ plan, ...rest }) => `${planKey(plan)} ${JSON.stringify(rest)}`,
  *steps(problem) {
    const { plan } = problem;
    const simulated = yield* timelineSteps(plan);
    if ('faults' in simulated) return { findings: simulated.faults };
    yield;
    return yield* analyze(problem, simulated.timeline);
  },
};

/**
 * The figures of a plan without findings on them, or why it cannot run. For pictures: some findings simulate other schedules,
 * which takes longer than the figures.
 */
export function simulated(plan: PipelinePlan): { readonly run: Run } | { readonly faults: readonly PlanFinding[] } {
  const found = toEnd(timelineSteps(plan));
  return 'faults' in found ? found : { run: simulatedRun(plan, found.timeline).run };
}

/** The order of a plan, or why there is none. */
export const ordered = (plan: PipelinePlan): Ordered => toEnd(programSteps(plan));

/** The figures of a plan in an order that `ordered` has made of it. */
export function simulatedIn(plan: PipelinePlan, program: Program): ReturnType<typeof simulated> {
  const found = timelineOf(plan, program);
  return 'faults' in found ? found : { run: simulatedRun(plan, found.timeline).run };
}

type Faults = { readonly faults: readonly PlanFinding[] };
type Ordered = { readonly program: Program } | Faults;

/** Programs with every operation where it belongs, whatever the costs: rows that stay the same give one program again. */
const complete = new WeakSet<Program>();

function* timelineSteps(plan: PipelinePlan): Generator<void, { readonly timeline: Timeline } | Faults, void> {
  const found = yield* programSteps(plan);
  return 'faults' in found ? found : timelineOf(plan, found.program);
}

function* programSteps(plan: PipelinePlan): Generator<void, Ordered, void> {
  yield* orderSteps(plan);
  const generated = generate(plan);
  if ('faults' in generated) return generated;
  yield;
  const { program } = generated;
  // Orders of built-in policies are proven by tests; a user's own are proven here. The simulation shows whether they end.
  if (plan.schedule.kind !== 'policy' && !complete.has(program)) {
    const faults = misplaced(program, plan);
    if (faults.length > 0) return { faults };
    if (plan.schedule.operations === undefined) complete.add(program);
    yield;
  }
  return { program };
}

function timelineOf(plan: PipelinePlan, program: Program): { readonly timeline: Timeline } | Faults {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline !== undefined) return { timeline };
  const faults = validate(program, plan);
  const unproven = planFinding('schedule/deadlock', paths.key(plan.name, 'schedule'), { circle: [] });
  return { faults: faults.length > 0 ? faults : [unproven] };
}

/** One pipeline of a plan, simulated: program → timeline → report and findings. The preview's worker runs just this. */
import { analyze } from './analyze/analyze.ts';
import type { PipelineReport } from './report.ts';
import { type PlanFinding, planFinding } from './findings/finding.ts';
import type { EngineOptions } from './host.ts';
import { type PipelinePlan, paths } from './plan.ts';
import { findPolicy } from './policies/registry.ts';
import { generate } from './schedule/generate.ts';
import type { Program } from './program.ts';
import { validate } from './schedule/validate.ts';
import { simulate } from './simulate/simulate.ts';
import type { Timeline } from './timeline.ts';
import { timingOf } from './simulate/timing.ts';
import { runSearch, type Search } from './searches.ts';

export interface EvaluationProblem {
  readonly plan: PipelinePlan;
  readonly options: EngineOptions;
}

export interface Evaluation extends EvaluationProblem {
  /** Absent where the schedule cannot be built or never ends; `findings` then say why. */
  readonly run?: Run;
  readonly findings: readonly PlanFinding[];
}

/** Memory over time is made on demand, by device: `memoryTrack(plan, timeline, device)` of `simulate/memory.ts`. */
export interface Run {
  readonly program: Program;
  readonly timeline: Timeline;
  readonly report: PipelineReport;
  /** Positions in `program.order` of the canonical critical path, first operation first. */
  readonly criticalPath: Int32Array;
}

/** Never throws; a plan that cannot run gives findings and no run. */
export function evaluate(plan: PipelinePlan, options: EngineOptions): Evaluation {
  return { plan, options, ...runSearch(evaluation, { plan, options }) };
}

/** The answer is plain data without the problem, so that it can come from another thread. */
export const evaluation: Search<EvaluationProblem, Omit<Evaluation, keyof EvaluationProblem>> = {
  name: 'evaluation',
  large: true,
  size: ({ plan }) => evaluationSize(plan),
  key: ({ plan, options }) => `${planKey(plan)} ${JSON.stringify(options)}`,
  *steps({ plan, options }) {
    const generated = generate(plan);
    if ('faults' in generated) return { findings: generated.faults };
    yield;
    const { program } = generated;
    // Orders of built-in policies are proven by tests; a user's own are proven here.
    if (plan.schedule.kind !== 'policy') {
      const faults = validate(program, plan);
      if (faults.length > 0) return { findings: faults };
      yield;
    }
    const timeline = simulate(program, timingOf(plan, program));
    if (timeline === undefined) {
      const faults = validate(program, plan);
      const unproven = planFinding('schedule/deadlock', paths.key(plan.name, 'schedule'), { circle: [] });
      return { findings: faults.length > 0 ? faults : [unproven] };
    }
    yield;
    return analyze(plan, timeline, options);
  },
};

/** Steps of one operation and of one stage from order to report, of a schedule that is written down and of one that is searched for. */
const stepsOf = { operation: 20, searchedOperation: 4_000, stage: 400 };

/** About how many elementary steps an evaluation takes. */
export function evaluationSize({ stages, microbatches, iterations, schedule }: PipelinePlan): number {
  const searched = schedule.kind === 'policy' && findPolicy(schedule.name)?.searches === true;
  const each = searched ? stepsOf.searchedOperation : stepsOf.operation;
  return stages.length * (stepsOf.stage + microbatches * iterations * 3 * each);
}

const keys = new WeakMap<PipelinePlan, string>();

/** Equal for equal plans; made once for each plan. */
export function planKey(plan: PipelinePlan): string {
  let key = keys.get(plan);
  if (key === undefined) keys.set(plan, (key = JSON.stringify(plan)));
  return key;
}

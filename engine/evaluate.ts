/** One pipeline of a plan, simulated: program → timeline → report and findings. The preview's worker runs just this. */
import { type Evaluation, evaluationSize, planKey, type EvaluationProblem } from './evaluation.ts';
import { analyze } from './analyze/analyze.ts';
import { planFinding } from './findings/finding.ts';
import type { EngineOptions } from './host.ts';
import { type PipelinePlan, paths } from './plan.ts';
import { generate } from './schedule/generate.ts';
import { validate } from './schedule/validate.ts';
import { simulate } from './simulate/simulate.ts';
import { timingOf } from './simulate/timing.ts';
import { runSearch, type Search } from './searches.ts';

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

import type { EvaluationProblem, Run } from '../schedule/evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { Timeline } from '../values/timeline.ts';
import { simulatedRunSteps } from './simulatedRun.ts';
import { simulationFindings } from './findings.ts';

/** Figures and findings of one simulated pipeline, in steps. */
export function* analyze(
  problem: EvaluationProblem,
  timeline: Timeline,
): Generator<undefined, { readonly run: Run; readonly findings: readonly PlanFinding[] }, void> {
  const { plan } = problem;
  const { run, peaks } = yield* simulatedRunSteps(plan, timeline);
  yield;
  // Advice would be about a model and devices that do not exist.
  const findings = plan.unitTimes === true ? [] : simulationFindings(problem, run, peaks);
  return { run, findings };
}

import type { Run } from '../schedule/evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Timeline } from '../values/timeline.ts';
import { simulatedRunSteps } from './simulatedRun.ts';
import { simulationFindings } from './findings.ts';

/** Figures and findings of one simulated pipeline, in steps. */
export function* analyze(
  plan: PipelinePlan,
  timeline: Timeline,
  options: EngineOptions,
): Generator<undefined, { readonly run: Run; readonly findings: readonly PlanFinding[] }, void> {
  const { run, peaks } = yield* simulatedRunSteps(plan, timeline);
  yield;
  // Advice would be about a model and devices that do not exist.
  const findings = plan.unitTimes === true ? [] : simulationFindings(plan, run, peaks, options);
  return { run, findings };
}

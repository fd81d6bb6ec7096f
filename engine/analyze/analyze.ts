import type { Run } from '../schedule/evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Timeline } from '../values/timeline.ts';
import { simulatedRun } from './simulatedRun.ts';
import { simulationFindings } from './findings.ts';

/** Figures and findings of one simulated pipeline. */
export function analyze(
  plan: PipelinePlan,
  timeline: Timeline,
  options: EngineOptions,
): { readonly run: Run; readonly findings: readonly PlanFinding[] } {
  const { run, peaks } = simulatedRun(plan, timeline);
  // Advice would be about a model and devices that do not exist.
  const findings = plan.unitTimes === true ? [] : simulationFindings(plan, run, peaks, options);
  return { run, findings };
}

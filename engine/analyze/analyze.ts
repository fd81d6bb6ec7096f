import type { Run } from '../evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../host.ts';
import type { PipelinePlan } from '../plan.ts';
import { type MemoryPeak, memoryPeak } from '../simulate/memory.ts';
import type { Timeline } from '../timeline.ts';
import { criticalPath } from './criticalPath.ts';
import { simulationFindings } from './findings.ts';
import { jitterDraws } from './jitterReport.ts';
import { pipelineReport } from './pipelineReport.ts';
import { iterationIn } from './scaledRuns.ts';

/** Figures and findings of one simulated pipeline. */
export function analyze(
  plan: PipelinePlan,
  timeline: Timeline,
  options: EngineOptions,
): { readonly run: Run; readonly findings: readonly PlanFinding[] } {
  const { run, peaks } = figuresOf(plan, timeline);
  return { run, findings: simulationFindings(plan, run, peaks, options) };
}

/** The figures alone. */
export function figuresOf(
  plan: PipelinePlan,
  timeline: Timeline,
): { readonly run: Run; readonly peaks: readonly MemoryPeak[] } {
  const peaks = plan.devices.map((_, device) => memoryPeak(plan, timeline, device));
  const path = criticalPath(timeline);
  const draws = jitterDraws(plan, timeline, iterationIn(timeline));
  const report = pipelineReport(plan, timeline, peaks, path, draws);
  const run = { program: timeline.program, timeline, report, criticalPath: path };
  return { run: draws === undefined ? run : { ...run, draws }, peaks };
}

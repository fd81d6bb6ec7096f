import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type MemoryPeak, memoryPeak } from '../simulate/memory.ts';
import type { Timeline } from '../values/timeline.ts';
import { criticalPath } from './criticalPath.ts';
import { jitterDraws } from './jitterReport.ts';
import { pipelineReport } from './pipelineReport.ts';
import { iterationIn } from './scaledRuns.ts';

/** The figures of a timeline, without findings. `peaks`: of each device. */
export function simulatedRun(
  plan: PipelinePlan,
  timeline: Timeline,
  peaks: readonly MemoryPeak[] = plan.devices.map((_, device) => memoryPeak(plan, timeline, device)),
): { readonly run: Run; readonly peaks: readonly MemoryPeak[] } {
  const path = criticalPath(timeline);
  const draws = jitterDraws(plan, timeline, iterationIn(timeline));
  const report = pipelineReport(plan, timeline, peaks, path, draws);
  const run = { program: timeline.program, timeline, report, criticalPath: path };
  return { run: draws === undefined ? run : { ...run, draws }, peaks };
}

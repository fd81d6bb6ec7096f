import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type MemoryPeak, memoryPeak } from '../simulate/memory.ts';
import type { Timeline } from '../values/timeline.ts';
import { criticalPath } from './criticalPath.ts';
import { jitterDraws } from './jitterReport.ts';
import { pipelineReportSteps } from './pipelineReport.ts';
import { toEnd } from '../basics/steps.ts';
import { iterationIn } from './scaledRuns.ts';

interface Simulated {
  readonly run: Run;
  readonly peaks: readonly MemoryPeak[];
}

/** Devices between two pauses. */
const slice = 8;

/** The figures of a timeline, without findings. `known`: the peaks of each device, where they have been counted. */
export const simulatedRun = (plan: PipelinePlan, timeline: Timeline, known?: readonly MemoryPeak[]): Simulated =>
  toEnd(simulatedRunSteps(plan, timeline, known));

/** The same in steps. */
export function* simulatedRunSteps(
  plan: PipelinePlan,
  timeline: Timeline,
  known?: readonly MemoryPeak[],
): Generator<undefined, Simulated, void> {
  const peaks = known?.slice() ?? [];
  for (let device = peaks.length; device < plan.devices.length; device += 1) {
    peaks.push(memoryPeak(plan, timeline, device));
    if (device % slice === slice - 1) yield;
  }
  yield;
  const path = criticalPath(timeline);
  yield;
  const draws = jitterDraws(plan, timeline, iterationIn(timeline));
  const report = yield* pipelineReportSteps(plan, timeline, peaks, path, draws);
  const run = { program: timeline.program, timeline, report, criticalPath: path };
  return { run: draws === undefined ? run : { ...run, draws }, peaks };
}

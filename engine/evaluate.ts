/** One pipeline of a plan, simulated: program → timeline → report and findings. The preview's worker runs just this. */
import type { PlanFinding } from './findings/finding.ts';
import type { EngineOptions } from './host.ts';
import type { PipelineReport } from './analyze/report.ts';
import type { MemoryTrack } from './simulate/memory.ts';
import type { PipelinePlan } from './plan/plan.ts';
import type { Program } from './schedule/program.ts';
import type { Timeline } from './simulate/timeline.ts';

export interface Evaluation {
  readonly plan: PipelinePlan;
  readonly options: EngineOptions;
  /** Absent where the schedule cannot be built or never ends; `findings` then say why. */
  readonly run?: Run;
  readonly findings: readonly PlanFinding[];
}

export interface Run {
  readonly program: Program;
  readonly timeline: Timeline;
  /** By device. */
  readonly memory: readonly MemoryTrack[];
  readonly report: PipelineReport;
  /** Words of the canonical critical path, first operation first. */
  readonly criticalPath: Int32Array;
}

export declare function evaluate(plan: PipelinePlan, options: EngineOptions): Evaluation;

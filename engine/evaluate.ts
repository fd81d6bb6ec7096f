/** One pipeline of a plan, simulated: program → timeline → report and findings. The preview's worker runs just this. */
import { analyze } from './analyze/analyze.ts';
import type { PipelineReport } from './report.ts';
import { type PlanFinding, planFinding } from './findings/finding.ts';
import type { EngineOptions } from './host.ts';
import { type PipelinePlan, paths } from './plan.ts';
import { generate } from './schedule/generate.ts';
import type { Program } from './program.ts';
import { validate } from './schedule/validate.ts';
import { simulate } from './simulate/simulate.ts';
import type { Timeline } from './timeline.ts';
import { timingOf } from './simulate/timing.ts';

export interface Evaluation {
  readonly plan: PipelinePlan;
  readonly options: EngineOptions;
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
  const generated = generate(plan);
  if ('faults' in generated) return { plan, options, findings: generated.faults };
  const { program } = generated;
  // Orders of built-in policies are proven by tests; a user's own are proven here.
  if (plan.schedule.kind !== 'policy') {
    const faults = validate(program, plan);
    if (faults.length > 0) return { plan, options, findings: faults };
  }
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) {
    const faults = validate(program, plan);
    const unproven = planFinding('schedule/deadlock', paths.key(plan.name, 'schedule'), { circle: [] });
    return { plan, options, findings: faults.length > 0 ? faults : [unproven] };
  }
  return { plan, options, ...analyze(plan, timeline, options) };
}

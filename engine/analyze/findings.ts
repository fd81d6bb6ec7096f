import type { Run } from '../schedule/evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import { expectationFindings } from './expectations.ts';
import { hostFinding } from './hostFinding.ts';
import { hostMemoryFindings } from './hostMemoryReport.ts';
import { memoryFindings } from './memoryFindings.ts';
import { recomputeFinding } from './recomputeFinding.ts';
import { bubbleFinding, linkFindings } from './scheduleFindings.ts';
import { weightFindings } from './weightFindings.ts';

/** What a simulated pipeline gives cause to say, in the order of importance. */
export function simulationFindings(
  plan: PipelinePlan,
  run: Run,
  peaks: readonly MemoryPeak[],
  options: EngineOptions,
): PlanFinding[] {
  return [
    ...memoryFindings(plan, run, peaks, options),
    ...hostMemoryFindings(plan, run),
    ...expectationFindings(plan, run.report),
    ...hostFinding(plan, run, options),
    ...linkFindings(plan, run, options),
    ...bubbleFinding(plan, run, options),
    ...weightFindings(plan, run),
    ...recomputeFinding(plan, run.program),
  ];
}

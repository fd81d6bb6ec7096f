import { type Advice, advised } from '../basics/advice.ts';
import type { EvaluationProblem, Run } from '../schedule/evaluation.ts';
import type { PlanFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { MemoryPeak } from '../simulate/memory.ts';
import { efficiencyFinding } from './efficiencyFinding.ts';
import { expectationFindings } from './expectationFindings.ts';
import { hostFinding } from './hostFinding.ts';
import { hostMemoryFindings } from './hostMemoryReport.ts';
import { measuredFinding } from './measuredReport.ts';
import { memoryFindings } from './memoryFindings.ts';
import { recomputeFinding } from './recomputeFinding.ts';
import { optimizerFinding } from './optimizerFinding.ts';
import { bubbleFinding, linkFindings } from './scheduleFindings.ts';
import { weightFindings } from './weightFindings.ts';

type Remark = Advice<[PipelinePlan, Run, EngineOptions], readonly PlanFinding[]>;

/** What may help, by topic, in the order of importance. */
export const remarks: readonly Remark[] = [
  { name: 'remark on hosts', find: hostFinding, otherwise: [] },
  { name: 'remark on the efficiency', find: efficiencyFinding, otherwise: [] },
  { name: 'remark on links', find: linkFindings, otherwise: [] },
  { name: 'remark on the bubble', find: bubbleFinding, otherwise: [] },
  { name: 'remark on recomputation', find: (plan, { program }) => recomputeFinding(plan, program), otherwise: [] },
];

/** What a simulated pipeline gives cause to say: verdicts, remarks, and versions of weights. */
export function simulationFindings(
  { plan, options, figuresOnly }: EvaluationProblem,
  run: Run,
  peaks: readonly MemoryPeak[],
): PlanFinding[] {
  return [
    ...memoryFindings(plan, run, peaks, options),
    ...optimizerFinding(plan, run),
    ...hostMemoryFindings(plan, run),
    ...measuredFinding(plan, run.program),
    ...expectationFindings(plan, run.report),
    ...(figuresOnly === true ? [] : remarks.flatMap((remark) => advised(remark, plan, run, options))),
    ...weightFindings(plan, run),
  ];
}

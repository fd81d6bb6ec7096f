/** `device/efficiency` for a pipeline that is faster than runs are, because its device says no share of its peak. */
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import type { Run } from '../schedule/evaluation.ts';

export function efficiencyFinding(plan: PipelinePlan, { report }: Run): PlanFinding[] {
  const reached = report.model_flops?.utilisation;
  if (plan.fullRate === undefined || reached === undefined) return [];
  return [planFinding('device/efficiency', paths.key(plan.name, 'devices'), { device: plan.fullRate, reached })];
}

/** A plan next to recorded runs of it: how far the iteration was from the simulated one. */
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { otherRun } from '../runs/otherRun.ts';
import { plannedLength } from '../simulate/plannedLength.ts';
import type { MeasuredReport, MeasuredRun } from '../values/measured.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import type { Program } from '../values/program.ts';

/** Absent if no run is known, or one is none of the program. `whole`: seconds of a whole iteration. */
export function measuredReport(plan: PipelinePlan, program: Program, whole: number): MeasuredReport | undefined {
  const { runs = [] } = plan.measured ?? {};
  if (runs.length === 0 || runs.some((run) => otherThan(plan, program, run) !== undefined)) return undefined;
  const simulated = runs.some(({ shape }) => shape === undefined) ? whole : plannedLength(plan, program);
  if (!(simulated > 0)) return undefined;
  const each = runs.map(({ ranks, steps, iteration }) => ({
    ...{ ranks, steps, iteration },
    drift: iteration / simulated - 1,
  }));
  const drift = each.reduce((most, run) => (Math.abs(run.drift) > Math.abs(most) ? run.drift : most), 0);
  const logged = runs.some(({ shape }) => shape === undefined);
  return { simulated, drift, ...(logged ? { whole: true } : {}), runs: each };
}

export function measuredFinding(plan: PipelinePlan, program: Program): readonly PlanFinding[] {
  for (const run of plan.measured?.runs ?? []) {
    const detail = otherThan(plan, program, run);
    if (detail !== undefined) return [planFinding('measured/other-run', paths.key(plan.name, 'measured'), { detail })];
  }
  return [];
}

/** A log has no more than the number of its ranks. */
function otherThan(plan: PipelinePlan, program: Program, { shape, ranks }: MeasuredRun): string | undefined {
  if (shape !== undefined) return otherRun(program, shape);
  const planned = plan.devices.reduce((sum, { members = 1 }) => sum + members, 0);
  return ranks.length <= planned ? undefined : `the plan has ${planned} devices, and ${ranks.length} ranks logged`;
}

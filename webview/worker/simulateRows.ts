/** Simulates a plan; rows that lack operations with those that a greedy order runs in their places. */
import { simulated } from '../../engine/flow/evaluate.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import { type PlanFinding } from '../../engine/findings/finding.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { completionOf } from '../../engine/schedule/complete.ts';

export interface SimulatedRows {
  /** With all operations. */
  readonly plan: PipelinePlan;
  readonly run: Run;
  /** Operations that the text lacks; absent where it has all of them. */
  readonly missing?: number;
}

export function simulateRows(
  plan: PipelinePlan,
): SimulatedRows | { readonly faults: readonly Pick<PlanFinding, 'severity' | 'code' | 'message'>[] } {
  const found = simulated(plan);
  if (!('faults' in found)) return { plan, run: found.run };
  const { faults } = found;
  if (plan.schedule.kind !== 'rows' || !faults.some(({ code }) => code === 'schedule/incomplete')) return { faults };
  const completion = completionOf(plan);
  if (completion === undefined) return { faults };
  if (completion === 'stuck') {
    const message = 'With the missing operations added, these rows would wait for themselves.';
    return { faults: [...faults, { severity: 'error', code: 'schedule/incomplete', message }] };
  }
  const whole = { ...plan, schedule: { ...plan.schedule, rows: completion.rows } };
  const completed = simulated(whole);
  return 'faults' in completed ? { faults } : { plan: whole, run: completed.run, missing: completion.count };
}

/** The order of a schedule that a file declares, with stages of the program in place of stages of its text. */
import type { RowsDefinition, RuleDefinition } from '../definitions/schedule.ts';
import type { RuleOrder, UsedOperations } from '../definitions/scheduleEvaluator.ts';
import type { RowPlan, SchedulePlan, StageCopy } from '../values/plan.ts';
import { operationsPlan } from './place/operationCopies.ts';
import { ofCopies } from './place/rowCopies.ts';

/** Where stages and their copies are. */
interface Placed {
  readonly placement: readonly number[];
  readonly copies?: readonly StageCopy[] | undefined;
}

/** By rule. */
export function rulePlan(
  { name, placement: placed, split, weights, prefer }: RuleDefinition,
  { inFlight, rule, operations }: RuleOrder,
  { placement, copies }: Placed,
): SchedulePlan {
  const plan = { kind: 'greedy', name, placement: placed?.rule ?? 'linear', split, prefer, inFlight, weights } as const;
  const ruled = { ...plan, ...(rule === undefined ? {} : { rule }) };
  if (operations === undefined || operations.used === 'none') return ruled;
  const { rows, used } = operations;
  return {
    ...ruled,
    operations: operationsPlan(used, rows, placement, copies),
    runs: copies === undefined ? rows : ofCopies(rows, placement, copies),
  };
}

/** By rows. */
export const rowsPlan = (
  { name, weights, fill, apart }: RowsDefinition,
  rows: readonly RowPlan[],
  used: UsedOperations | 'none',
  { placement, copies }: Placed,
): SchedulePlan => ({
  kind: 'rows',
  name,
  rows: copies === undefined ? rows : ofCopies(rows, placement, copies),
  ...(fill === true ? { fill } : {}),
  ...(apart === true ? { apart } : {}),
  ...(weights === 'flush' ? {} : { weights }),
  ...(used === 'none' ? {} : { operations: operationsPlan(used, rows, placement, copies) }),
});

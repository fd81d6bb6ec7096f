/** Operations that a schedule declares, and that its rule runs. */
import type { GreedyBody, ScheduleNumbers, StagesOf } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
import type { SchedulePlan, StageCopy } from '../values/plan.ts';
import { operationsPlan } from './place/operationCopies.ts';
import { ofCopies } from './place/rowCopies.ts';

type Chosen = Exclude<ReturnType<NonNullable<GreedyBody['operations']>>, undefined>;

/** `none` where the rule runs none; `undefined` where one is wrong for these numbers (reported). */
export const ruleOperations = (
  { operations }: Pick<GreedyBody, 'operations'>,
  numbers: ScheduleNumbers & { readonly stagesOf: StagesOf },
  report: Reporter,
): Chosen | 'none' | undefined => (operations === undefined ? 'none' : operations(numbers, report));

/** The same for the stages of the program. */
export function inProgram(
  { rows, used }: Chosen,
  placement: readonly number[],
  copies: readonly StageCopy[] | undefined,
): Pick<Extract<SchedulePlan, { kind: 'greedy' }>, 'operations' | 'runs'> {
  if (used === 'none') return {};
  return {
    operations: operationsPlan(used, rows, placement, copies),
    runs: copies === undefined ? rows : ofCopies(rows, placement, copies),
  };
}

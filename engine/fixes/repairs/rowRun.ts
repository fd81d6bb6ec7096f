import type { PipelinePlan, RowItem, RowPlan } from '../../values/plan.ts';
import { validate } from '../../schedule/validate.ts';
import { rowOfItems } from '../../schedule/rowItems.ts';
import { programOfRows } from '../../schedule/rows.ts';
import { simulate } from '../../simulate/simulate.ts';
import { timingOf } from '../../simulate/timing.ts';

/** Who keeps what a row sends away. */
const keeperOf = (row: RowPlan | undefined): Pick<RowPlan, 'keeper'> =>
  row?.keeper === undefined ? {} : { keeper: row.keeper };

/** Seconds until the last operation of these rows ends; undefined if they do not run. */
export function secondsOf(plan: PipelinePlan, rows: readonly (readonly RowItem[])[]): number | undefined {
  const given = plan.schedule.kind === 'rows' ? plan.schedule.rows : [];
  const names = plan.schedule.kind === 'rows' ? plan.schedule.operations?.names : undefined;
  const made = programOfRows(
    plan,
    rows.map((row, device) => ({ ...rowOfItems(row, names), ...keeperOf(given[device]) })),
  );
  if ('faults' in made) return undefined;
  const timeline = simulate(made.program, timingOf(plan, made.program));
  // What runs may still leave operations out, or do them twice.
  if (timeline === undefined || validate(made.program, plan).length > 0) return undefined;
  return timeline.end.reduce((latest, end) => Math.max(latest, end), 0);
}

/** Number of operations in rows. */
export const sizeOf = (rows: readonly (readonly RowItem[])[]): number => rows.reduce((sum, row) => sum + row.length, 0);

/** Rows of schedules as they were expanded before: most edits change neither a schedule nor the shape of a pipeline. */
import type { DeclaredSchedule, ScheduleDefinition } from '../definitions/schedule.ts';
import type { Answer, PlacedNumbers } from '../definitions/scheduleEvaluator.ts';
import { keepRows, rowsLength } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';

/** Microbatches times devices from which on rows are kept: smaller ones are expanded as fast as they are found. */
const least = 1024;
/** Most operations that are kept, of all schedules. */
const most = 300_000;

const kept = new Map<string, readonly RowPlan[]>();
let operations = 0;

/** What the order of a schedule depends on, in addition to the shape. */
export interface RowsSource extends Pick<DeclaredSchedule, 'source' | 'bases'> {
  readonly args: ScheduleDefinition['args'];
  /** Most operations: more are refused. */
  readonly limit: number;
}

const keys = new WeakMap<RowsSource, string>();

/** The text, its arguments and the limit. Uses of the rows of one source write it once. */
function keyOf(of: RowsSource): string {
  const known = keys.get(of);
  if (known !== undefined) return known;
  const { source, bases, args, limit } = of;
  const key = exact([[source, ...bases].map(({ uri, text, constants }) => [uri, text, constants]), args, limit]);
  keys.set(of, key);
  return key;
}

/** The same rows again for the same source and numbers; otherwise what `expand` gives. What has findings is expanded each time. */
export function keptRows(
  source: RowsSource,
  numbers: PlacedNumbers,
  expand: () => Answer<readonly RowPlan[]>,
): Answer<readonly RowPlan[]> {
  const { stages, devices, microbatches, iterations, stagesOf, before, ...others } = numbers;
  // Which copy runs a microbatch is a function, and no part of a key.
  if (devices * microbatches < least || stagesOf.running !== undefined || Object.keys(others).length > 0)
    return expand();
  const key = `${keyOf(source)} ${exact([stages, devices, microbatches, iterations, stagesOf.all, before])}`;
  const known = kept.get(key);
  if (known !== undefined) {
    // The last one used is the last one forgotten.
    kept.delete(key);
    kept.set(key, known);
    return { value: known, findings: [] };
  }
  const made = expand();
  if (made.value !== undefined && made.findings.length === 0) keep(key, made.value);
  return made;
}

/** JSON that keeps numbers apart which JSON writes alike. */
const exact = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && (!Number.isFinite(part) || Object.is(part, -0))
      ? [String(1 / part), String(part)]
      : part,
  );

function keep(key: string, rows: readonly RowPlan[]): void {
  const length = rowsLength(rows);
  if (length > most) return;
  kept.set(key, rows);
  operations += length;
  for (const [oldest, old] of kept) {
    if (operations <= most) break;
    kept.delete(oldest);
    operations -= rowsLength(old);
  }
  keepRows(rows);
}

/** Rows of schedules as they were expanded before: most edits change neither a schedule nor the shape of a pipeline. */
import type { DeclaredSchedule, RowsBody, ScheduleDefinition } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
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

/** `expand`, which gives the same rows again for the same text, constants and numbers. What is wrong is reported each time. */
export function keepingRows(
  expand: RowsBody['expand'],
  { source, bases, args, limit }: RowsSource,
): RowsBody['expand'] {
  let schedule: string | undefined;
  return (numbers, report) => {
    const { stages, devices, microbatches, iterations, stagesOf, before, ...others } = numbers;
    // Which copy runs a microbatch is a function, and no part of a key.
    if (devices * microbatches < least || stagesOf.running !== undefined || Object.keys(others).length > 0)
      return expand(numbers, report);
    schedule ??= exact([[source, ...bases].map(({ uri, text, constants }) => [uri, text, constants]), args]);
    const shape = [limit, stages, devices, microbatches, iterations, stagesOf.all, before];
    const key = `${schedule} ${exact(shape)}`;
    const known = kept.get(key);
    if (known !== undefined) {
      // The last one used is the last one forgotten.
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const listening = listener(report);
    const rows = expand(numbers, listening.reporter);
    if (rows !== undefined && !listening.heard()) keep(key, rows);
    return rows;
  };
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

/** The reporter, and whether anything was reported to it. */
function listener(reporter: Reporter): { readonly reporter: Reporter; heard(): boolean } {
  let heard = false;
  return {
    heard: () => heard,
    reporter: {
      ...reporter,
      report(...found) {
        heard = true;
        reporter.report(...found);
      },
      add(found) {
        heard = true;
        reporter.add(found);
      },
    },
  };
}

/** Findings of a schedule that a file declares, at the pipeline that uses it. */
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { Notes } from './notes.ts';

/** Whether a condition of the schedule does not hold for a pipeline, which is reported at `at`. */
export function reportUnmet(
  notes: Notes,
  report: Reporter,
  pipeline: string,
  at: Span,
  { name, unmet }: ScheduleDefinition,
  numbers: ScheduleNumbers,
): boolean {
  const found = unmet(numbers, report);
  if (found === undefined) return false;
  const { problem, place } = found;
  const { input, values } = found.nearest();
  notes.report.report(
    'schedule/shape',
    at,
    { policy: name, problem, input, values },
    {
      related: [{ place, message: 'The condition.' }],
      ...(values.length > 0 ? { hint: { kind: 'value', pipeline, input, values } } : {}),
    },
  );
  return true;
}

/** The expressions of an imported schedule are in another file: their first error is reported at the pipeline's key. */
export function reportForeign({ report }: Notes, at: Span, foreign: Reporter): void {
  const first = foreign.findings.find((found) => found.severity === 'error');
  if (first === undefined) return;
  report.add({
    ...first,
    place: report.place(at),
    related: [{ place: first.place, message: 'This expression, with the numbers of the pipeline.' }],
    hint: undefined,
  });
}

/** Questions about a schedule that a file declares, for the pipeline that uses it. */
import type { ScheduleDefinition, ScheduleNumbers } from '../definitions/schedule.ts';
import type { Answer, ScheduleEvaluator } from '../definitions/scheduleEvaluator.ts';
import type { Finding } from '../findings/finding.ts';
import { takeFindings } from '../findings/takeFindings.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { Notes } from './notes.ts';

/** Who asks about schedules, and hears what is wrong with them. */
export interface Asking {
  readonly schedules: ScheduleEvaluator;
  /** The value of an answer, whose findings are reported. */
  heard<Value>(answer: Answer<Value>): Value | undefined;
}

/** Default: nobody hears. */
export const askingWith = (
  schedules: ScheduleEvaluator,
  take: (findings: readonly Finding[]) => void = () => undefined,
): Asking => ({
  schedules,
  heard({ value, findings }) {
    if (findings.length > 0) take(findings);
    return value;
  },
});

/** What is wrong in another file is reported at `at`, the pipeline's key. */
export const askingAt = ({ schedules, report }: Notes, at: Span): Asking =>
  askingWith(schedules, (findings) => takeFindings(report, at, findings, 'the numbers of the pipeline'));

/** Whether a condition of the schedule does not hold for a pipeline, which is reported at `at`. */
export function reportUnmet(
  notes: Notes,
  pipeline: string,
  at: Span,
  definition: ScheduleDefinition,
  numbers: ScheduleNumbers,
): boolean {
  const { schedules, heard } = askingAt(notes, at);
  const unmet = heard(schedules.unmet(definition, numbers));
  if (unmet === undefined) return false;
  const { problem, place } = unmet;
  const { input, values } = schedules.nearest(definition, numbers);
  notes.report.report(
    'schedule/shape',
    at,
    { policy: definition.name, problem, input, values },
    {
      related: [{ place, message: 'The condition.' }],
      ...(values.length > 0 ? { hint: { kind: 'value', pipeline, input, values } } : {}),
    },
  );
  return true;
}

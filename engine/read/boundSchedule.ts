/** A schedule as this room has it: behind the `code` of what other rooms get. */
import type { ScheduleCode, ScheduleNumbers } from '../definitions/schedule.ts';
import type { Answer } from '../definitions/scheduleEvaluator.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { Frame } from '../sequences/frame.ts';
import { type CompiledSchedule, frameOf } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';
import type { ForwardOnly } from './forwardOnly.ts';
import type { RowsSource } from './keptRows.ts';
import type { OnText } from './on.ts';
import type { DeclaredOperation } from './operations.ts';
import type { CountReader, PlacementReader } from './placement.ts';
import type { RowsText } from './rows.ts';
import type { Traced } from './rowTracer.ts';
import type { RuleText } from './ruleOrder.ts';
import type { ScheduleReading } from './scheduleReading.ts';
import type { SlotBody } from './slotBody.ts';
import type { TimeEntry } from './times.ts';

/** What has been read of a schedule. */
export interface ReadSchedule extends ScheduleCode, Pick<ScheduleReading, 'reporter' | 'where' | 'spansOf'> {
  readonly context: ReadContext;
  readonly compiled: CompiledSchedule;
  readonly split: boolean;
  readonly weights: string;
  readonly placement: PlacementReader;
  readonly parts: CountReader;
  readonly on: OnText | undefined;
  readonly forwardOnly: ForwardOnly | undefined;
  readonly times: readonly TimeEntry[];
  readonly operations: readonly DeclaredOperation[];
  readonly body: RuleText | RowsText | SlotBody;
  /** Only what has an R is recomputed. */
  readonly apart: boolean;
  readonly traced: () => Traced;
}

/** The same with numbers for its parameters. */
export interface BoundSchedule extends Omit<ReadSchedule, 'parts'> {
  readonly args: ReadonlyMap<string, number>;
  readonly parts: number;
  readonly source: RowsSource;
}

/** A frame for these numbers. Without a reporter, nobody hears what is wrong. */
export function frameFor(
  { compiled, args, parts }: Pick<BoundSchedule, 'compiled' | 'args' | 'parts'>,
  numbers: ScheduleNumbers,
  report = createReporter('', 0),
): Frame {
  const frame = frameOf(compiled, numbers, args, report);
  frame.parts = parts;
  return frame;
}

/** What is found, with all that is reported meanwhile. */
export function answer<Value>(
  { reporter }: Pick<ReadSchedule, 'reporter'>,
  find: (report: Reporter) => Value | undefined,
): Answer<Value> {
  const report = reporter();
  return { value: find(report), findings: report.findings };
}

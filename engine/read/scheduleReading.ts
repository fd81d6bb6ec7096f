/** What a schedule is read from: its block, or one text with what it takes over. */
import type { KeyPlace } from '../definitions/schedule.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { BlockDeclaration, Entry, Span } from '../../grammar/syntax.ts';
import { symbolId } from '../language/context.ts';
import { type Keys, keysOfEntries } from '../language/keys.ts';
import { baseName } from './base.ts';
import type { ReadContext } from './context.ts';
import { mergedSchedule } from './mergedSchedule.ts';
import type { ScheduleText } from './scheduleText.ts';

export interface ScheduleReading {
  readonly context: ReadContext;
  readonly keys: Keys;
  /** Rows that `base(d)` stands for, by its symbol. */
  readonly baseRows: ReadonlyMap<string, readonly Entry[]>;
  /** A reporter of the schedule's file without findings, for spans of what is read. It keeps `limit`; default: as many as the file. */
  readonly reporter: (limit?: number) => Reporter;
  /** The place of findings about a text that is read. */
  readonly where: (text: Span) => KeyPlace;
  /** Copies of a text of the file in what is read. */
  readonly spansOf: (text: Span) => readonly Span[];
}

export function readingOf(
  file: ReadContext,
  block: BlockDeclaration,
  written: Keys,
  text: ScheduleText,
): ScheduleReading {
  const base = baseName(block);
  const { uri, report, options } = file;
  const reporter = (limit = options.limits.findings): Reporter => createReporter(uri, limit, report.place);
  if (base === undefined)
    return {
      context: file,
      keys: written,
      baseRows: new Map(),
      reporter,
      where: (span) => ({ place: report.place(span), related: [] }),
      spansOf: (span) => [span],
    };
  const name = block.name?.text ?? '';
  const merged = mergedSchedule(file, text, { symbol: symbolId('schedule', name), name, at: base });
  const keys = keysOfEntries('schedule', merged.entries, written.doubtful);
  return { ...merged, keys, reporter: (limit) => merged.located(reporter(limit)) };
}

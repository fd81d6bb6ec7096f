/** What a schedule is read from: its block, or one text with what it takes over. */
import type { ScheduleDefinition } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
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
  /** A reporter of the schedule's file, for spans of what is read. */
  readonly located: (report: Reporter) => Reporter;
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
  if (base === undefined)
    return {
      context: file,
      keys: written,
      baseRows: new Map(),
      located: (report) => report,
      spansOf: (span) => [span],
    };
  const name = block.name?.text ?? '';
  const merged = mergedSchedule(file, text, { symbol: symbolId('schedule', name), name, at: base });
  return { ...merged, keys: keysOfEntries('schedule', merged.entries, written.doubtful) };
}

/** The same definition for callers, who give reporters and spans of the file. */
export function forFile(
  definition: ScheduleDefinition,
  { located, spansOf }: Pick<ScheduleReading, 'located' | 'spansOf'>,
): ScheduleDefinition {
  const { on, body } = definition;
  const home = on?.home;
  const { forwardOnly } = definition;
  const operations = body.kind === 'rows' ? body.operations : undefined;
  const chosen = body.kind === 'greedy' ? body.operations : undefined;
  return {
    ...definition,
    ...(on === undefined
      ? {}
      : {
          on: {
            idle: on.idle,
            stages: (devices, report) => on.stages(devices, located(report)),
            devices: (numbers, count, report) => on.devices(numbers, count, located(report)),
            ...(home === undefined ? {} : { home: (numbers, report) => home(numbers, located(report)) }),
            refuseHome: (stage, device, runs, report) => on.refuseHome(stage, device, runs, located(report)),
            refuse: (expected, found, report) => on.refuse(expected, found, located(report)),
          },
        }),
    unmet: (numbers, report) => definition.unmet(numbers, located(report)),
    ...(forwardOnly === undefined
      ? {}
      : {
          forwardOnly: (numbers: Parameters<typeof forwardOnly>[0], report: Reporter) =>
            forwardOnly(numbers, located(report)),
        }),
    body:
      body.kind === 'greedy'
        ? {
            ...body,
            inFlight: (numbers, report) => body.inFlight(numbers, located(report)),
            rule: (numbers, report) => body.rule(numbers, located(report)),
            ...(chosen === undefined
              ? {}
              : {
                  operations: (numbers: Parameters<typeof chosen>[0], report: Reporter) =>
                    chosen(numbers, located(report)),
                }),
          }
        : {
            ...body,
            expand: (numbers, report) => body.expand(numbers, located(report)),
            ...(operations === undefined
              ? {}
              : { operations: (numbers, rows, report) => operations(numbers, rows, located(report)) }),
            trace(numbers) {
              const tracer = body.trace(numbers);
              return {
                ...tracer,
                writes: (text) => spansOf(text).some((span) => tracer.writes(span)),
                written: (device, texts) => tracer.written(device, texts.flatMap(spansOf)),
              };
            },
          },
  };
}

/** The body of a schedule with a clock table, in which rows of single devices may replace what the table gives them. */
import type { RowsBody, ScheduleDefinition, ScheduleNumbers, WrittenRow } from '../definitions/schedule.ts';
import { createReporter, type Reporter } from '../findings/reporter.ts';
import type { Entry } from '../../grammar/syntax.ts';
import { type Keys, notApplicable } from '../language/keys.ts';
import type { Frame } from '../sequences/frame.ts';
import { type CompiledSchedule, frameOf } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';
import type { DeclaredOperation } from './operations.ts';
import { operationUses } from './operationUses.ts';
import { readRows, writtenRows } from './rowEntries.ts';
import { expandRows, type Rows } from './rows.ts';
import { rowTracer, slotTracer, type Traced } from './rowTracer.ts';
import { blockOf, slotRows } from './slotRows.ts';
import { readSlots, type SlotTable } from './slots.ts';
import { waitsInOrder } from './slotWaits.ts';

export type SlotBody = SlotTable & {
  readonly written: WrittenRow;
  readonly periodEnds: number | undefined;
  /** Rows of single devices. */
  readonly rows: Rows | undefined;
};

/** The table and the rows; `undefined` where one is wrong, which has been reported. */
export function readSlotBody(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  operations: readonly DeclaredOperation[],
): SlotBody | undefined {
  const table = readSlots(context, compiled, keys, operations);
  const rows = readSingleRows(context, compiled, keys, table);
  if (table === undefined || rows === undefined) return undefined;
  const [first] = keys.all('slot');
  const items = table.entries.map(({ entry }) => context.report.place(entry));
  return {
    ...table,
    written: { place: context.report.place(first), items },
    periodEnds: periodEnd(context, keys.find('period')),
    rows: rows === 'none' ? undefined : rows,
  };
}

function readSingleRows(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
  table: SlotTable | undefined,
): Rows | 'none' | undefined {
  const entries = keys.all('row');
  if (entries.length === 0) return 'none';
  if (table?.fill === true) {
    for (const entry of entries)
      notApplicable(
        context,
        entry,
        '`fill = true` moves the operations of all devices; write `fill = false` to give a device its row',
      );
    return 'none';
  }
  const read = readRows(context, compiled, entries);
  if (read?.general === undefined) return read;
  notApplicable(context, read.general.entry, 'the slots decide; only a row of one device, as `row(0)`, replaces them');
  const { byDevice, computed } = read;
  return byDevice.size === 0 && computed.length === 0 ? 'none' : { byDevice, computed };
}

/** The end of the period of a block; `undefined` if another schedule writes it. */
function periodEnd({ report, uri }: ReadContext, entry: Entry | undefined): number | undefined {
  const [value] = entry?.values ?? [];
  if (value === undefined) return undefined;
  const place = report.place(value);
  return place.uri === uri && place.start === value.start ? place.end : undefined;
}

export function slotBody(
  context: ReadContext,
  compiled: CompiledSchedule,
  traced: () => Traced,
  body: SlotBody,
  declared: readonly DeclaredOperation[],
  args: ReadonlyMap<string, number>,
): ScheduleDefinition['body'] {
  const frame = (numbers: ScheduleNumbers, report: Reporter): Frame => frameOf(compiled, numbers, args, report);
  const quiet = (numbers: ScheduleNumbers): Frame => frame(numbers, createReporter('', 0));
  const own = body.rows === undefined ? undefined : writtenRows(context, body.rows, quiet);
  return {
    kind: 'rows',
    rows(numbers) {
      const ownRow = own?.rows(numbers);
      return (device) => ownRow?.(device) ?? body.written;
    },
    ...(body.fill ? { fill: true } : {}),
    ...(body.periodEnds === undefined ? {} : { periodEnds: body.periodEnds }),
    // A row follows no block.
    ...(body.period === undefined || own !== undefined
      ? {}
      : { block: (numbers, report) => blockOf(frame(numbers, report), body, numbers) }),
    expand(numbers, report) {
      const table = slotRows(frame(numbers, report), body, numbers);
      if (table === undefined || body.rows === undefined || own === undefined) return table;
      const replacing = expandRows(frame(numbers, report), body.rows, numbers);
      const ownRow = own.rows(numbers);
      return replacing && table.map((row, device) => (ownRow(device) === undefined ? row : replacing[device]));
    },
    ...(declared.length === 0
      ? {}
      : {
          operations(numbers, rows, report) {
            const reading = frame(numbers, report);
            const used = operationUses(reading, declared, rows, numbers);
            if (used === undefined || used === 'none') return used;
            return waitsInOrder(reading, body, rows, numbers, used) ? used : undefined;
          },
        }),
    trace(numbers): ReturnType<RowsBody['trace']> {
      const table = slotTracer(context, () => quiet(numbers), body, numbers);
      if (own === undefined) return table;
      const ownRow = own.rows(numbers);
      const rows = rowTracer(traced, args, 1, context.uri, numbers);
      const of = (device: number) => (ownRow(device) === undefined ? table : rows);
      return {
        uri: table.uri,
        writes: (text) => table.writes(text) || rows.writes(text),
        written: (device, texts) => of(device).written(device, texts),
        origin: (device, position) => of(device).origin(device, position),
      };
    },
  };
}

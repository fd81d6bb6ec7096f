/** The body of a schedule with a clock table, in which rows of single devices may replace what the table gives them. */
import type { RowTracer } from '../definitions/rowTracer.ts';
import type { PlacedNumbers, WrittenRow } from '../definitions/scheduleEvaluator.ts';
import type { Entry } from '../../grammar/syntax.ts';
import { type Keys, notApplicable } from '../language/keys.ts';
import type { Frame } from '../sequences/frame.ts';
import type { CompiledSchedule } from '../sequences/schedule.ts';
import type { RowPlan } from '../values/plan.ts';
import type { ReadContext } from './context.ts';
import type { DeclaredOperation } from './operations.ts';
import { readRows, rowsByDevice } from './rowEntries.ts';
import { expandRows, type Rows } from './rows.ts';
import { slotTracer } from './rowTracer.ts';
import { slotRows } from './slotRows.ts';
import { readSlots, type SlotTable } from './slots.ts';

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

/** Operations of each device; `undefined` where a slot or a row is wrong (reported). `frame`: a new one for these numbers. */
export function slotBodyRows(
  body: SlotBody,
  numbers: PlacedNumbers,
  frame: () => Frame,
): readonly RowPlan[] | undefined {
  const table = slotRows(frame(), body, numbers);
  if (table === undefined || body.rows === undefined) return table;
  const replacing = expandRows(frame(), body.rows, numbers);
  if (replacing === undefined) return undefined;
  const own = rowsByDevice(frame(), body.rows, numbers.devices);
  return table.map((row, device) => (own(device) === undefined ? row : replacing[device]));
}

/** Of the slots, and of rows of single devices by `rows`. */
export function slotBodyTracer(
  context: ReadContext,
  body: SlotBody,
  numbers: PlacedNumbers,
  frame: () => Frame,
  rows: RowTracer,
): RowTracer {
  const table = slotTracer(context, frame, body, numbers);
  if (body.rows === undefined) return table;
  const own = rowsByDevice(frame(), body.rows, numbers.devices);
  const of = (device: number): RowTracer => (own(device) === undefined ? table : rows);
  return {
    uri: table.uri,
    writes: (text) => table.writes(text) || rows.writes(text),
    written: (device, texts) => of(device).written(device, texts),
    origin: (device, position) => of(device).origin(device, position),
  };
}

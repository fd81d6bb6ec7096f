/** Reads `row(d)`, `row(0)` and `row(devices - 1)` of a schedule. */
import type { WrittenRow } from '../definitions/scheduleEvaluator.ts';
import { walk } from '../../grammar/walk.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { wholeNumber } from '../language/expressions.ts';
import { compileNumber } from '../sequences/operands.ts';
import type { Frame } from '../sequences/frame.ts';
import { type CompiledSchedule, tooDeep } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';
import { compileRow, type Row, type Rows, rowsOn } from './rows.ts';

/** The rows; `undefined` where one is wrong, which has been reported. */
export function readRows(context: ReadContext, compiled: CompiledSchedule, rows: readonly Entry[]): Rows | undefined {
  const byDevice = new Map<number, Row>();
  const computed: Row[] = [];
  let general: Row | undefined;
  let wrong = false;
  for (const entry of rows) {
    const row = readRow(context, compiled, entry);
    if (row === undefined) {
      wrong = true;
      continue;
    }
    const { device } = row;
    if (device !== 'all' && typeof device !== 'number') {
      computed.push({ ...row.row, device });
      continue;
    }
    const earlier = device === 'all' ? general : byDevice.get(device);
    if (earlier !== undefined) {
      const related = [{ place: context.report.place(earlier.entry.key), message: 'This one is used.' }];
      const [named] = earlier.entry.parameters ?? [];
      const key = `row(${device === 'all' ? (named?.kind === 'name' ? named.text : 'd') : device})`;
      context.report.report('key/duplicate', entry.key, { key, block: 'schedule' }, { related });
    } else if (device === 'all') general = row.row;
    else byDevice.set(device, row.row);
  }
  return wrong ? undefined : { ...(general === undefined ? {} : { general }), byDevice, computed };
}

interface ReadRow {
  readonly row: Row;
  readonly device: 'all' | number | NonNullable<Row['device']>;
}

function readRow(context: ReadContext, compiled: CompiledSchedule, entry: Entry): ReadRow | undefined {
  const [parameter, second] = entry.parameters ?? [];
  if (parameter === undefined || second !== undefined) {
    context.report.report('type/mismatch', entry.key, {
      expected: 'one device, as `row(d)`, `row(0)` or `row(devices - 1)`',
      found: String(entry.parameters?.length ?? 0),
    });
    return undefined;
  }
  if (parameter.kind === 'missing') return undefined;
  if (parameter.kind === 'name' && isNumber(compiled, parameter.text)) {
    const { text } = parameter;
    const single = text === 'devices' ? 'devices - 1' : `${text} + 0`;
    context.report.report('type/mismatch', parameter, {
      expected: `a new letter for all devices, as \`row(d)\`, or an expression for one device, as \`row(${single})\``,
      found: `\`${text}\`, which is a number of the schedule`,
    });
    return undefined;
  }
  const device = parameter.kind === 'name' ? 'all' : deviceOf(context, compiled, parameter);
  const row = compileRow(compiled.names, entry);
  return device === undefined || row === undefined ? undefined : { row, device };
}

/** Whether a name is given to the schedule or a number of it: `row(last)` would hide it. */
function isNumber({ names }: CompiledSchedule, text: string): boolean {
  const ends = (symbol: string): boolean => symbol.endsWith(`/${text}`);
  return (
    names.slots.has(`variable:${text}`) ||
    [...names.params.keys()].some(ends) ||
    [...names.lets].some(([symbol, { parameters }]) => parameters.length === 0 && ends(symbol))
  );
}

function deviceOf(
  context: ReadContext,
  { names }: CompiledSchedule,
  parameter: Expression,
): number | Row['device'] | undefined {
  if (!usesNumbers(context, parameter)) return wholeNumber(context, parameter, 'The number of the device');
  const code = compileNumber(names, parameter, 'number');
  return code === undefined || tooDeep(names, parameter, code) ? undefined : { code, at: parameter };
}

/** Whether an expression uses what only a pipeline knows: its numbers, and names of the schedule. */
function usesNumbers({ links, symbols }: ReadContext, expression: Expression): boolean {
  let found = false;
  walk(expression, (node) => {
    const symbol = node.kind === 'name' ? links.get(node) : undefined;
    if (symbol === undefined) return;
    found ||= symbol.startsWith('variable:') || symbols.get(symbol)?.container !== undefined;
  });
  return found;
}

/** The devices that rows are written for; `undefined` if they are not numbers, or there is a row for all devices. */
export const singleDevices = ({ general, byDevice, computed }: Rows): readonly number[] | undefined =>
  general === undefined && computed.length === 0 ? [...byDevice.keys()] : undefined;

/** The row of each device, if it is known which. */
export function rowsByDevice(frame: Frame, rows: Rows, devices: number): (device: number) => Row | undefined {
  if (rows.computed.length > 0 && Number.isNaN(devices)) return () => undefined;
  const { byDevice, general } = rowsOn(frame, rows, devices);
  return (device) => byDevice.get(device) ?? general;
}

/** Where a row is written. */
export const writtenRow = ({ report }: ReadContext, { entry, items }: Row): WrittenRow => ({
  place: report.place(entry),
  items: items.map(({ expression }) => report.place(expression)),
});

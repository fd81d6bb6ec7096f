/**
 * A table of layer times from any profiler: `layer,forward,backward_input,backward_weight,activation,output`, a row for each layer in
 * order. Times are in milliseconds and sizes in bytes, unless a cell has a unit.
 */
import { time } from '../../basics/quantities.ts';
import { mostTextFaults, type TextFault } from '../fault.ts';
import { type Line, linesOf } from '../lines.ts';
import type { MeasuredLayer } from '../measured.ts';
import { validNames } from '../names.ts';
import { amountIn, type Dimension } from './amount.ts';
import { type Cell, cellsOf } from './cells.ts';

const times = ['forward', 'backward', 'backward_input', 'backward_weight'] as const;
const sizes = ['weights', 'activation', 'output'] as const;
type Column = 'layer' | (typeof times)[number] | (typeof sizes)[number];
const dimensionOf = (column: Column): Dimension | undefined =>
  column === 'layer' ? undefined : (times as readonly string[]).includes(column) ? 'time' : 'size';
const columns: readonly Column[] = ['layer', ...times, ...sizes];
const isColumn = (text: string): text is Column => (columns as readonly string[]).includes(text);

/** A header with a column of layers and one of forwards. */
export const isTimesCsv = (text: string): boolean =>
  hasColumns(linesOf(text).next().value) || likeHeader(text) !== undefined;

function hasColumns(header: Line | undefined): boolean {
  const names = (header?.text ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.includes('layer') && names.includes('forward');
}

/** The line that a person reads as the header: below comments, with other separators, or with units in the names of its columns. */
function likeHeader(text: string): Line | undefined {
  for (const line of linesOf(text)) {
    if (/^\s*(?:#|\/\/)/.test(line.text)) continue;
    const names = line.text.split(/[,;\t]/, 50).map((name) => name.trim().replaceAll('"', ''));
    const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
    return has(/^(?:layer|name|module|stage)s?$/i) && has(/^(?:forward|fwd)(?:[ _([][\w ()[\]µ./]{0,40})?$/i)
      ? line
      : undefined;
  }
  return undefined;
}

export function readTimesCsv(
  text: string,
):
  | { readonly layers: readonly MeasuredLayer[]; readonly remarks: readonly string[] }
  | { readonly faults: readonly TextFault[] } {
  const [header, ...rows] = linesOf(text);
  if (!hasColumns(header))
    return {
      faults: [
        {
          ...lineOf(likeHeader(text) ?? header),
          message:
            'A table of layer times needs the columns layer and forward in its first line, with commas between them. Units are in the cells: 1.5ms.',
        },
      ],
    };
  const faults: TextFault[] = [];
  const fault = (textFault: TextFault): void => void (faults.length < mostTextFaults && faults.push(textFault));
  const names = cellsOf(header).map(({ text: name, start, end }): Column | undefined => {
    const column = name.toLowerCase();
    if (isColumn(column)) return column;
    fault({ start, end, message: `Unknown column. Known columns: ${columns.join(', ')}.` });
    return undefined;
  });
  const twice = names.findIndex((name, at) => name !== undefined && names.indexOf(name) < at);
  if (twice >= 0) fault({ ...placeOf(cellsOf(header)[twice]), message: 'This column appears twice.' });
  if (names.includes('backward_input') !== names.includes('backward_weight'))
    fault({ ...lineOf(header), message: 'A backward in halves has two columns: backward_input and backward_weight.' });
  if (rows.length === 0)
    fault({ ...lineOf(header), message: 'The table has no layer: a row for each is expected below this line.' });
  const layers = rows.map((row, index) => layerOf(row, index, names, fault));
  if (faults.length > 0) return { faults };
  const valid = validNames(layers.map(({ name }) => name));
  const remarks = [
    'Times without a unit are milliseconds, sizes without one are bytes. A column that the table does not have is 0.',
  ];
  return { layers: layers.map((layer, index) => ({ ...layer, name: valid[index] })), remarks };
}

const placeOf = ({ start, end }: Cell): { readonly start: number; readonly end: number } => ({ start, end });
const lineOf = ({ text, start }: Line): { readonly start: number; readonly end: number } => ({
  start,
  end: start + text.trimEnd().length,
});

function layerOf(
  row: Line,
  index: number,
  names: readonly (Column | undefined)[],
  fault: (textFault: TextFault) => void,
): MeasuredLayer {
  const cells = cellsOf(row);
  if (cells.length !== names.length)
    fault({ ...lineOf(row), message: `This row has ${cells.length} cells; the header has ${names.length}.` });
  const cell = (column: Column): Cell | undefined => cells[names.indexOf(column)];
  const amount = (column: Column): number => {
    const [found, dimension] = [cell(column), dimensionOf(column)];
    if (found === undefined || dimension === undefined || found.text === '') return 0;
    const value = amountIn(found.text, dimension);
    if (value !== undefined) return value;
    const units = dimension === 'time' ? 'ns, us, ms or s' : 'B, KB, MB, GB, KiB, MiB or GiB';
    fault({ ...placeOf(found), message: `Expected a number of at least 0, with ${units} after it or no unit.` });
    return 0;
  };
  const halves = names.includes('backward_input')
    ? { backwardInput: amount('backward_input'), backwardWeight: amount('backward_weight') }
    : {};
  const { backwardInput = 0, backwardWeight = 0 } = halves;
  const [whole, sum] = [amount('backward'), backwardInput + backwardWeight];
  // Rounded times differ in their last digit.
  const disagree = Math.abs(whole - sum) > 0.01 * Math.max(whole, sum);
  if (names.includes('backward_input') && cell('backward')?.text && disagree)
    fault({
      ...lineOf(row),
      message: `The backward takes ${time(whole)}, and its halves ${time(sum)} together: leave out one of the two.`,
    });
  return {
    name: cell('layer')?.text ?? '',
    description: '',
    forward: amount('forward'),
    ...(names.includes('backward') && !names.includes('backward_input') ? { backward: whole } : {}),
    ...halves,
    weights: amount('weights'),
    activation: amount('activation'),
    output: amount('output'),
    after: index === 0 ? [] : [index - 1],
    ...lineOf(row),
  };
}

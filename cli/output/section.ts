import type { Colours } from '../colours.ts';
import { narrowTable } from './table.ts';

/** Rows of a table that are shown before the rest is counted. */
const mostRows = 16;

/** A heading with a table; of more than `mostRows` rows the rest is counted. `columns`: of the terminal, if that matters. */
export function section(
  title: string,
  rows: readonly (readonly string[])[],
  colours: Colours,
  right?: number,
  columns = Infinity,
): string {
  if (rows.length === 0) return '';
  const more = rows.length > mostRows ? `  … and ${rows.length - mostRows} more\n` : '';
  return `${colours.bold(title)}\n${narrowTable(rows.slice(0, mostRows), columns, right)}${more}`;
}

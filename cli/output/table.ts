import { stripVTControlCharacters } from 'node:util';
import { width } from '../drawing/width.ts';

const size = (text: string): number => width(stripVTControlCharacters(text));

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, size(cell))));
  return widths;
}

/** Narrower than a terminal usually is: there a table that is too wide is cut, and elsewhere its lines wrap. */
const narrow = 80;

/**
 * A table on a terminal with few columns: if it is too wide, several tables below each other, each with the first
 * column. `always`: on wider terminals too.
 */
export function narrowTable(
  rows: readonly (readonly string[])[],
  columns: number,
  right = Infinity,
  always = false,
): string {
  const widths = widthsOf(rows);
  const whole = widths.reduce((sum, each) => sum + each + 2, 0);
  if ((columns >= narrow && !always) || whole <= columns || widths.length < 3) return table(rows, right);
  const parts: number[][] = [];
  let used = Infinity;
  for (let column = 1; column < widths.length; column += 1) {
    used += widths[column] + 2;
    if (used > columns) {
      parts.push([]);
      used = widths[0] + widths[column] + 4;
    }
    parts.at(-1)?.push(column);
  }
  return parts
    .map((part) => {
      const shown = [0, ...part];
      const cells = rows.map((row) => shown.flatMap((column) => (column < row.length ? [row[column]] : [])));
      const from = shown.findIndex((column) => column >= right);
      return table(
        cells.filter((row) => row.length > 1),
        from < 0 ? Infinity : from,
      );
    })
    .join('\n');
}

/**
 * Rows as aligned columns, two spaces apart and indented; a row may have fewer cells than others. Columns from `right` on are
 * aligned to the right. Colours do not count.
 */
export function table(rows: readonly (readonly string[])[], right = Infinity): string {
  const widths = widthsOf(rows);
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const space = ' '.repeat(widths[column] - size(cell));
        return column >= right ? space + cell : cell + space;
      });
      return `${`  ${cells.join('  ')}`.trimEnd()}\n`;
    })
    .join('');
}

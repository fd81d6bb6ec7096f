import { stripVTControlCharacters } from 'node:util';
import { width } from '../drawing/width.ts';

/**
 * Rows as aligned columns, two spaces apart and indented; a row may have fewer cells than others. Columns from `right` on are
 * aligned to the right. Colours do not count.
 */
export function table(rows: readonly (readonly string[])[], right = Infinity): string {
  const size = (text: string) => width(stripVTControlCharacters(text));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, size(cell))));
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

import type { Line } from '../lines.ts';

/** A cell without spaces and quotes, and its place in the text. */
export interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Cells of a line, with commas between. A cell in quotes may hold commas; two quotes are one. */
export function cellsOf({ text, start }: Line): readonly Cell[] {
  const cells: Cell[] = [];
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(,|$)/y;
  for (;;) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) {
      // A quote that does not end: the rest is one cell.
      cells.push({ text: text.slice(at).trim(), start: start + at, end: start + text.length });
      return cells;
    }
    const [whole, quoted, plain = '', after] = match;
    const content = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"');
    cells.push({ text: content, start: start + at, end: start + at + whole.length - after.length });
    if (after === '') return cells;
  }
}

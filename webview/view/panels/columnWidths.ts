/** Rows whose texts are looked at: evenly spread, so that a table of a million rows costs no more than a small one. */
const sampled = 200;
/** Characters that one column is given at most: it is cut off beyond that. */
const most = 40;

/** Of a table of `rows`: for each column the characters of its longest text, or of its heading. `texts`: of a row. */
export function columnWidths(
  headings: readonly string[],
  rows: number,
  texts: (row: number) => readonly string[],
): readonly number[] {
  const widths = headings.map((heading) => heading.length);
  const step = Math.max(1, rows / sampled);
  for (let at = 0; at < rows; at += step)
    for (const [column, text] of texts(Math.floor(at)).entries())
      widths[column] = Math.max(widths[column], Math.min(most, text.length));
  return widths;
}

/** For a grid: no column is narrower than its texts, and what is left is divided in proportion. */
export const gridColumns = (widths: readonly number[]): string =>
  widths.map((width) => `minmax(calc(${width}ch + 16px), ${width}fr)`).join(' ');

/** Gives a table the columns of its texts, anew for each `key`. */
export function columnMeasure(table: HTMLElement) {
  let measured = '';
  return (key: string, ...of: Parameters<typeof columnWidths>): void => {
    if (key === measured) return;
    measured = key;
    table.style.setProperty('--columns', gridColumns(columnWidths(...of)));
  };
}

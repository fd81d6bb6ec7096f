import { type TorchTable, cellText } from './table.ts';

/** Rows that are joined before they are handed on. */
const chunk = 64;

/** The table as Python's `csv.writer` writes it; a table that was read keeps its own line ends. In parts, one after the other. */
export function* torchCsvParts(table: TorchTable): Generator<string> {
  const { rows, lineEnd, lastLineEnds } = table;
  for (let from = 0; from < rows.length; from += chunk) {
    const part = rows.slice(from, from + chunk).map((row) => {
      // A row of one empty cell would read as a row without cells.
      if (row.length === 1 && row[0].kind === 'blank') return '""';
      return row.map(cellText).join(',');
    });
    const last = from + chunk >= rows.length;
    yield `${part.join(lineEnd)}${last && !lastLineEnds ? '' : lineEnd}`;
  }
}

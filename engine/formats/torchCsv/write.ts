import { type TorchTable, cellText } from './table.ts';

/** Cells that are joined before they are handed on. */
const chunk = 4_096;

/** The table as Python's `csv.writer` writes it; a table that was read keeps its own line ends. In parts, one after the other. */
export function* torchCsvParts(table: TorchTable): Generator<string> {
  const { rows, lineEnd, lastLineEnds } = table;
  for (const [index, row] of rows.entries()) {
    // A row of one empty cell would read as a row without cells.
    if (row.length === 1 && row[0].kind === 'blank') yield '""';
    else
      for (let from = 0; from < row.length; from += chunk)
        yield `${from === 0 ? '' : ','}${row
          .slice(from, from + chunk)
          .map(cellText)
          .join(',')}`;
    if (index + 1 < rows.length || lastLineEnds) yield lineEnd;
  }
}

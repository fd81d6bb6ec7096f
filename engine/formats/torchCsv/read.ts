import { readCell } from './cell.ts';
import { type CellPlaces, type TorchFault, mostFaults } from './fault.ts';
import type { TorchCell, TorchTable } from './table.ts';

export interface ReadTable {
  readonly table: TorchTable;
  readonly places: CellPlaces;
  /** What PyTorch takes and this package does not write: spaces, quotes, mixed line ends. One sentence each. */
  readonly remarks: readonly string[];
}

/** Cells of one file at most. */
const mostCells = 8_000_000;

/**
 * The table of a PyTorch schedule CSV, or where and why it is none. Only the form is checked here; `checkTable` checks whether
 * the operations are a schedule. Linear in the text.
 */
export function readTorchCsv(text: string): ReadTable | { readonly faults: readonly TorchFault[] } {
  const begin = text.startsWith('\ufeff') ? 1 : 0;
  if (text.length === begin) {
    return {
      faults: [
        { row: 0, column: 0, start: 0, end: 0, message: 'The file is empty.', expected: 'one row for each rank' },
      ],
    };
  }
  const rows: TorchCell[][] = [];
  const starts: number[][] = [];
  const ends: number[][] = [];
  const faults: TorchFault[] = [];
  const seen = { remarks: new Set<string>(begin === 1 ? ['The file begins with a byte-order mark.'] : []) };
  const lineEnds = new Set<string>();
  let cells = 0;
  let at = begin;
  for (;;) {
    const line = lineFrom(text, at);
    const row = rows.length;
    const [own, from, to] = [[] as TorchCell[], [] as number[], [] as number[]];
    for (let start = at; line.end > at && start <= line.end;) {
      const comma = text.indexOf(',', start);
      const end = comma < 0 || comma > line.end ? line.end : comma;
      const cell = readCell(bare(text.slice(start, end), seen.remarks));
      const column = own.length;
      if ('message' in cell) {
        const { message, expected } = cell;
        const repair = cell.oldLetters === true ? ({ repair: 'old-letters' } as const) : {};
        if (faults.length < mostFaults) faults.push({ row, column, start, end, message, expected, ...repair });
        own.push({ kind: 'blank' });
      } else own.push(cell);
      from.push(start);
      to.push(end);
      start = end + 1;
    }
    cells += own.length;
    if (cells > mostCells) {
      const message = `The table has more than ${mostCells.toLocaleString('en-US')} cells.`;
      return { faults: [{ row, column: 0, start: at, end: line.end, message, expected: 'fewer operations' }] };
    }
    rows.push(own);
    starts.push(from);
    ends.push(to);
    if (line.lineEnd !== '') lineEnds.add(line.lineEnd);
    at = line.end + line.lineEnd.length;
    if (line.lineEnd === '' || at === text.length) {
      if (faults.length > 0) return { faults };
      if (lineEnds.size > 1) seen.remarks.add('The rows have different line endings.');
      const [lineEnd] = lineEnds;
      return {
        table: { rows, lineEnd: (lineEnd ?? '\r\n') as TorchTable['lineEnd'], lastLineEnds: line.lineEnd !== '' },
        places: placesOf(starts, ends),
        remarks: [...seen.remarks],
      };
    }
  }
}

function lineFrom(text: string, at: number): { readonly end: number; readonly lineEnd: string } {
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 10) return { end, lineEnd: '\n' };
    if (code === 13) return { end, lineEnd: text.charCodeAt(end + 1) === 10 ? '\r\n' : '\r' };
  }
  return { end: text.length, lineEnd: '' };
}

/** Without spaces and quotes around. A lone `""` is how `csv.writer` writes a row of one blank. */
function bare(cell: string, remarks: Set<string>): string {
  const trimmed = cell.trim();
  if (trimmed.length !== cell.length) remarks.add('Cells have spaces around them.');
  if (trimmed.length < 2 || !trimmed.startsWith('"') || !trimmed.endsWith('"')) return trimmed;
  if (trimmed !== '""') remarks.add('Cells are in quotes.');
  return trimmed.slice(1, -1).trim();
}

function placesOf(starts: readonly (readonly number[])[], ends: readonly (readonly number[])[]): CellPlaces {
  const at: CellPlaces['at'] = (row, column) => {
    const [from, to] = [starts[row] ?? [], ends[row] ?? []];
    const last = from.length - 1;
    // A place behind the row's last cell is its end; that of an empty row, the end of the row before it.
    if (last < 0) return row > 0 ? endOf(at(row - 1, Infinity)) : { start: 0, end: 0 };
    return column <= last ? { start: from[column], end: to[column] } : endOf({ end: to[last] });
  };
  return { at };
}

const endOf = ({ end }: { readonly end: number }): { readonly start: number; readonly end: number } => ({
  start: end,
  end,
});

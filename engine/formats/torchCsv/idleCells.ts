import { count } from '../../basics/quantities.ts';
import type { Majority } from './shape.ts';
import { type TorchTable, computing, dialectOf } from './table.ts';
import { neededKey, resultKey } from './waits.ts';

/**
 * A remark if a table idles longer than its order makes it. An empty cell is a wait only if the next operation of its row needs a
 * result that a neighbouring stage makes in its column or a later one. Other empty cells delay what comes after them on purpose,
 * and an order without times cannot say so. Cells behind the last operation of a row delay nothing. Linear in the cells.
 */
export function idleRemarks(table: TorchTable, { stages, microbatches }: Majority): readonly string[] {
  if (dialectOf(table) === 'compute_comms') return [];
  const columnOf = new Int32Array(3 * stages * microbatches).fill(-1);
  for (const row of table.rows)
    for (const [column, cell] of row.entries())
      for (const action of computing(cell)) columnOf[resultKey(action, stages, microbatches)] = column;

  let lost = 0;
  let first: string | undefined;
  for (const [rank, row] of table.rows.entries()) {
    let earliest = 0;
    for (const [column, cell] of row.entries()) {
      if (cell.kind === 'blank') continue;
      for (const action of computing(cell)) {
        const need = neededKey(action, stages, microbatches);
        if (need >= 0) earliest = Math.max(earliest, columnOf[need] + 1);
      }
      if (column > earliest) {
        lost += column - earliest;
        first ??= `rank ${rank}, column ${earliest + 1}`;
      }
      earliest = column + 1;
    }
  }
  if (first === undefined) return [];
  const cells = count(lost, 'idle cell does', 'idle cells do');
  return [
    `${cells} not follow from the order if each operation takes one cell (the first: ${first}). The .pipe file leaves them out, as PyTorch does: it holds the order only.`,
  ];
}

import type { Columns } from '../picture/columns.ts';
import { rowCountsOf } from './rowCounts.ts';

const known = new WeakMap<Columns, number>();

/** Mean length of the operations that take time, seconds; 0 without any. As `blockLengths`, of operations that are counted already. */
export function meanBlock(columns: Columns): number {
  const found = known.get(columns) ?? mean(columns);
  known.set(columns, found);
  return found;
}

function mean(columns: Columns): number {
  const { count, seconds } = rowCountsOf(columns);
  let operations = 0;
  let total = 0;
  for (let row = 0; row < count.length; row += 1) {
    operations += count[row];
    total += count[row] * seconds[row];
  }
  return operations === 0 ? 0 : total / operations;
}

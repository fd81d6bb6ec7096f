import type { Columns } from './columns.ts';

/** Of the operations that take time, seconds; both 0 without any. */
interface BlockLengths {
  readonly mean: number;
  readonly shortest: number;
}

const known = new WeakMap<Columns, BlockLengths>();

/** O(blocks), once. */
export function blockLengths(columns: Columns): BlockLengths {
  const lengths = known.get(columns) ?? measured(columns);
  known.set(columns, lengths);
  return lengths;
}

function measured({ start, end, word }: Columns): BlockLengths {
  let seconds = 0;
  let operations = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (let block = 0; block < word.length; block += 1) {
    const length = end[block] - start[block];
    if (word[block] < 0 || !(length > 0)) continue;
    seconds += length;
    operations += 1;
    if (length < shortest) shortest = length;
  }
  return operations === 0 ? { mean: 0, shortest: 0 } : { mean: seconds / operations, shortest };
}

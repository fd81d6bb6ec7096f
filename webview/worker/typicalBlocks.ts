import type { Columns } from '../picture/columns.ts';

const known = new WeakMap<Columns, Float64Array>();

/** Median length of the blocks of each device that take time, seconds; 0 for a device without such blocks. O(blocks), once. */
export function typicalBlocks(columns: Columns): Float64Array {
  const found = known.get(columns) ?? medians(columns);
  known.set(columns, found);
  return found;
}

/** Operations of one kind and stage are about equally long, so they are counted, not sorted: the median is over kinds and stages. */
function medians({ rows, offsets, start, end, word, shift, parts }: Columns): Float64Array {
  const count = new Int32Array(parts.main.length);
  const seconds = new Float64Array(parts.main.length);
  const median = new Float64Array(rows);
  for (let device = 0; device < rows; device += 1) {
    const present: number[] = [];
    let total = 0;
    for (let block = offsets[device]; block < offsets[device + 1]; block += 1) {
      const length = end[block] - start[block];
      if (word[block] < 0 || !(length > 0)) continue;
      const row = word[block] >> shift;
      if (count[row] === 0) present.push(row);
      count[row] += 1;
      seconds[row] += length;
      total += 1;
    }
    present.sort((a, b) => seconds[a] / count[a] - seconds[b] / count[b]);
    let before = 0;
    for (const row of present) {
      if (before < total / 2) median[device] = seconds[row] / count[row];
      before += count[row];
      count[row] = 0;
      seconds[row] = 0;
    }
  }
  return median;
}

import type { Columns } from '../picture/columns.ts';
import { rowCountsOf } from './rowCounts.ts';

const known = new WeakMap<Columns, Float64Array>();

/**
 * Median length of the blocks of each device that take time, seconds; 0 for a device without such blocks. Operations of one kind and
 * stage are about equally long, so they are counted, not sorted: the median is over kinds and stages.
 */
export function typicalBlocks(columns: Columns): Float64Array {
  const found = known.get(columns) ?? medians(columns);
  known.set(columns, found);
  return found;
}

function medians(columns: Columns): Float64Array {
  const { offsets, count, seconds } = rowCountsOf(columns);
  return Float64Array.from({ length: columns.rows }, (_, device) => {
    const present: number[] = [];
    let total = 0;
    for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
      if (count[at] > 0) present.push(at);
      total += count[at];
    }
    present.sort((a, b) => seconds[a] - seconds[b]);
    let median = 0;
    let before = 0;
    for (const at of present) {
      if (before < total / 2) median = seconds[at];
      before += count[at];
    }
    return median;
  });
}

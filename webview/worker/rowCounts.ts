import { operationCounts } from '../../engine/order/operationCounts.ts';
import type { Timeline } from '../../engine/values/timeline.ts';
import { type Columns, syncWord } from '../picture/columns.ts';

/** What blocks there are, as compressed rows by device: rows of operations, how many take time, and their mean seconds. */
export interface RowCounts {
  readonly offsets: Int32Array;
  readonly rows: Int32Array;
  readonly count: Int32Array;
  readonly seconds: Float64Array;
  /** Whether there are blocks of an exchange of gradients, and of a step of an optimizer. */
  readonly syncs: boolean;
  readonly steps: boolean;
}

const known = new WeakMap<Columns, RowCounts>();

/** Of columns that were made of a timeline: its rows are counted already. If it has no starts, operations of a row take equally long. */
export function keepRowCounts(columns: Columns, { program, timing, starts }: Timeline): void {
  if (starts !== undefined) return;
  const { offsets, rows, count } = operationCounts(program);
  const seconds = Float64Array.from(rows, (row) => timing.duration[row]);
  const taking = count.map((operations, at) => (seconds[at] > 0 ? operations : 0));
  known.set(columns, { offsets, rows, count: taking, seconds, ...tailsOf(columns, program.offsets) });
}

/** The blocks after the operations of each device. */
function tailsOf({ word, offsets }: Columns, positions: Int32Array): Pick<RowCounts, 'syncs' | 'steps'> {
  let [syncs, steps] = [false, false];
  for (let device = 0; device + 1 < offsets.length; device += 1)
    for (let at = offsets[device] + positions[device + 1] - positions[device]; at < offsets[device + 1]; at += 1)
      if (word[at] === syncWord) syncs = true;
      else steps = true;
  return { syncs, steps };
}

/** O(rows) for columns of a timeline, otherwise one pass over the blocks. */
export function rowCountsOf(columns: Columns): RowCounts {
  const counts = known.get(columns) ?? counted(columns);
  known.set(columns, counts);
  return counts;
}

function counted({ rows: devices, offsets, start, end, word, shift, parts }: Columns): RowCounts {
  const [seen, taking] = [new Int32Array(parts.main.length), new Int32Array(parts.main.length)];
  const sum = new Float64Array(parts.main.length);
  const starts = new Int32Array(devices + 1);
  const [rows, count, seconds]: number[][] = [[], [], []];
  let [syncs, steps] = [false, false];
  for (let device = 0; device < devices; device += 1) {
    const found: number[] = [];
    for (let block = offsets[device]; block < offsets[device + 1]; block += 1) {
      if (word[block] < 0) {
        if (word[block] === syncWord) syncs = true;
        else steps = true;
        continue;
      }
      const row = word[block] >> shift;
      const length = end[block] - start[block];
      if (seen[row] === 0) found.push(row);
      seen[row] = 1;
      if (!(length > 0)) continue;
      taking[row] += 1;
      sum[row] += length;
    }
    for (const row of found.sort((a, b) => a - b)) {
      rows.push(row);
      count.push(taking[row]);
      // Stages may have operations that take no time.
      seconds.push(taking[row] === 0 ? 0 : sum[row] / taking[row]);
      seen[row] = taking[row] = sum[row] = 0;
    }
    starts[device + 1] = rows.length;
  }
  return {
    ...{ offsets: starts, rows: Int32Array.from(rows), count: Int32Array.from(count) },
    ...{ seconds: Float64Array.from(seconds), syncs, steps },
  };
}

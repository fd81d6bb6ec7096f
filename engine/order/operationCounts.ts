import { kindsIn, type Program } from '../values/program.ts';

/** How many operations of each row a device runs, as compressed rows: device d has `offsets[d]` to `offsets[d + 1]`. */
export interface OperationCounts {
  readonly offsets: Int32Array;
  /** Rows that the device runs, in ascending order. */
  readonly rows: Int32Array;
  readonly count: Int32Array;
}

const known = new WeakMap<Program, OperationCounts>();

/** Counted once for each program. */
export function operationCounts(program: Program): OperationCounts {
  const kept = known.get(program);
  if (kept !== undefined) return kept;
  const { devices, stages, offsets, order, shift } = program;
  const starts = new Int32Array(devices + 1);
  const rows: number[] = [];
  const count: number[] = [];
  // Two counters for each row, used in turn: counting the same row twice in succession would wait for the first time.
  const length = kindsIn(program) * stages;
  const even = new Int32Array(length);
  const odd = new Int32Array(length);
  for (let device = 0; device < devices; device += 1) {
    const found: number[] = [];
    const stop = offsets[device + 1];
    for (let at = offsets[device]; at < stop; at += 2) {
      const row = order[at] >> shift;
      if ((even[row] += 1) === 1) found.push(row);
      if (at + 1 === stop) break;
      const next = order[at + 1] >> shift;
      if ((odd[next] += 1) === 1) found.push(next);
    }
    found.sort((a, b) => a - b);
    for (const row of found) {
      // A row that both counters have found is in the list twice.
      if (even[row] + odd[row] === 0) continue;
      rows.push(row);
      count.push(even[row] + odd[row]);
      even[row] = 0;
      odd[row] = 0;
    }
    starts[device + 1] = rows.length;
  }
  const counts = { offsets: starts, rows: Int32Array.from(rows), count: Int32Array.from(count) };
  known.set(program, counts);
  return counts;
}

/** Keeps what a loop over all operations of a program has counted, by row. Every operation of a row is on the device of its stage. */
export function keepCounts(program: Program, byRow: Int32Array): void {
  if (known.has(program)) return;
  const { devices, stages, placement } = program;
  const lists = Array.from({ length: devices }, (): number[] => []);
  byRow.forEach((count, row) => {
    if (count > 0) lists[placement[row % stages]].push(row);
  });
  const rows = Int32Array.from(lists.flat());
  const offsets = new Int32Array(devices + 1);
  lists.forEach((list, device) => (offsets[device + 1] = offsets[device] + list.length));
  known.set(program, { offsets, rows, count: rows.map((row) => byRow[row]) });
}

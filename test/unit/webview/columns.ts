import * as fc from '../../support/property.ts';
import type { Columns } from '../../../webview/picture/columns.ts';

/** Rows of blocks without any engine: kinds, lengths and gaps in whole units of a tick, so that expectations can be exact. */
export interface PlainBlock {
  readonly kind: number;
  readonly gap: number;
  readonly length: number;
}

/** One stage a device; B divides at 60 %, of which the first 10 % recompute where `recompute`. */
export function columnsFrom(rows: readonly (readonly PlainBlock[])[], recompute = false): Columns {
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  const stages = Math.max(1, rows.length);
  const microbatches = Math.max(1, ...rows.map((row) => row.length));
  const shift = Math.max(1, 32 - Math.clz32(microbatches));
  const offsets = new Int32Array(rows.length + 1);
  const start = new Float64Array(total);
  const end = new Float64Array(total);
  const word = new Int32Array(total);
  let block = 0;
  rows.forEach((row, device) => {
    let time = 0;
    row.forEach(({ kind, gap, length }, index) => {
      start[block] = time + gap;
      time += gap + length;
      end[block] = time;
      word[block] = ((kind * stages + device) << shift) | index;
      block += 1;
    });
    offsets[device + 1] = block;
  });
  const main = Uint8Array.from({ length: 4 * stages }, (_, row) => [0, 1, 1, 2][Math.trunc(row / stages)]);
  const weight = Float64Array.from({ length: 4 * stages }, (_, row) => (Math.trunc(row / stages) === 1 ? 0.6 : 1));
  const again = Float64Array.from({ length: 4 * stages }, (_, row) =>
    recompute && Math.trunc(row / stages) === 1 ? 0.1 : 0,
  );
  const makespan = end.reduce((most, time) => Math.max(most, time), 0);
  return {
    rows: rows.length,
    offsets,
    start,
    end,
    word,
    parts: { main, recompute: again, weight },
    shift,
    stages,
    microbatches,
    makespan,
  };
}

export const plainRows = (most: number, rows = 6) =>
  fc.array(
    fc.array(
      fc.record({
        kind: fc.integer({ min: 0, max: 3 }),
        gap: fc.integer({ min: 0, max: 5 }),
        length: fc.integer({ min: 1, max: 9 }),
      }),
      { minLength: 1, maxLength: most },
    ),
    { minLength: 1, maxLength: rows },
  );

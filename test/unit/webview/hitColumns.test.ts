import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Columns } from '../../../webview/picture/columns.ts';
import { hitColumns, type Sight } from '../../../webview/picture/hitColumns.ts';
import { columnsFrom, plainRows } from './columns.ts';

/** Pixels of every line that hold a hit, marked hit by hit. */
function marked(columns: Columns, found: Int32Array, { t0, t1, width, firstRow, lastRow, rowsPerPixel }: Sight) {
  const lines = new Map<number, Set<number>>();
  const scale = width / (t1 - t0);
  for (let row = firstRow - (firstRow % rowsPerPixel); row <= lastRow || row % rowsPerPixel !== 0; row += 1) {
    if (row >= columns.rows) break;
    for (const block of found) {
      if (block < columns.offsets[row] || block >= columns.offsets[row + 1]) continue;
      if (columns.end[block] < t0 || columns.start[block] >= t1) continue;
      const from = Math.max(0, Math.round((columns.start[block] - t0) * scale));
      const to = Math.min(width, Math.max(from + 1, Math.round((columns.end[block] - t0) * scale)));
      const line = lines.get(row - (row % rowsPerPixel)) ?? new Set();
      for (let x = from; x < to; x += 1) line.add(x);
      lines.set(row - (row % rowsPerPixel), line);
    }
  }
  return lines;
}

describe('columns of pixels that hold hits', () => {
  it('hold a hit that ends exactly with the next column', () => {
    const columns = columnsFrom([[1, 1, 1, 22].map((length) => ({ kind: 0, gap: 0, length }))]);
    const sight = { t0: 0, t1: 24, width: 8, firstRow: 0, lastRow: 0, rowsPerPixel: 1 };
    const hits = hitColumns(columns, Int32Array.of(1, 2), sight);
    expect([hits.count, hits.left[0], hits.right[0]]).toEqual([1, 0, 2]);
  });

  it('are those of every hit, without overlap, at every zoom', () => {
    fc.assert(
      fc.property(
        plainRows(60, 9),
        fc.array(fc.boolean(), { minLength: 7, maxLength: 40 }),
        fc.integer({ min: 8, max: 400 }),
        fc.double({ min: 0, max: 0.8, noNaN: true }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 4 }),
        (rows, hit, width, from, share, rowsPerPixel) => {
          const columns = columnsFrom(rows);
          const found = Int32Array.from(columns.word.keys()).filter((block) => hit[block % hit.length]);
          const t0 = from * columns.makespan;
          const t1 = t0 + share * columns.makespan;
          const sight = { t0, t1, width, firstRow: 0, lastRow: columns.rows - 1, rowsPerPixel };
          const hits = hitColumns(columns, found, sight);
          const wanted = marked(columns, found, sight);
          const got = new Map<number, Set<number>>();
          for (let at = 0; at < hits.count; at += 1) {
            const line = got.get(hits.row[at]) ?? new Set();
            for (let x = hits.left[at]; x < hits.right[at]; x += 1) {
              expect(line.has(x)).toBe(false);
              line.add(x);
            }
            got.set(hits.row[at], line);
          }
          // A hit that ends within a pixel of the one before shares its column.
          for (const [row, line] of wanted) for (const x of line) expect(got.get(row)).toContain(x);
          for (const [row, line] of got) for (const x of line) expect(wanted.get(row)).toContain(x);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('follow the pixels, not the hits', () => {
    const blocks = 200_000;
    const columns = columnsFrom([Array.from({ length: blocks }, () => ({ kind: 0, gap: 0, length: 1 }))]);
    let reads = 0;
    const end = new Proxy(columns.end, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        const value: unknown = Reflect.get(target, key, target);
        return value;
      },
    });
    const found = Int32Array.from({ length: blocks }, (_, block) => block);
    const sight = { t0: 0, t1: columns.makespan, width: 500, firstRow: 0, lastRow: 0, rowsPerPixel: 1 };
    const hits = hitColumns({ ...columns, end }, found, sight);
    expect(hits.count).toBe(1);
    expect([hits.left[0], hits.right[0]]).toEqual([0, 500]);
    expect(reads).toBeLessThan(500 * 40);
  });
});

it('columns of a row that stands for several devices hold the hits of all of them, once', () => {
  const row = (gap: number) => [{ kind: 0, gap, length: 4 }];
  const columns = columnsFrom([row(0), row(2), row(10), row(20)]);
  const sight = { t0: 0, t1: 24, width: 24, firstRow: 0, lastRow: 1, rowsPerPixel: 1, spans: Int32Array.of(0, 3, 4) };
  const hits = hitColumns(columns, Int32Array.of(0, 1, 2, 3), sight);
  expect(Array.from({ length: hits.count }, (_, at) => [hits.row[at], hits.left[at], hits.right[at]])).toEqual([
    [0, 0, 6],
    [0, 10, 14],
    [1, 20, 24],
  ]);
});

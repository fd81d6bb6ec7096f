/** Operations that run at another place, against all subsets of small rows. */
import { describe, expect, it } from 'vitest';
import * as fc from '../../support/property.ts';
import type { Columns } from '../../../webview/picture/columns.ts';
import { movedBlocks } from '../../../webview/picture/movedBlocks.ts';

/** Rows of operation words, each a second long. */
function columnsOf(rows: readonly (readonly number[])[]): Columns {
  const word = Int32Array.from(rows.flat());
  const offsets = new Int32Array(rows.length + 1);
  for (const [row, words] of rows.entries()) offsets[row + 1] = offsets[row] + words.length;
  const parts = { main: new Uint8Array(0), recompute: new Float64Array(0), weight: new Float64Array(0) };
  const start = Float64Array.from(word, (_, at) => at);
  const end = Float64Array.from(word, (_, at) => at + 1);
  return { rows: rows.length, offsets, start, end, word, parts, shift: 1, stages: 1, microbatches: 2, makespan: 1 };
}

/** Most operations that keep their order, by trying all subsets. */
function mostKept(row: readonly number[], before: readonly number[]): number {
  let most = 0;
  for (let subset = 0; subset < 1 << row.length; subset += 1) {
    const places = row.filter((_, at) => ((subset >> at) & 1) === 1).map((word) => before.indexOf(word));
    if (places.every((place, at) => place >= 0 && (at === 0 || place > places[at - 1])))
      most = Math.max(most, places.length);
  }
  return most;
}

const word = fc.integer({ min: 0, max: 9 });
const row = fc.uniqueArray(word, { maxLength: 8 });

describe('operations that have moved', () => {
  it('are as few as can be, and all others of the row keep their order', () => {
    fc.assert(
      fc.property(row, row, (after, before) => {
        const moved = movedBlocks(columnsOf([after]), columnsOf([before]));
        expect(moved.length).toBe(after.length - mostKept(after, before));
        const kept = after.filter((_, at) => !moved.includes(at)).map((each) => before.indexOf(each));
        expect(kept).toEqual(kept.toSorted((a, b) => a - b));
        expect(kept).not.toContain(-1);
      }),
    );
  });

  it('are counted row by row, without the work that ends a device', () => {
    const after = columnsOf([
      [1, 2, 3, -1],
      [6, 5, 4, -2],
    ]);
    const before = columnsOf([
      [2, 1, 3, -1],
      [4, 5, 6, -2],
    ]);
    expect([...movedBlocks(after, before)]).toHaveLength(3);
    expect([...movedBlocks(before, before)]).toEqual([]);
  });
});

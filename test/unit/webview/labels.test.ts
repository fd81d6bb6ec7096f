import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { labelAt, labelSizes, labelWidth, labelledPart, labelsAt } from '../../../webview/picture/labels.ts';
import { columnsFrom, plainRows } from './columns.ts';

const kindOf = (columns: ReturnType<typeof columnsFrom>, block: number): number =>
  Math.trunc((columns.word[block] >> columns.shift) / columns.stages);

/** What the rule says, counted block by block without the summary of a row. */
function expected(columns: ReturnType<typeof columnsFrom>, scale: number, tall: number) {
  const digits = String(columns.microbatches - 1).length;
  const fits = (row: number, size: number) => {
    for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1) {
      const [from, to] = labelledPart(columns, block);
      if ((to - from) * scale < digits * 0.62 * size + 2.5) return false;
    }
    return true;
  };
  const rows = Array.from({ length: columns.rows }, (_, row) => row);
  const counts = labelSizes
    .filter((size) => size <= tall)
    .map((size) => ({ size, rows: rows.filter((row) => fits(row, size)) }));
  const most = Math.max(0, ...counts.map((entry) => entry.rows.length));
  const best = counts.find((entry) => entry.rows.length === most);
  return best === undefined || columns.rows - most > columns.rows / 4 ? { size: 0, rows: [] as number[] } : best;
}

describe('numbers on blocks', () => {
  it('are on all passes of a row or on none, in one size, or nowhere where over a quarter of the rows fail', () => {
    fc.assert(
      fc.property(
        plainRows(8, 9),
        fc.double({ min: 0.5, max: 40, noNaN: true }),
        fc.integer({ min: 6, max: 14 }),
        (rows, scale, tall) => {
          const columns = columnsFrom(rows, true);
          const labels = labelsAt(columns, scale, tall);
          const wanted = expected(columns, scale, tall);
          expect(labels.size).toBe(wanted.size);
          for (let row = 0; row < columns.rows; row += 1)
            for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1)
              expect(labels.shown[labelAt(columns, row, block, kindOf(columns, block))] === 1).toBe(
                wanted.rows.includes(row),
              );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('take the largest size that loses no row, and 9 px before a row is lost', () => {
    const columns = columnsFrom([[{ kind: 0, gap: 0, length: 1 }]]);
    for (const size of labelSizes) {
      const width = labelWidth(1, size);
      expect(labelsAt(columns, width, 30).size).toBe(size);
      expect(labelsAt(columns, width - 1e-6, 30).size).toBe(size === 9 ? 0 : size - 1);
    }
    expect(labelWidth(1, 11)).toBeCloseTo(9.32);
    expect(labelWidth(3, 9)).toBeCloseTo(19.24);
  });

  it('count the digits of the largest microbatch, also on blocks with fewer', () => {
    const row = Array.from({ length: 11 }, () => ({ kind: 0, gap: 0, length: 1 }));
    expect(labelsAt(columnsFrom([row]), labelWidth(1, 9), 30).size).toBe(0);
    expect(labelsAt(columnsFrom([row]), labelWidth(2, 9), 30).size).toBe(9);
    expect(labelsAt(columnsFrom([row.slice(0, 10)]), labelWidth(1, 9), 30).size).toBe(9);
  });

  it('stay where one row of four fails and go where two do', () => {
    const wide = [{ kind: 0, gap: 0, length: 9 }];
    const narrow = [{ kind: 0, gap: 0, length: 1 }];
    const scale = labelWidth(1, 11) / 9;
    const four = columnsFrom([wide, wide, narrow, wide]);
    const one = labelsAt(four, scale, 30);
    expect([0, 1, 2, 3].map((row) => one.shown[labelAt(four, row, row, 0)])).toEqual([1, 1, 0, 1]);
    expect(labelsAt(columnsFrom([wide, wide, narrow, narrow]), scale, 30).size).toBe(0);
  });

  it('are left out on operations that take no time', () => {
    const columns = columnsFrom([
      [
        { kind: 0, gap: 0, length: 5 },
        { kind: 3, gap: 0, length: 0 },
      ],
    ]);
    const labels = labelsAt(columns, 20, 30);
    expect([labels.size, labels.shown[0], labels.shown[3]]).toEqual([11, 1, 0]);
  });

  it('lie in the input half of a whole backward, after what it recomputes', () => {
    const columns = columnsFrom([[{ kind: 1, gap: 2, length: 10 }]], true);
    const [from, to] = labelledPart(columns, 0);
    expect(from).toBeCloseTo(3);
    expect(to).toBeCloseTo(8);
  });

  it('are decided apart for operations that share a slot, whose numbers may take the whole block', () => {
    const alone = { kind: 0, gap: 0, length: 1 };
    const rows = [[alone, { kind: 0, gap: 0, length: 3 }, { kind: 1, gap: 0, length: 3 }]];
    const columns = { ...columnsFrom(rows), pair: Uint8Array.of(0, 1, 2) };
    const shown = (scale: number) => {
      const labels = labelsAt(columns, scale, 30);
      return [labels.size, ...[0, 1, 2].map((block) => labels.shown[labelAt(columns, 0, block, block === 2 ? 1 : 0)])];
    };
    expect(shown(labelWidth(1, 9) / 3 - 1e-6)).toEqual([0, 0, 0, 0]);
    expect(shown(labelWidth(1, 9) / 3)).toEqual([9, 0, 1, 1]);
    expect(shown(labelWidth(1, 11) / 3)).toEqual([11, 0, 1, 1]);
    // One size for all: the smaller one.
    expect(shown(labelWidth(1, 9))).toEqual([9, 1, 1, 1]);
    // Without a shared slot, the narrowest decides for all.
    expect(labelsAt(columnsFrom(rows), labelWidth(1, 9) / 3, 30).size).toBe(0);
  });
});

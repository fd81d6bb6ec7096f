import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { colouringOf } from '../../../webview/worker/colouring.ts';
import { buildPyramid } from '../../../webview/worker/pyramid.ts';
import { columnsFrom, plainRows } from './columns.ts';
import { sharesOf } from './shareOfTime.ts';

const pyramidFrom = (rows: Parameters<typeof columnsFrom>[0]) => {
  const columns = columnsFrom(rows);
  return buildPyramid(columns, colouringOf(columns, { colourBy: 'operation', chunk: new Uint8Array(0) }));
};
/** Half of a 255th, and what sums of 32-bit numbers lose. */
const precision = 0.5 / 255 + 1e-4;

describe('pyramid', () => {
  it('says of each bin of each level, for devices and for groups of them, the share of each kind to a 510th', () => {
    fc.assert(
      fc.property(plainRows(30, 11), (few) => {
        const rows = few.map((row) => Array.from({ length: 150 }, (_, at) => row[at % row.length]));
        const { groups, span, colouring } = pyramidFrom(rows);
        expect(groups[0].levels.length).toBeGreaterThan(1);
        expect(groups.map((group) => group.rows).at(-1)).toBe(1);
        groups.forEach(({ rows: count, levels }, k) => {
          for (const { bins, data } of levels) {
            const width = span / bins;
            for (let group = 0; group < count; group += 1) {
              const members = rows.filter((_, row) => row >> k === group);
              for (let bin = group % 7; bin < bins; bin += 13) {
                const exact = sharesOf(members, bin * width, (bin + 1) * width);
                colouring.used.forEach((kind, slot) => {
                  const share = data[(group * bins + bin) * colouring.used.length + slot] / 255;
                  expect(Math.abs(share - exact[kind])).toBeLessThanOrEqual(precision);
                });
              }
            }
          }
        });
      }),
      { numRuns: 15 },
    );
  });

  it('has at most a bin a block', () => {
    for (const length of [64, 100, 1000, 5000]) {
      const row = Array.from({ length }, () => ({ kind: 0, gap: 1, length: 2 }));
      const [{ levels }] = pyramidFrom([row, row]).groups;
      expect(levels[0].bins).toBeLessThanOrEqual(length);
      expect(levels[0].bins).toBeGreaterThan(length / 2);
      expect(levels.at(-1)?.bins).toBe(64);
    }
  });
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { buildPyramid } from '../../../webview/worker/pyramid.ts';
import { columnsFrom, plainRows } from './columns.ts';

/** Seconds of each kind of a row between two times, found the long way. */
function covered(rows: Parameters<typeof columnsFrom>[0], row: number, from: number, to: number): number[] {
  const seconds = [0, 0, 0];
  let time = 0;
  for (const { kind, gap, length } of rows[row]) {
    time += gap;
    const parts =
      kind === 1
        ? [
            [0, 0.6, 1],
            [0.6, 1, 2],
          ]
        : [[0, 1, kind === 0 ? 0 : kind === 2 ? 1 : 2]];
    for (const [a, b, paint] of parts)
      seconds[paint] += Math.max(0, Math.min(to, time + b * length) - Math.max(from, time + a * length));
    time += length;
  }
  return seconds;
}

describe('pyramid', () => {
  it('says of each bin of each level how busy it is, to 1/31', () => {
    fc.assert(
      fc.property(plainRows(60), (rows) => {
        const columns = columnsFrom(rows);
        const { groups, span } = buildPyramid(columns);
        for (const { bins, data } of groups[0].levels.filter((level) => level.bins <= 256)) {
          for (let row = 0; row < rows.length; row += 1) {
            for (let bin = 0; bin < bins; bin += 17) {
              const width = span / bins;
              const exact =
                covered(rows, row, bin * width, (bin + 1) * width).reduce((sum, part) => sum + part, 0) / width;
              expect(Math.abs((data[row * bins + bin] & 31) / 31 - exact)).toBeLessThanOrEqual(1 / 31 + 1e-4);
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the proportions of kinds along a row', () => {
    const row = Array.from({ length: 3000 }, (_, index) => ({
      kind: [0, 1, 0, 3][index % 4],
      gap: 0,
      length: 1 + (index % 3),
    }));
    const columns = columnsFrom([row]);
    const exact = covered([row], 0, 0, columns.makespan).map((seconds) => seconds / columns.makespan);
    for (const { bins, data } of buildPyramid(columns).groups[0].levels) {
      const shown = [0, 0, 0];
      for (const byte of data) shown[byte >> 5] += (byte & 31) / 31 / bins;
      shown.forEach((share, kind) =>
        expect(Math.abs(share - exact[kind]), `kind ${kind} of ${bins} bins`).toBeLessThan(2 / bins + 0.005),
      );
    }
  });

  it('shows groups of rows by their mean', () => {
    fc.assert(
      fc.property(plainRows(30, 11), (rows) => {
        const columns = columnsFrom(rows);
        const { groups, span } = buildPyramid(columns);
        expect(groups.map((group) => group.rows).at(-1)).toBe(1);
        groups.forEach(({ rows: count, levels }, k) => {
          const { bins, data } = levels[levels.length - 1];
          for (let group = 0; group < count; group += 1) {
            const members = rows.map((_, row) => row).filter((row) => row >> k === group);
            for (let bin = 0; bin < bins; bin += 13) {
              const width = span / bins;
              const busy = members.map(
                (row) =>
                  covered(rows, row, bin * width, (bin + 1) * width).reduce((sum, part) => sum + part, 0) / width,
              );
              const mean = busy.reduce((sum, part) => sum + part, 0) / members.length;
              expect(Math.abs((data[group * bins + bin] & 31) / 31 - mean)).toBeLessThanOrEqual(1 / 31 + 1e-4);
            }
          }
        });
      }),
      { numRuns: 25 },
    );
  });
});

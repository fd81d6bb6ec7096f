import { expect, test } from 'vitest';
import { bestOf } from '../../../engine/sweep/best.ts';
import { dominates, type Figures, frontOf, isRoomy } from '../../../engine/sweep/front.ts';
import * as fc from '../../support/property.ts';

const rows = fc.array(fc.record({ iteration: fc.integer({ min: 1, max: 6 }), peak: fc.integer({ min: 1, max: 6 }) }), {
  maxLength: 30,
});

test('the front has the figures of all rows that no other row is better than, each once', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const names = (found: typeof all) =>
        [...new Set(found.map(({ iteration, peak }) => `${iteration} ${peak}`))].toSorted();
      const front = frontOf(all);
      expect(names([...front])).toEqual(names(all.filter((row) => !all.some((other) => dominates(other, row)))));
      expect(new Set(names([...front])).size).toBe(front.length);
      for (const row of front)
        expect(all.find(({ iteration, peak }) => iteration === row.iteration && peak === row.peak)).toBe(row);
    }),
  );
});

const tightRows = fc.array(
  fc.record(
    {
      iteration: fc.integer({ min: 1, max: 6 }),
      peak: fc.integer({ min: 1, max: 6 }),
      tight: fc.constant(0.01),
    },
    { requiredKeys: ['iteration', 'peak'] },
  ),
  { maxLength: 30 },
);

test('where devices differ, the front has the best of the rows that keep room, and no row that another is better than', () => {
  fc.assert(
    fc.property(tightRows, (all) => {
      const front = frontOf(all);
      expect(front.every((row) => !all.some((other) => dominates(other, row)))).toBe(true);
      for (const row of all)
        expect(
          front.some(
            (other) => (isRoomy(other) || !isRoomy(row)) && other.iteration <= row.iteration && other.peak <= row.peak,
          ),
        ).toBe(true);
      const roomy = all.filter(isRoomy);
      const among = roomy.length > 0 ? roomy : all;
      for (const [minimise, of] of [
        ['iteration', ({ iteration }: Figures) => iteration],
        ['peak_memory', ({ peak }: Figures) => peak],
      ] as const) {
        const best = bestOf(front, minimise);
        expect(best === undefined ? Infinity : of(best)).toBe(Math.min(...among.map(of)));
        if (best !== undefined) expect(isRoomy(best)).toBe(roomy.length > 0);
      }
    }),
  );
});

test('a row is no better than its equal', () => {
  expect(dominates({ iteration: 1, peak: 1 }, { iteration: 1, peak: 1 })).toBe(false);
  expect(dominates({ iteration: 1, peak: 1 }, { iteration: 1, peak: 2 })).toBe(true);
  expect(dominates({ iteration: 1, peak: 2 }, { iteration: 2, peak: 1 })).toBe(false);
});

test('of rows whose times differ by rounding alone, the first one is in the front', () => {
  const [plain, chunked] = [
    { iteration: 7.66890177176003, peak: 3 },
    { iteration: 7.66890177176001, peak: 3 },
  ];
  expect(frontOf([plain, chunked])).toEqual([plain]);
  expect(frontOf([chunked, plain])).toEqual([chunked]);
  expect(dominates(chunked, plain)).toBe(false);
  expect(frontOf([plain, { iteration: 7.6689, peak: 3 }])).toEqual([{ iteration: 7.6689, peak: 3 }]);
});

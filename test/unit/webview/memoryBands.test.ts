import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { bandShares } from '../../../webview/picture/memoryBands.ts';
import { memoryBands } from '../../../webview/worker/memoryBands.ts';

const tracks = fc.array(
  fc.array(fc.record({ wait: fc.integer({ min: 1, max: 9 }), bytes: fc.integer({ min: 0, max: 40 }) }), {
    minLength: 1,
    maxLength: 25,
  }),
  { minLength: 1, maxLength: 40 },
);

describe('bands of memory', () => {
  it('are, in each column, the levels that shares of the devices do not exceed, each at its highest there', () => {
    fc.assert(
      fc.property(
        tracks,
        fc.integer({ min: 1, max: 30 }),
        fc.nat({ max: 40 }),
        fc.integer({ min: 1, max: 90 }),
        (all, columns, t0, length) => {
          const made = all.map((steps) => {
            let time = 0;
            const at = Float64Array.from(steps, ({ wait }, index) => (index === 0 ? 0 : (time += wait)));
            return { at, bytes: Float64Array.from(steps, ({ bytes }) => bytes), base: 0, capacity: 50 };
          });
          // Eighths of a second and 32 columns: edges of columns are exact in binary.
          const [wide, span] = [columns <= 8 ? 8 : 32, length * 8];
          const { levels, ...rest } = memoryBands(made, t0, t0 + span, wide);
          expect(rest).toEqual({ t0, t1: t0 + span, columns: wide });
          for (let column = 0; column < wide; column += 1) {
            const from = t0 + (span * column) / wide;
            const to = t0 + (span * (column + 1)) / wide;
            const highest = made.map(({ at, bytes }) => {
              let level = 0;
              at.forEach((time, step) => {
                const until = at[step + 1] ?? Infinity;
                if (time < to && until > from) level = Math.max(level, bytes[step]);
              });
              return level;
            });
            highest.sort((a, b) => a - b);
            bandShares.forEach((share, at) =>
              expect(levels[column * bandShares.length + at]).toBe(highest[Math.round(share * (made.length - 1))]),
            );
          }
        },
      ),
    );
  });

  it('have wider columns where there are more devices, so that a picture stays cheap', () => {
    const track = { at: Float64Array.of(0), bytes: Float64Array.of(1), base: 0, capacity: 2 };
    expect(
      memoryBands(
        Array.from({ length: 64 }, () => track),
        0,
        1,
        1600,
      ).columns,
    ).toBe(1600);
    expect(
      memoryBands(
        Array.from({ length: 1024 }, () => track),
        0,
        1,
        1600,
      ).columns,
    ).toBe(128);
  });
});

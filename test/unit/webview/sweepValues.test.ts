import { describe, expect, it } from 'vitest';
import { sweepValues } from '../../../webview/session/sweepValues.ts';
import * as fc from '../../support/property.ts';

describe('values of a param to chart', () => {
  it('are all of a short range', () => {
    expect(sweepValues({ min: 2, max: 8, step: 2 }, [4])).toEqual([2, 4, 6, 8]);
    expect(sweepValues({ min: 1, max: 1, step: 1 }, [1])).toEqual([1]);
  });

  it('are apart by a factor over a wide range, so that small values are among them', () => {
    const found = sweepValues({ min: 1, max: 1024, step: 1 }, [8]);
    expect(found.length).toBeLessThanOrEqual(24);
    expect(found.slice(0, 3)).toEqual([1, 2, 3]);
    expect(found.at(-1)).toBe(1024);
    expect(found).toContain(8);
  });

  it('ascend, lie in the range and on its steps, and hold what is asked for', () => {
    const range = fc.record({
      min: fc.integer({ min: 0, max: 50 }),
      span: fc.integer({ min: 0, max: 5000 }),
      step: fc.integer({ min: 1, max: 7 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(range, ({ min, span, step, part }) => {
        const max = min + span * step;
        const always = min + Math.round(part * span) * step;
        const found = sweepValues({ min, max, step }, [always]);
        expect(found).toContain(always);
        expect(found.length).toBeLessThanOrEqual(25);
        expect(found[0]).toBe(min);
        expect(found.at(-1)).toBe(max);
        for (const [index, value] of found.entries()) {
          expect((value - min) % step).toBe(0);
          expect(value).toBeLessThanOrEqual(max);
          if (index > 0) expect(value).toBeGreaterThan(found[index - 1]);
        }
      }),
    );
  });
});

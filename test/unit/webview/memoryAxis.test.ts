import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { curve, memoryAfter } from '../../../webview/picture/memoryLevel.ts';
import { memoryAxis } from '../../../webview/view/paint/memoryAxis.ts';

const GiB = 2 ** 30;

describe('axis of memory', () => {
  it('goes from 0 to the limit, and is cut where the peak is under 60 % of it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e4, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e4, noNaN: true }),
        fc.integer({ min: 64, max: 600 }),
        fc.integer({ min: 0, max: 500 }),
        (peak, capacity, height, top) => {
          const axis = memoryAxis(peak * GiB, capacity * GiB, { y: top, height });
          expect(axis.cut === undefined).toBe(peak * GiB >= 0.6 * (capacity * GiB));
          expect(axis.y(0)).toBe(axis.bottom);
          expect(axis.bottom).toBeLessThan(top + height);
          expect(axis.top).toBeGreaterThanOrEqual(top);
          // Every level is in the chart; under the limit, under its line, and under the strokes where there are some.
          expect(axis.y(peak * GiB)).toBeGreaterThanOrEqual(axis.top - 1e-6);
          if (peak < capacity * 0.999) expect(axis.y(peak * GiB)).toBeGreaterThan(axis.limit);
          if (peak > capacity * 1.001) expect(axis.y(peak * GiB)).toBeLessThan(axis.limit);
          if (axis.cut !== undefined) expect(axis.y(peak * GiB)).toBeGreaterThan(axis.cut);
          else expect(axis.y(capacity * GiB)).toBeCloseTo(axis.limit, 6);
          const places = axis.ticks.map(({ at }) => at);
          for (const [index, at] of places.entries()) {
            expect(at).toBeGreaterThanOrEqual(axis.top - 1e-6);
            // No two figures are over each other.
            if (index > 0) expect(places[index - 1] - at).toBeGreaterThanOrEqual(12);
          }
        },
      ),
    );
  });

  it('has no scale where nothing holds a byte', () => {
    const axis = memoryAxis(0, 8 * GiB, { y: 0, height: 300 });
    expect(axis.ticks).toEqual([{ at: axis.bottom, text: '0' }]);
    expect(memoryAxis(3, 8 * GiB, { y: 0, height: 300 }).ticks.length).toBeGreaterThan(1);
  });

  it('rests while the peak changes a little', () => {
    const at = (peak: number) => memoryAxis(peak * GiB, 80 * GiB, { y: 0, height: 200 }).y(GiB);
    expect(at(5.2)).toBe(at(5.6));
    expect(at(5.2)).not.toBe(at(9));
  });
});

describe('curve of memory', () => {
  const steps = fc.array(
    fc.record({ length: fc.double({ min: 1e-4, max: 3, noNaN: true }), level: fc.integer({ min: 0, max: 9 }) }),
    { minLength: 1, maxLength: 40 },
  );

  it('has in each pixel the highest level that it has there, and nothing thinner than a pixel', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 60 }), (all, pixels) => {
        let time = 0;
        const at = all.map(({ length }) => (time += length) - length);
        const bytes = all.map(({ level }) => level);
        const track = { at: Float64Array.from(at), bytes: Float64Array.from(bytes), base: 0, capacity: 9 };
        const points = curve(track, 0, time, pixels);
        const times = points.filter((_, index) => index % 2 === 0);
        const levels = points.filter((_, index) => index % 2 === 1);
        const pixel = time / pixels;
        expect(times.length).toBeLessThanOrEqual(pixels + 2);
        expect(times[0]).toBe(0);
        for (let index = 1; index < times.length; index += 1)
          expect(times[index] - times[index - 1]).toBeGreaterThanOrEqual(pixel * (1 - 1e-9));
        // Never under the level, and over it only by what is within a pixel.
        for (let probe = 0; probe < 200; probe += 1) {
          const moment = (time * probe) / 200;
          const shown = levels[times.findLastIndex((each) => each <= moment)];
          expect(shown).toBeGreaterThanOrEqual(memoryAfter(track, moment));
          const near = bytes.filter(
            (_, step) => at[step] < moment + pixel && (at[step + 1] ?? Infinity) >= moment - pixel,
          );
          expect(shown).toBeLessThanOrEqual(Math.max(...near));
        }
      }),
    );
  });

  it('shows no dip between two operations, and every short peak', () => {
    const track = (bytes: number[]) => ({
      at: Float64Array.of(0, 5, 5.01),
      bytes: Float64Array.from(bytes),
      base: 0,
      capacity: 9,
    });
    expect([...curve(track([4, 3, 4]), 0, 10, 100)]).toEqual([0, 4]);
    expect([...curve(track([3, 4, 3]), 0, 10, 100)]).toEqual([0, 3, 5, 4, 5.1, 3]);
  });
});

import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import { sharedSamples } from '../../../engine/sweep/sharedSamples.ts';

/** Ranks that can share the samples, with four for each, found by trying all. */
const sharers = (samples: number, exact: number, devices: number): number => {
  let found = 0;
  for (let ranks = 1; ranks <= devices; ranks += 1)
    if (devices % ranks === 0 && samples % ranks === 0 && (ranks === 1 || 4 * ranks <= exact)) found += 1;
  return found;
};

describe('samples that ranks can share', () => {
  // 4 M tokens of 8,192 are 488.3 samples.
  test.each([
    // 144 = 16 · 9. 496 = 16 · 31 cannot be shared by 3, 9 or 18 ranks; 504 = 8 · 9 · 7 can.
    [488.28125, 144, 504, 72],
    // 96 = 32 · 3: 480 = 96 · 5 is shared by all twelve divisors, and 1.7 % off.
    [488.28125, 96, 480, 96],
    // 72 GPUs of a rack: 504 is shared by all.
    [488.28125, 72, 504, 72],
    // Powers of two have no other factors: the nearest multiple of the largest that leaves four samples.
    [488.28125, 64, 512, 64],
    [488.28125, 256, 512, 64],
    [488.28125, 1024, 512, 64],
    [97.65625, 8, 96, 8],
    // 13 does not divide what is within 5 % of 16: no more than the power of two.
    [15.5, 26, 16, 2],
    [0.3, 8, 1, 1],
  ])('%f on %i devices: %i, a multiple of %i', (exact, devices, samples, multipleOf) => {
    expect(sharedSamples(exact, devices)).toEqual({ samples, multipleOf });
  });

  test('on a power of two are the nearest multiple of the largest that leaves four samples to each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 100_000 }), (power, tenths) => {
        const [devices, exact] = [2 ** power, tenths / 10];
        let step = 1;
        while (devices % (2 * step) === 0 && 8 * step <= exact) step *= 2;
        expect(sharedSamples(exact, devices).samples).toBe(Math.max(step, Math.round(exact / step) * step));
      }),
    );
  });

  test('on any devices, no number within 5 % is shared by more ranks, nor is one nearer that is shared by as many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 10, max: 8_000 }), (devices, tenths) => {
        const exact = tenths / 10;
        const { samples, multipleOf } = sharedSamples(exact, devices);
        expect([samples % multipleOf, devices % multipleOf]).toEqual([0, 0]);
        const own = sharers(samples, exact, devices);
        for (let other = Math.max(1, Math.ceil(0.95 * exact)); other <= 1.05 * exact; other += 1) {
          const its = sharers(other, exact, devices);
          expect(its).toBeLessThanOrEqual(own);
          if (its === own) expect(Math.abs(other - exact)).toBeGreaterThanOrEqual(Math.abs(samples - exact));
        }
      }),
    );
  });
});

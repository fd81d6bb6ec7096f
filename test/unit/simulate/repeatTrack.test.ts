import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { repeatTrack } from '../../../engine/simulate/repeatTrack.ts';
import { memoryAfter } from '../../../webview/picture/memoryLevel.ts';

const base = 5;
const trackOf = (at: readonly number[], bytes: readonly number[]) => ({
  at: Float64Array.from(at),
  bytes: Float64Array.from(bytes),
  base,
  capacity: 100,
});

describe('the memory of a device whose iterations repeat', () => {
  it('holds in each iteration what it held one period before', () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 1, max: 9 }), bytes: fc.integer({ min: 6, max: 40 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(steps, fc.nat({ max: 30 }), fc.nat({ max: 20 }), (all, begins, rest) => {
        let time = begins;
        const at = all.map(({ wait }) => {
          const now = time;
          time += wait;
          return now;
        });
        // From the first step to the level that is always there takes the device's whole iteration.
        const period = time - begins + rest;
        const track = trackOf(
          [...(begins > 0 ? [0] : []), ...at, time],
          [...(begins > 0 ? [base] : []), ...all.map(({ bytes }) => bytes), base],
        );
        const repeated = repeatTrack(track, period);
        expect([...repeated.at]).toEqual([...repeated.at].sort((a, b) => a - b));
        for (let moment = 0.5; moment < begins + 2 * period; moment += 1) {
          // More than one period before the device begins, no iteration is shown.
          if (moment < begins - period) continue;
          const within = begins + ((((moment - begins) % period) + period) % period);
          expect(memoryAfter(repeated, moment)).toBe(memoryAfter(track, within));
        }
      }),
    );
  });

  it('is not repeated where steps of two iterations would mix', () => {
    const track = trackOf([0, 1, 9], [base, 20, base]);
    expect(repeatTrack(track, 7)).toBe(track);
    expect(repeatTrack(track, 8)).not.toBe(track);
  });

  it('stays level on a device that runs nothing', () => {
    const track = trackOf([0], [base]);
    expect(repeatTrack(track, 3)).toBe(track);
  });
});

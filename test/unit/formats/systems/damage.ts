import { expect } from 'vitest';
import type { readAiconfigurator } from '../../../../engine/formats/aiconfigurator/read.ts';
import type { readCalculon } from '../../../../engine/formats/calculon/read.ts';
import * as fc from '../../../support/property.ts';

/** Cuts and additions anywhere in a file: the reader finds faults with places in it, or a system whose figures are possible. */
export function checkDamaged(
  text: string,
  read: typeof readCalculon | typeof readAiconfigurator,
  additions: readonly string[],
  runs: number,
): void {
  const damage = fc.tuple(fc.nat(text.length - 1), fc.nat(3), fc.constantFrom(...additions));
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
      let damaged = text;
      for (const [at, cut, by] of damages) damaged = damaged.slice(0, at) + by + damaged.slice(at + cut);
      const found = read(damaged);
      if ('faults' in found) {
        expect(found.faults.length).toBeGreaterThan(0);
        for (const { start, end, message } of found.faults) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(damaged.length);
          expect(message).toMatch(/\.$/);
        }
        return;
      }
      const { device, networks } = found;
      for (const figure of [device.memory, device.bandwidth, ...Object.values(device.compute)])
        expect(figure > 0 && figure < Infinity).toBe(true);
      expect(device.reserved ?? 0).toBeLessThan(device.memory);
      for (const { bandwidth, latency } of networks)
        expect(bandwidth > 0 && bandwidth < Infinity && latency >= 0 && latency < Infinity).toBe(true);
    }),
    { numRuns: runs },
  );
}

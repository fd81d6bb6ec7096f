import * as fc from '../../../support/property.ts';
import { expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Two layers of 2 ms and 4 ms on each of four devices, a transfer of c each way. The forms hold where p divides m and c is no more
// than F; Zhuang et al. (2023) compare the two orders.
const [p, F, B] = [4, 0.004, 0.008];

test('1F1B waits 2(p − 1)m / p + 2p − 4 times c, eager 1F1B 2(p − 1) times', () => {
  const microbatches = fc.integer({ min: 1, max: 16 }).map((groups) => groups * p);
  fc.assert(
    fc.property(microbatches, fc.integer({ min: 0, max: 400 }), (m, hundredths) => {
      const c = hundredths / 1e5;
      const iteration = (pipeline: string) =>
        systemReport('alpa', pipeline, { microbatches: m, transfer: c }).iteration;
      const compute = (m + p - 1) * (F + B);
      expect(iteration('plain')).toBeCloseTo(compute + ((2 * (p - 1) * m) / p + 2 * p - 4) * c, 9);
      expect(iteration('overlapped')).toBeCloseTo(compute + 2 * (p - 1) * c, 9);
    }),
    { numRuns: 40 },
  );
});

test('beyond c = (F + B) / 2 the eager order no longer hides transfers', () => {
  const [m, c] = [64, 0.012];
  const { iteration } = systemReport('alpa', 'overlapped', { microbatches: m, transfer: c });
  expect(iteration).toBeGreaterThan((m + p - 1) * (F + B) + 2 * (p - 1) * c + 1e-6);
});

test('it pays with memory: 7, 5, 3, 1 microbatches in place of 4, 3, 2, 1', () => {
  expect(inFlight(systemReport('alpa', 'plain'))).toEqual([4, 3, 2, 1]);
  expect(inFlight(systemReport('alpa', 'overlapped'))).toEqual([7, 5, 3, 1]);
});

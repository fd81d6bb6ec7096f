import { expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Lamy-Poirier (2023): four layers of 2 ms and 4 ms on each of four devices.
const [p, F, B] = [4, 0.008, 0.016];

test.each([
  ['breadth', 4],
  ['single', 1],
] as const)('%s: v = %i idles (p − 1)(F + B) / v for m ≥ p and holds m·v chunks', (pipeline, v) => {
  for (const m of [4, 8, 64]) {
    const report = systemReport('breadth_first', pipeline, { microbatches: m });
    expect(report.iteration).toBeCloseTo((m + (p - 1) / v) * (F + B), 12);
    expect(inFlight(report)).toEqual([m * v, m * v, m * v, m * v]);
  }
});

test('fewer microbatches than devices leave each further chunk waiting', () => {
  const [v, m] = [4, 2];
  const { iteration } = systemReport('breadth_first', 'breadth', { microbatches: m });
  expect(iteration).toBeCloseTo((m + (p - 1) / v + ((v - 1) * (p - m)) / v) * (F + B), 12);
});

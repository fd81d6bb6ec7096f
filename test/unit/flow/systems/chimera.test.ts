import { describe, expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

const D = 8;
const ms = 1e-3;
/** Ring over the n devices that hold the same n stages of 256 MiB, at 100 GB/s. */
const sync = (n: number) => ((2 * (n - 1)) / n) * ((n * 256 * 2 ** 20) / 100e9);
const idle = (pipeline: string, microbatches: number, copies: number) =>
  systemReport('chimera', pipeline, { microbatches }).devices.map((device) => (device.idle - sync(copies)) / ms);

describe.each([16, 32, 48, 64])('%i microbatches, F = 1 ms and B = 2 ms', (N) => {
  test('units one behind the other idle (D − 2)(N/D + 1)', () => {
    for (const value of idle('direct', N, 2)) expect(value).toBeCloseTo((D - 2) * (N / D + 1), 9);
  });

  test('doubled forwards idle (D − 2) / (3N/2 + D − 2) of the time', () => {
    for (const value of idle('doubled', N, 2))
      expect(value / (value + 3 * N)).toBeCloseTo((D - 2) / ((3 * N) / 2 + D - 2), 12);
  });

  test('halved backwards idle half of that: their slots are half as long', () => {
    for (const value of idle('halved', N, 2)) expect(value).toBeCloseTo(D - 2, 9);
  });
});

test('holds D/2 + 1 to D microbatches, twice that with doubled forwards, and as much as before in halves', () => {
  expect(inFlight(systemReport('chimera', 'direct'))).toEqual([5, 6, 7, 8, 8, 7, 6, 5]);
  expect(Math.max(...inFlight(systemReport('chimera', 'doubled')))).toBe(2 * D);
  const activations = (pipeline: string) =>
    Math.max(...systemReport('chimera', pipeline).devices.map(({ memory }) => memory.activations));
  expect(activations('halved')).toBe(activations('direct'));
});

test('each pipeline more is a copy more of the weights, and of what is exchanged', () => {
  const weights = (pipeline: string) => systemReport('chimera', pipeline).devices[0].memory.weights / (256 * 2 ** 20);
  expect([weights('baseline'), weights('direct'), weights('four')]).toEqual([1, 2, 4]);
  expect(Math.max(...idle('four', 32, 4))).toBeLessThan(Math.max(...idle('direct', 32, 2)));
});

test('counts halves as parts of the microbatches that the file has', () => {
  const [direct, halved] = ['direct', 'halved'].map((name) => systemReport('chimera', name));
  expect(halved.throughput * halved.iteration).toBeCloseTo(direct.throughput * direct.iteration, 9);
});

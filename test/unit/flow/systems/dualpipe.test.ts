import { describe, expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Milliseconds of F, B and W of a stage; gradients of two stages of 512 MiB in a ring of two at 160 GB/s.
const [p, F, B, W] = [8, 1, 2, 1];
const ms = 1e-3;
const sync = (2 * (2 * 512 * 2 ** 20)) / 2 / 160e9;
const computing = (pipeline: string, microbatches: number) =>
  systemReport('dualpipe', pipeline, { microbatches }).devices.map(({ idle }) => (idle - sync) / ms);

describe.each([16, 20, 64])('%i microbatches', (m) => {
  test('one operation after the other: every device idles (p/2 − 1)(F&B + B − 3W), F&B = F + B', () => {
    for (const idle of computing('one_after_the_other', m))
      expect(idle).toBeCloseTo((p / 2 - 1) * (F + B + B - 3 * W), 9);
    const { iteration } = systemReport('dualpipe', 'one_after_the_other', { microbatches: m });
    expect(iteration).toBeCloseTo((m * (F + B) + 6) * ms + sync, 12);
  });

  test('with half of each forward hidden the form is that of the devices in the middle', () => {
    const idle = computing('half_hidden', m);
    for (const [device, expected] of [3.5, 4, 4.5, 4.5, 4.5, 4.5, 4, 3.5].entries())
      expect(idle[device]).toBeCloseTo(expected, 9);
    expect(Math.max(...idle)).toBeCloseTo((p / 2 - 1) * (2.5 + B - 3 * W), 9);
  });
});

test('holds p + 1 microbatches, and twice the weights of 1F1B', () => {
  expect(inFlight(systemReport('dualpipe', 'one_after_the_other'))).toEqual(Array.from({ length: p }, () => p + 1));
  expect(inFlight(systemReport('dualpipe', 'baseline'))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  const weights = (pipeline: string) => systemReport('dualpipe', pipeline).devices.map(({ memory }) => memory.weights);
  expect(weights('half_hidden')).toEqual(weights('baseline').map((weight) => 2 * weight));
});

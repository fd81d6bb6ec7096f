import { describe, expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Milliseconds of F, B and W of a chunk.
const [p, F, B, W] = [4, 1, 2, 1];
const ms = 1e-3;

describe.each([8, 10, 33])('%i microbatches', (microbatches) => {
  const idle = (pipeline: string) =>
    systemReport('dualpipe_v', pipeline, { microbatches }).devices.map((device) => device.idle / ms);

  test('one operation after the other: every device idles (p − 1)(F&B + B − 3W), F&B = F + B', () => {
    for (const value of idle('one_after_the_other')) expect(value).toBeCloseTo((p - 1) * (F + B + B - 3 * W), 9);
  });

  test('with half of each forward hidden it is at most (p − 1)(F&B + B − 3W), F&B = 2.5', () => {
    expect(Math.max(...idle('half_hidden'))).toBeCloseTo((p - 1) * (2.5 + B - 3 * W), 9);
  });

  test('zb_v on the same V idles (p − 1)F', () => {
    for (const value of idle('zero_bubble')) expect(value).toBeCloseTo((p - 1) * F, 9);
  });
});

test('holds 2p + 1 chunks, one more than zb_v, and the weights once', () => {
  expect(inFlight(systemReport('dualpipe_v', 'one_after_the_other'))).toEqual([9, 9, 9, 9]);
  expect(inFlight(systemReport('dualpipe_v', 'zero_bubble'))).toEqual([8, 8, 8, 8]);
  const { devices } = systemReport('dualpipe_v', 'half_hidden');
  for (const { memory } of devices) expect(memory.weights).toBe(2 * 256 * 2 ** 20);
});

import { describe, expect, test } from 'vitest';
import { inFlight, peaks, systemReport } from './system.ts';

// Fan et al., "DAPPLE" (2021). Two layers of 4 ms and 8 ms on each of four devices.
const [p, F, B] = [4, 0.008, 0.016];
const device = [0, 1, 2, 3];

describe.each([1, 4, 8, 16, 64])('%i microbatches', (microbatches) => {
  const report = (pipeline: string) => systemReport('dapple', pipeline, { microbatches });
  const m = microbatches;

  test('policy a holds min(M, S − i) microbatches, policy b min(M, 2(S − i) − 1)', () => {
    expect(inFlight(report('policy_a'))).toEqual(device.map((i) => Math.min(m, p - i)));
    expect(inFlight(report('policy_b'))).toEqual(device.map((i) => Math.min(m, 2 * (p - i) - 1)));
    expect(inFlight(report('three_in_flight'))).toEqual(device.map((i) => Math.min(m, p - i, 3)));
  });

  test('both idle (S − 1)(F + B), and a limit of D below S adds (M − D)(S − D)(F + B)', () => {
    for (const pipeline of ['all_forwards', 'policy_a', 'policy_b'])
      expect(report(pipeline).iteration).toBeCloseTo((m + p - 1) * (F + B), 12);
    const late = Math.max(0, m - 3) * (p - 3);
    expect(report('three_in_flight').iteration).toBeCloseTo((m + p - 1 + late) * (F + B), 12);
  });
});

test('memory does not grow with M once all are in flight; with all forwards first it does', () => {
  const [eight, sixty] = [8, 64].map((microbatches) =>
    ['policy_a', 'policy_b', 'all_forwards'].map((one) => peaks(systemReport('dapple', one, { microbatches }))),
  );
  expect(sixty.slice(0, 2)).toEqual(eight.slice(0, 2));
  // 1 GiB of activations for each of 56 more.
  expect(sixty[2]).toEqual(eight[2].map((bytes) => bytes + 56 * 2 ** 30));
});

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
    ['policy_a', 'policy_b', 'all_forwards'].map((name) => peaks(systemReport('dapple', name, { microbatches }))),
  );
  expect(sixty.slice(0, 2)).toEqual(eight.slice(0, 2));
  // 1 GiB of activations for each of 56 more.
  expect(sixty[2]).toEqual(eight[2].map((bytes) => bytes + 56 * 2 ** 30));
});

test('planned: three replicas share the blocks, and the simulation takes what the planner says', () => {
  const planned = systemReport('dapple', 'planned');
  expect(planned.stages.map((stage) => stage.layers.length)).toEqual([6, 2]);
  // Both stages take F = 8 ms and B = 16 ms: the first has three replicas for 24 ms and 48 ms, the last one for 8 ms and 16 ms.
  const [f, b] = [0.008, 0.016];
  const reduce = 2 * (2 / 3) * ((6 * 32 * 2 ** 20) / 25e9);
  const transfer = (8 * 2 ** 20) / 25e9;
  // The last is the pivot: T_w is both F and a transfer, T_s is 7 (F + B), T_e both B, a transfer and the exchange of the first.
  expect(planned.iteration).toBeCloseTo(8 * (f + b) + f + b + 2 * transfer + reduce, 9);
  expect(systemReport('dapple', 'balanced').iteration).toBeGreaterThan(planned.iteration);
});

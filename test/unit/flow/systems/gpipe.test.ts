import { describe, expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

const reportsFor = (microbatches: number) =>
  analyseExample('systems/gpipe.pipe', { microbatches }).pipelines.map((pipeline) => pipeline.run?.report);
const [MiB, ms] = [2 ** 20, 1e-3];
// Layers, devices; forward and backward of a stage; bytes of a layer's activation, which is the output of the one before; transfer.
const [L, K, F, B, a] = [16, 4, 12 * ms, 24 * ms, 64 * MiB];
const c = a / 1000e9;

describe.each([4, 8, 32])('GPipe with %i microbatches', (M) => {
  const [kept, checkpoints] = reportsFor(M);

  test('idles (K − 1) / (M + K − 1), with recomputation too', () => {
    for (const [report, work] of [
      [kept, F + B],
      [checkpoints, F + F + B],
    ] as const) {
      const iteration = (M + K - 1) * work + 2 * (K - 1) * c;
      expect(report?.iteration).toBeCloseTo(iteration, 9);
      const ideal = (K - 1) / (M + K - 1);
      // The transfers of fill and drain are all that is added.
      expect(1 - ((1 - (report?.bubble.makespan ?? NaN)) * iteration) / ((M + K - 1) * work)).toBeCloseTo(ideal, 9);
    }
  });

  test('keeps N L / K activations of a minibatch of N, or N + (L / K − 1) N / M with recomputation', () => {
    const N = M * a;
    expect(kept?.devices.map((device) => device.memory.activations)).toEqual([0, 1, 2, 3].map(() => (N * L) / K));
    const held = checkpoints?.devices.map((device) => device.memory.activations) ?? [];
    // The input of the stage is one of its L / K activations; the paper's N + (L / K) N / M counts it once more.
    expect(held.slice(1)).toEqual([1, 2, 3].map(() => N + ((L / K - 1) * N) / M));
    expect(Math.max(...held)).toBeLessThanOrEqual(N + ((L / K) * N) / M);
    // The first stage reads the data: only one microbatch is there, whole.
    expect(held[0]).toBe(((L / K) * N) / M);
  });
});

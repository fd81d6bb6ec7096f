import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

test.each([1, 2, 4, 16])('pipemare.pipe with %i microbatches: delays, learning rates, memory', (n) => {
  const [train, plain] = analyseExample('systems/pipemare.pipe', { microbatches: n }).pipelines.map(
    (pipeline) => pipeline.run?.report,
  );
  const [p, F, B] = [4, 2e-3, 4e-3];
  for (const report of [train, plain]) {
    expect(report?.iteration).toBeCloseTo(n * (F + B), 7);
    for (const [s, stage] of (report?.stages ?? []).entries()) {
      const delay = (2 * (p - (s + 1)) + 1) / n;
      expect(stage.delay).toBeCloseTo(delay, 12);
      expect(stage.figures?.['learning_rate_scale']).toBeCloseTo(Math.min(1, 1 / delay), 12);
      if (report === plain) expect(stage.figures).not.toHaveProperty('correction_decay');
      expect(stage.versions).toBe(1);
      expect(stage.staleness_mean).toBeCloseTo((2 * (p - 1 - s)) / n, 12);
    }
  }
  for (const [s, stage] of (train?.stages ?? []).entries())
    expect(stage.figures?.['correction_decay']).toBeCloseTo(0.135 ** (n / (2 * (p - 1 - s) + 1)), 12);
  const weights = 2 * 64 * 2 ** 20;
  expect(train?.devices.map((device) => device.memory.versions)).toEqual([weights, weights, weights, weights]);
  expect(plain?.devices.map((device) => device.memory.versions)).toEqual([0, 0, 0, 0]);
});

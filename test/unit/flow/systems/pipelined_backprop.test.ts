import { describe, expect, test } from 'vitest';
import { spikeCompensation } from '../../../../engine/policies/builtin/pipelined_backprop.ts';
import { analyseExample } from '../../../support/analyse.ts';

const S = 4;

test('pipelined_backprop.pipe: delay 2(S − 1 − s), one version, and the coefficients of spike compensation', () => {
  const report = analyseExample('systems/pipelined_backprop.pipe').pipelines[0]?.run?.report;
  expect(report?.asynchronous).toMatchObject({ weights: 'latest', steady: true });
  expect(report?.iteration).toBeCloseTo(2e-3, 7);
  for (const [s, stage] of (report?.stages ?? []).entries()) {
    const D = 2 * (S - 1 - s);
    expect([stage.versions, stage.staleness, stage.inconsistent]).toEqual([1, D, D > 0]);
    // b is the sum of the momentum's powers that the late gradient has missed.
    const missed = Array.from({ length: D }, (_, k) => 0.9 ** k).reduce((sum, value) => sum + value, 0);
    expect(stage.figures?.['spike_a']).toBeCloseTo(0.9 ** D, 12);
    expect(stage.figures?.['spike_b']).toBeCloseTo(missed, 12);
    expect(stage.figures?.['prediction_horizon']).toBe(D);
  }
});

test('spike compensation of a momentum of 1 counts the delay', () => {
  expect(spikeCompensation(1, 6)).toEqual({ a: 1, b: 6 });
  expect(spikeCompensation(0, 0)).toEqual({ a: 1, b: 0 });
});

describe.each([1, 8, 64])('fill and drain of %i samples', (N) => {
  test('in steps of a forward and a backward devices are busy N / (N + 2S − 2) of the time', () => {
    // Sample j is at stage s in step j + s forward, and in step j + 2(S − 1) − s backward.
    let last = 0;
    for (let j = 0; j < N; j += 1) for (let s = 0; s < S; s += 1) last = Math.max(last, j + 2 * (S - 1) - s);
    expect(N / (last + 1)).toBeCloseTo(N / (N + 2 * S - 2), 12);
    const report = analyseExample('systems/pipelined_backprop.pipe', { samples: N }).pipelines[1]?.run?.report;
    // Without such steps fill and drain overlap by half: N / (N + S − 1), which is what the simulated order does.
    expect(1 - (report?.bubble.makespan ?? NaN)).toBeCloseTo(N / (N + S - 1), 5);
  });
});

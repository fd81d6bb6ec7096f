import { describe, expect, test } from 'vitest';
import { correctionDecay, learningRateScale } from '../../../../engine/policies/builtin/pipemare.ts';
import { delayAt } from '../../../../engine/simulate/versions.ts';
import { asynchronousPlan, run, settled, stalenessOf } from './plans.ts';

const shapes = [1, 2, 3, 4, 6, 9].flatMap((p) => [1, 2, 3, 4, 8].map((n) => [p, n] as const));

describe.each(shapes)('P = %i, N = %i', (p, n) => {
  const ran = run(asynchronousPlan({ name: 'pipemare', stages: p, microbatches: n, iterations: 12 + 8 * p }));

  test('the delay of stage i, counted from 1, is (2(P − i) + 1) / N', () => {
    for (let stage = 0; stage < p; stage += 1) {
      const delay = (2 * (p - (stage + 1)) + 1) / n;
      const found = settled(ran, stage, (slot) => delayAt(ran.versions, stage, slot));
      expect(found).toHaveLength(1);
      expect(found[0]).toBeCloseTo(delay, 12);
    }
  });

  test('no versions but the newest; whole updates late are those that 2(P − i) microbatches reach back', () => {
    for (let stage = 0; stage < p; stage += 1) {
      const late = 2 * (p - 1 - stage);
      expect(ran.versions.most[stage]).toBe(1);
      const expected = new Set(Array.from({ length: n }, (_, j) => -Math.floor((j - late) / n)));
      expect(stalenessOf(ran, stage)).toEqual([...expected].map((value) => value + 0).sort((a, b) => a - b));
    }
  });
});

test('the correction costs one copy of the weights', () => {
  const copies = (correction: string) =>
    run(asynchronousPlan({ name: 'pipemare', stages: 4, microbatches: 2, args: { correction } })).versions.copies;
  expect(copies('on')).toBe(1);
  expect(copies('off')).toBe(0);
});

test('learning rates are scaled by 1 / τ at first, and the mean change decays by D^(1 / τ)', () => {
  expect(learningRateScale(3.5)).toBeCloseTo(1 / 3.5, 12);
  expect(learningRateScale(0.25)).toBe(1);
  expect(correctionDecay(0.135, 2)).toBeCloseTo(Math.sqrt(0.135), 12);
  expect(correctionDecay(0.135, 1)).toBeCloseTo(0.135, 12);
});

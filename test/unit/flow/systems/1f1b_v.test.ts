import { expect, test } from 'vitest';
import { inFlight, peaks, systemReport } from './system.ts';

// Four devices, F of a layer 10 ms and B 20 ms. Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): the peak of
// 1F1B-V is about two thirds of 1F1B's.
const layer = 0.01;

test('holds six chunks where 1F1B holds four microbatches of two chunks', () => {
  expect(inFlight(systemReport('1f1b_v', 'in_line'))[0]).toBe(4);
  expect(inFlight(systemReport('1f1b_v', 'in_a_v'))).toEqual([6, 6, 6, 6]);
  // What a device holds besides activations is the same: 512 MiB of weights and their gradients, and no optimizer state.
  const [line, v] = ['in_line', 'in_a_v'].map((pipeline) => peaks(systemReport('1f1b_v', pipeline))[0]);
  expect(line - v).toBe(2 * 2 ** 30);
});

test.each([8, 12, 24])('with %i microbatches it idles 15 forwards of a layer where 1F1B idles 18', (m) => {
  expect(systemReport('1f1b_v', 'in_line', { microbatches: m }).iteration).toBeCloseTo((6 * m + 18) * layer, 9);
  expect(systemReport('1f1b_v', 'in_a_v', { microbatches: m }).iteration).toBeCloseTo((6 * m + 15) * layer, 9);
});

import { expect, test } from 'vitest';
import { shapeExcess } from '../../../engine/grid/shapeLimit.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';

const limits = { ...defaultOptions.limits, elements: 8, operations: 64 };

test('a shape may be as large as a limit and no larger, in devices, stages and operations', () => {
  // 2 operations × 4 stages × 8 microbatches = 64.
  const largest = { devices: 8, stages: 4, microbatches: 8 };
  expect(shapeExcess('s', largest, limits)).toBeUndefined();
  expect(shapeExcess('s', { devices: 8, stages: 8, microbatches: 4 }, limits)).toBeUndefined();
  expect(shapeExcess('s', { ...largest, devices: 9 }, limits)).toMatchObject({ figure: '9', limit: '8' });
  expect(shapeExcess('s', { devices: 8, stages: 9, microbatches: 1 }, limits)).toMatchObject({
    figure: '9',
    limit: '8',
  });
  expect(shapeExcess('s', { ...largest, microbatches: 9 }, limits)).toMatchObject({ figure: '72', limit: '64' });
  // A split backward makes three operations of each stage and microbatch, a second iteration twice as many.
  expect(shapeExcess('s', largest, limits, 3)).toMatchObject({ figure: '96' });
  expect(shapeExcess('s', { ...largest, iterations: 2 }, limits)).toMatchObject({ figure: '128' });
});

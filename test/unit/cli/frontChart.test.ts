import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { frontChart } from '../../../cli/drawing/frontChart.ts';
import type { PlanPoint } from '../../../engine/sweep/answer.ts';

const plain = picocolors.createColors(false);

const point = (iteration: number, peak: number): PlanPoint => ({
  row: 0,
  settings: {},
  ...{ pipeline: 1, data: 1, microbatches: 1, iteration, peak, throughput: 1, bubble: 0 },
  meets: true,
  front: true,
  fingerprint: '000000',
});

/** Rows of the chart that have a circle, from the top. */
const circles = (points: readonly PlanPoint[]): readonly number[] =>
  frontChart(points, points, 80, plain)
    .split('\n')
    .flatMap((line, at) => (line.includes('●') ? [at] : []));

test('the fastest row is at the bottom of the chart, also where a part gives it no time', () => {
  expect(circles([point(2, 3)])).toEqual([14]);
  expect(circles([point(0, 3)])).toHaveLength(1);
  expect(circles([point(0, 0)])).toHaveLength(1);
  expect(circles([point(1, 9), point(2, 3)])[1]).toBe(14);
});

test('draws as many points as a search may have', () => {
  const some = Array.from({ length: 100 }, (_, at) => point(1 + at / 100, 101 - at));
  const points = Array.from({ length: 1_000_000 }, (_, at) => some[at % 100]);
  expect(circles(points)).toEqual(circles(some));
});

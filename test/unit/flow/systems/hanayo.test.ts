import { describe, expect, test } from 'vitest';
import { systemReport } from './system.ts';

const pipelines = [
  ['one_wave', 1],
  ['two_waves', 2],
  ['four_waves', 4],
] as const;
const p = 4;

describe.each(pipelines)('%s, W = %i', (pipeline, waves) => {
  test('idles no more than the estimate (2p − 2) / (3pW + p − 1) of Liu et al. (2023), for m = p and B = 2F', () => {
    const { bubble } = systemReport('hanayo', pipeline);
    expect(bubble.makespan).toBeLessThan(((2 * p - 2) / (3 * p * waves + p - 1)) * 1.02);
  });

  test('crosses between devices 2W(p − 1) times one way', () => {
    const output = 2 ** 20;
    const { links, microbatches } = systemReport('hanayo', pipeline, { output });
    const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
    expect(bytes).toBe(2 * 2 * waves * (p - 1) * output * microbatches);
  });

  test('holds no more than p microbatches of all its layers', () => {
    for (const { in_flight } of systemReport('hanayo', pipeline).devices)
      expect(in_flight).toBeLessThanOrEqual(2 * waves * p);
  });
});

test('more waves idle less while transfers are free, and longer where they are not', () => {
  const iterations = (output: number) =>
    pipelines.map(([pipeline]) => systemReport('hanayo', pipeline, { output }).iteration);
  const [one, two, four] = iterations(0);
  expect(two).toBeLessThan(one);
  expect(four).toBeLessThan(two);
  // 2.6 ms a transfer, against forwards of 4, 2 and 1 ms.
  const [slowOne, slowTwo, slowFour] = iterations(256 * 2 ** 20);
  expect(slowTwo).toBeGreaterThan(slowOne);
  expect(slowFour).toBeGreaterThan(slowTwo);
});

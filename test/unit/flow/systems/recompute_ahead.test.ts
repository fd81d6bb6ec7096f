import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

const reports = new Map(
  analyseExample('systems/recompute_ahead.pipe').pipelines.map(
    (pipeline) => [pipeline.plan.name, pipeline.run] as const,
  ),
);
const [ahead, inside, fits] = ['ahead', 'inside', 'where_it_fits'].map((name) => reports.get(name));
// Two layers a stage: 4 ms forward and recomputed, 8 ms backward each.
const [m, p, F, B, R] = [8, 4, 0.008, 0.016, 0.008];
// Transfers of 32 MiB, 2(p − 1) of them in fill and drain; in steady state 1F1B waits for a few more.
const c = 2 ** 25 / 1000e9;

test('recompute_ahead.pipe: (p − 1)(F + R + B) becomes (p − 1)(F + B)', () => {
  expect(Math.abs((inside?.report.iteration ?? NaN) - (m + p - 1) * (F + R + B))).toBeLessThan(
    (2 * (p - 1) + 2 * m) * c,
  );
  const expected = m * (F + R + B) + (p - 1) * (F + B);
  expect(Math.abs((ahead?.report.iteration ?? NaN) - expected)).toBeLessThan((2 * (p - 1) + 2 * m) * c);
});

test('recompute_ahead.pipe: an R holds both layers of its stage instead of one', () => {
  const MiB = 2 ** 20;
  // Inputs of 32 MiB: two layers keep 64 MiB of a microbatch, the first stage 32; 224 MiB of a layer are made again, 256 of the first.
  expect(inside?.report.devices.map((device) => device.memory.activations / MiB)).toEqual([
    4 * 32 + 256,
    3 * 64 + 224,
    2 * 64 + 224,
    64 + 224,
  ]);
  expect(ahead?.report.devices.map((device) => device.memory.activations / MiB)).toEqual([
    4 * 32 + 256 + 224,
    3 * 64 + 2 * 224,
    2 * 64 + 2 * 224,
    64 + 2 * 224,
  ]);
});

test('recompute_ahead.pipe: with 896 MiB, the second device keeps recomputation in its backward', () => {
  expect([...(fits?.program.apart ?? [])]).toEqual([1, 0, 1, 1]);
  for (const device of fits?.report.devices ?? []) expect(device.peak).toBeLessThanOrEqual(device.capacity);
  expect(fits?.report.iteration).toBeLessThanOrEqual(inside?.report.iteration ?? NaN);
});

import { expect, test } from 'vitest';
import { inFlight, peaks, systemReport } from './system.ts';

// Two layers of 4 ms and 8 ms on each of four devices.
const [p, F, B] = [4, 0.008, 0.016];
const GiB = 2 ** 30;

test.each([1, 3, 16, 64])('%i microbatches idle (p − 1)(F + B) and hold min(m, p − i)', (m) => {
  const report = systemReport('pipedream_flush', 'flush', { microbatches: m });
  expect(report.iteration).toBeCloseTo((m + p - 1) * (F + B), 12);
  expect(inFlight(report)).toEqual([4, 3, 2, 1].map((most) => Math.min(m, most)));
  // Weights and gradients of 512 MiB each, once: a flush needs no second version.
  expect(peaks(report)).toEqual([4, 3, 2, 1].map((most) => GiB + Math.min(m, most) * GiB));
  expect(report.stages.map(({ versions, staleness }) => [versions, staleness])).toEqual(
    report.stages.map(() => [1, 0]),
  );
});

test('recomputation adds a forward to each backward and leaves one microbatch of activations', () => {
  const report = systemReport('pipedream_flush', 'recomputed', { microbatches: 16 });
  expect(report.iteration).toBeCloseTo((16 + p - 1) * (2 * F + B), 12);
  for (const peak of peaks(report)) expect(peak).toBeLessThanOrEqual(2.5 * GiB);
});

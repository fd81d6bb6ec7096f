import { describe, expect, test } from 'vitest';
import type { PipelineReport } from '../../../../engine/values/report.ts';
import { analyseExample } from '../../../support/analyse.ts';

const reports = (microbatches: number): Readonly<Record<string, PipelineReport>> =>
  Object.fromEntries(
    analyseExample('systems/zero_bubble.pipe', { microbatches }).pipelines.flatMap(({ plan, run }) =>
      run === undefined ? [] : [[plan.name, run.report]],
    ),
  );

// F = I = W = 20 ms for the two layers of a stage; 16 MiB at 1000 GB/s.
const [p, F] = [4, 0.02];
const c = (16 * 2 ** 20) / 1e12;
const GiB = 2 ** 30;
/** No order ends before the last device has begun and done its work. */
const least = (m: number): number => 3 * m * F + (p - 1) * (F + c);

describe.each([8, 12, 32])('zero_bubble.pipe with %i microbatches', (m) => {
  const { h1, h2, auto_1p, auto_2p, auto_bytes, auto_device, v } = reports(m);

  test('zb_h1 idles (p − 1)(F + I − W), but for transfers', () => {
    expect(h1.iteration).toBeGreaterThanOrEqual(least(m) - 1e-12);
    // 1F1B waits for no more transfers than this.
    expect(h1.iteration).toBeLessThanOrEqual(least(m) + ((2 * (p - 1) * m) / p + 2 * (p - 2)) * c);
    expect(h1.devices.map((device) => device.in_flight)).toEqual([4, 4, 4, 4]);
  });

  test('zb_h2 idles no more than until the last device begins, and next to nothing within a span', () => {
    expect(h2.iteration).toBeCloseTo(least(m), 12);
    expect(h2.bubble.span).toBeLessThan(1e-3);
    expect(h2.devices.map((device) => device.in_flight)).toEqual(Array.from({ length: p }, () => Math.min(m, 7)));
  });

  test('zb_auto is no longer than either in its memory', () => {
    expect(auto_1p.iteration).toBeLessThanOrEqual(h1.iteration + 1e-12);
    expect(Math.max(...auto_1p.devices.map((device) => device.in_flight))).toBeLessThanOrEqual(4);
    expect(auto_2p.iteration).toBeCloseTo(least(m), 12);
    expect(Math.max(...auto_2p.devices.map((device) => device.in_flight))).toBeLessThanOrEqual(7);
    expect(auto_device.iteration).toBeCloseTo(least(m), 12);
  });

  test('a limit of three microbatches of 2 GiB is kept, and takes longer than four', () => {
    // Weights and gradients of two layers, and a buffer for each neighbour.
    for (const [device, { peak }] of auto_bytes.devices.entries())
      expect(peak).toBeLessThanOrEqual((1 + 6 + [1, 2, 2, 1][device] / 64) * GiB);
    expect(auto_bytes.iteration).toBeGreaterThan(auto_1p.iteration);
    // The first device holds a microbatch at least from its F until its I and its W are over.
    const held = p * 2 * F + 2 * (p - 1) * c + F;
    expect(auto_bytes.iteration).toBeGreaterThanOrEqual((m * held) / 3);
  });

  test('zb_v idles half of that of zb_h1 at its memory', () => {
    const idle = v.iteration - 3 * m * F;
    expect(idle).toBeGreaterThanOrEqual(((p - 1) * F) / 2);
    expect(idle).toBeLessThan(((p - 1) * F) / 2 + 8 * p * c);
    expect(v.devices.map((device) => device.in_flight)).toEqual([8, 8, 8, 8]);
  });
});

import { expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Narayanan et al. (2021), section 2.2: four layers of 2 ms and 4 ms on each of four devices, in v chunks.
const [p, F, B] = [4, 0.008, 0.016];
const pipelines = [
  ['plain', 1],
  ['two_chunks', 2],
  ['four_chunks', 4],
] as const;

test.each(pipelines)('%s: v = %i idles (p − 1)(F + B) / v, and transfers on top', (pipeline, v) => {
  for (const m of [4, 8, 32]) {
    const { iteration, bubble } = systemReport('megatron', pipeline, { microbatches: m });
    const compute = m * (F + B) + ((p - 1) * (F + B)) / v;
    const communication = bubble.causes.communication * iteration;
    expect(iteration - communication).toBeCloseTo(compute, 12);
    // Small against the rest: 16 MiB at 300 GB/s.
    expect(communication).toBeLessThan(0.02 * iteration);
  }
});

test.each(pipelines)('%s: every device sends v times as much', (pipeline, v) => {
  const sent = ({ links }: ReturnType<typeof systemReport>) => links.reduce((sum, link) => sum + link.bytes, 0);
  // Each way p·v − 1 crossings of 16 MiB, for each of 8 microbatches.
  expect(sent(systemReport('megatron', pipeline))).toBe(2 * (p * v - 1) * 8 * 16 * 2 ** 20);
});

test.each(pipelines)('%s: 2(p − 1 − i) + (v − 1)p + 1 chunks in flight', (pipeline, v) => {
  const expected = [0, 1, 2, 3].map((i) => (v === 1 ? p - i : 2 * (p - 1 - i) + (v - 1) * p + 1));
  expect(inFlight(systemReport('megatron', pipeline))).toEqual(expected);
});

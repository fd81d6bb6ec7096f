import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { inFlight, systemReport } from './system.ts';

// Two layers of 4 ms and 8 ms on each of four stages, 16 MiB between them: 4 tensor ranks on one node, then 8 on two. A message of S
// bytes takes t = S / B over a network card, and S / 300 GB/s over the link of a node.
const [p, F, B] = [4, 0.008, 0.016];
const S = 16 * 2 ** 20;
const inside = S / 300e9;

/** Seconds of a message to A nodes of 4 devices each (Zhuang et al., 2023, section 3.1), in 32 chunks where it has chunks. */
const times = {
  each: (A: number, t: number) => A * 4 * t,
  gathered: (A: number, t: number) => A * t + (3 / 4) * inside,
  chained: (A: number, t: number) => t + ((A - 1) * t + A * 3 * inside) / 32,
};

const multiplesOf4 = fc.integer({ min: 1, max: 16 }).map((groups) => groups * p);

describe('a forward goes to two nodes or one, its gradient to one node or two', () => {
  test.each(['each', 'gathered', 'chained'] as const)('%s: only filling and draining wait for it', (pipeline) => {
    fc.assert(
      fc.property(multiplesOf4, fc.integer({ min: 25, max: 100 }), (microbatches, network) => {
        const t = S / (network * 1e9);
        const { iteration } = systemReport('cross_mesh', pipeline, { microbatches, network: network * 1e9 });
        // Each of p − 1 bounds is crossed in both directions: 2(p − 1)c, c the mean of the two.
        const c = (times[pipeline](1, t) + times[pipeline](2, t)) / 2;
        expect(iteration).toBeCloseTo((microbatches + p - 1) * (F + B) + 2 * (p - 1) * c, 9);
      }),
      { numRuns: 30 },
    );
  });

  test('waiting: in 1F1B every group of p microbatches waits for all bounds, both ways', () => {
    fc.assert(
      fc.property(multiplesOf4, fc.integer({ min: 25, max: 100 }), (microbatches, network) => {
        const t = S / (network * 1e9);
        const c = (times.each(1, t) + times.each(2, t)) / 2;
        const { iteration } = systemReport('cross_mesh', 'waiting', { microbatches, network: network * 1e9 });
        const waits = (2 * (p - 1) * microbatches) / p + 2 * p - 4;
        expect(iteration).toBeCloseTo((microbatches + p - 1) * (F + B) + waits * c, 9);
      }),
      { numRuns: 30 },
    );
  });
});

test('the paper has t + A·t / K for a chain: no more than a chunk from this', () => {
  for (const A of [1, 2]) {
    const [t, K] = [S / 25e9, 32];
    expect(Math.abs(times.chained(A, t) - (t + (A * t) / K))).toBeLessThan(t / K + (A * 3 * inside) / K);
  }
});

test('eager 1F1B pays with memory: 7, 5, 3, 1 microbatches', () => {
  expect(inFlight(systemReport('cross_mesh', 'chained'))).toEqual([7, 5, 3, 1]);
});

test('all ways keep room for a whole message on each device, in each direction', () => {
  for (const pipeline of Object.keys(times)) {
    const { devices } = systemReport('cross_mesh', pipeline);
    expect(devices.map(({ memory }) => memory.buffers)).toEqual([S, 2 * S, 2 * S, S]);
  }
});

import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { near, run } from './run.ts';

/** Makespan of p equal stages of so many µs each, and transfers of c µs one way. */
function makespan(schedule: string, p: number, m: number, times: string, c: number): number {
  return run({
    layers: [`block[${p}] { ${times} }`],
    cluster: `gpu[${p}] = gpu  link = 1000000TB/s + ${c}us`,
    pipeline: { microbatches: m, stages: `balance(${p})`, schedule },
  }).report.iteration;
}

describe('1F1B with a pure latency c between stages, p dividing m', () => {
  test('(m + p − 1)(F + B) + (2(p − 1)m/p + 2(p − 2))·c for c up to the shorter of F and B', () => {
    fc.assert(
      fc.property(
        fc.record({
          p: fc.integer({ min: 2, max: 6 }),
          rounds: fc.integer({ min: 1, max: 5 }),
          F: fc.integer({ min: 1, max: 900 }),
          B: fc.integer({ min: 1, max: 900 }),
          share: fc.integer({ min: 0, max: 10 }),
        }),
        ({ p, rounds, F, B, share }) => {
          const [m, c] = [p * rounds, (Math.min(F, B) * share) / 10];
          const found = makespan('1f1b', p, m, `forward = ${F}us  backward = ${B}us`, c);
          const closed = (m + p - 1) * (F + B) + ((2 * (p - 1) * m) / p + 2 * (p - 2)) * c;
          expect(found).toSatisfy((value: number) => near(value, closed * 1e-6));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('the same with the occupancy of a link in place of a latency, where the link is free in between', () => {
    const [F, B, KB] = [100, 200, 1000];
    for (const p of [2, 3, 4])
      for (const m of [p, 2 * p, 4 * p]) {
        const { report } = run({
          layers: [`block[${p}] { forward = ${F}us  backward = ${B}us  output = 50KB }`],
          cluster: `gpu[${p}] = gpu  link = 1GB/s`,
          pipeline: { microbatches: m, stages: `balance(${p})`, schedule: '1f1b' },
        });
        const c = (50 * KB) / 1e3;
        const closed = (m + p - 1) * (F + B) + ((2 * (p - 1) * m) / p + 2 * (p - 2)) * c;
        expect(report.iteration).toSatisfy((value: number) => near(value, closed * 1e-6));
      }
  });
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { hidingWarmup } from '../../../engine/schedule/hidingWarmup.ts';
import { policyPlan } from './plans.ts';
import { type Simulated, key, programFor, rowsOf, simulated } from './bruteForce.ts';

/** Seconds between microbatches on the first device once it runs steadily, over p of them. */
const period = (run: Simulated, p: number, m: number): number =>
  ((run.starts.get(key('B', 0, m - p - 1)) ?? NaN) - (run.starts.get(key('B', 0, m - 2 * p - 1)) ?? NaN)) / p;

const hide = { args: { warmup: 'hide_latency' } };

describe('1f1b(warmup = hide_latency)', () => {
  it('restores a period of F + B whatever the transfers take', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 0, max: 20 }), (p, quarters) => {
        const c = quarters / 4;
        const m = 14 * p;
        expect(period(simulated(policyPlan('1f1b', p, m, { transfer: c, ...hide })), p, m)).toBeCloseTo(3, 9);
      }),
    );
  });
  it('is needed: plain 1F1B takes 2(p − 1)c / p longer', () => {
    for (const p of [4, 8]) {
      for (const c of [0.25, 0.5, 1]) {
        const m = 14 * p;
        expect(period(simulated(policyPlan('1f1b', p, m, { transfer: c })), p, m)).toBeCloseTo(
          3 + (2 * (p - 1) * c) / p,
          9,
        );
      }
    }
  });
  it('is eager 1F1B for transfers of up to half of F + B, and 1F1B without any', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (p, m, quarters) => {
          const rows = (name: string, options: object) => rowsOf(programFor(policyPlan(name, p, m, options)));
          expect(rows('1f1b', { transfer: quarters / 4, ...hide })).toEqual(rows('eager_1f1b', {}));
          expect(rows('1f1b', hide)).toEqual(rows('1f1b', {}));
        },
      ),
    );
  });
  it('is the same as its numbers written out', () => {
    const plan = policyPlan('1f1b', 5, 30, { transfer: 2 });
    const warmup = hidingWarmup(plan);
    expect(warmup).toEqual([13, 10, 7, 4, 1]);
    const written = programFor(policyPlan('1f1b', 5, 30, { transfer: 2, args: { warmup } }));
    expect(rowsOf(written)).toEqual(rowsOf(programFor(policyPlan('1f1b', 5, 30, { transfer: 2, ...hide }))));
  });
});

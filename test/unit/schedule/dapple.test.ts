import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { namesOf, programFor, simulated } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

const p = fc.integer({ min: 1, max: 12 });
const m = fc.integer({ min: 1, max: 40 });
const cap = fc.integer({ min: 1, max: 26 });
const cost = fc.integer({ min: 1, max: 9 });
const which = fc.constantFrom('a', 'b');

describe('dapple', () => {
  it('is 1F1B under policy a, eager 1F1B under policy b', () => {
    fc.assert(
      fc.property(p, m, (p, m) => {
        const rows = (name: string, args = {}) => namesOf(programFor(policyPlan(name, p, m, { args })));
        expect(rows('dapple')).toEqual(rows('1f1b'));
        expect(rows('dapple', { policy: 'a' })).toEqual(rows('1f1b'));
        expect(rows('dapple', { policy: 'b' })).toEqual(rows('eager_1f1b'));
      }),
    );
  });
  it('holds no more than its limit and its warm-up, and ends, whatever the costs', () => {
    fc.assert(
      fc.property(p, m, cap, which, fc.array(cost, { minLength: 36, maxLength: 36 }), (p, m, D, policy, times) => {
        const plan = recipePlan({
          microbatches: m,
          schedule: { kind: 'policy', name: 'dapple', args: { policy, in_flight: D } },
          forward: times.slice(0, p),
          backwardInput: times.slice(12, 12 + p),
          backwardWeight: times.slice(24, 24 + p),
          stage: { activationForWeight: 0 },
        });
        expect(validate(programFor(plan), plan)).toEqual([]);
        expect(simulated(plan).inFlight).toEqual(
          times.slice(0, p).map((_, i) => Math.min(m, D, policy === 'a' ? p - i : 2 * (p - i) - 1)),
        );
      }),
    );
  });
  it('idles (p − 1 + (m − D)(p − D))(F + B) under policy a where a limit binds', () => {
    fc.assert(
      fc.property(p, m, cap, cost, cost, cost, (p, m, D, f, i, w) => {
        const slots = p - 1 + (D < p ? Math.max(0, m - D) * (p - D) : 0);
        const { idle } = simulated(policyPlan('dapple', p, m, { f, i, w, args: { in_flight: D } }));
        for (const value of idle) expect(value).toBeCloseTo(slots * (f + i + w), 9);
      }),
      { numRuns: 300 },
    );
  });
  it('idles (p − 1)(F + B) under policy b where no limit binds, and no less where one does', () => {
    fc.assert(
      fc.property(p, m, cap, cost, cost, cost, (p, m, D, f, i, w) => {
        const { idle } = simulated(policyPlan('dapple', p, m, { f, i, w, args: { policy: 'b', in_flight: D } }));
        for (const value of idle) {
          if (D >= Math.min(m, 2 * p - 1)) expect(value).toBeCloseTo((p - 1) * (f + i + w), 9);
          else expect(value).toBeGreaterThanOrEqual((p - 1) * (f + i + w) - 1e-9);
        }
      }),
      { numRuns: 300 },
    );
  });
  it('says which limits it takes, and what one costs', () => {
    const generated = generate(policyPlan('dapple', 4, 8, { args: { in_flight: 0 } }));
    expect('faults' in generated && generated.faults[0].message).toBe(
      'dapple cannot run: in_flight is 0; it must be a whole number of at least 1; nearest in_flight: 1.',
    );
    const plan = policyPlan('dapple', 4, 8, { args: { in_flight: 2 } });
    expect(findPolicy('dapple')?.explain(shapeOf(plan)).join('\n')).toContain('= 45 s per device');
    expect(simulated(plan).idle).toEqual([45, 45, 45, 45]);
  });
});

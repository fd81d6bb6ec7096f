import { describe, expect, it } from 'vitest';
import * as fc from '../../support/property.ts';
import { boundSteps } from '../../../engine/search/bound.ts';
import { leastOf } from '../../../engine/search/least.ts';
import { toEnd } from '../../../engine/steps.ts';
import { leastMakespanFrom } from './bruteForce.ts';
import { instances } from './instances.ts';
import { smallProblem } from './problems.ts';

/** Bounds where they are not the shortest makespan that is known: no order is known to be as short. */
const open: Readonly<Record<string, number>> = {
  r07: 4000,
  r15: 6300,
  r16: 11112,
  r17: 15120,
  r19: 11843,
  r20: 29880,
  r21: 2559,
  r22: 2888,
  r24: 5363,
  s9: 3635530,
};

describe('the bound of an order', () => {
  it('is never above the shortest of all orders, and nearly always equal to it', () => {
    let [checked, exact] = [0, 0];
    fc.assert(
      fc.property(smallProblem, (problem) => {
        const { bound } = toEnd(boundSteps(problem, 1000, Infinity));
        const shortest = leastMakespanFrom(problem, leastOf(problem));
        expect(bound).toBeLessThanOrEqual(shortest);
        checked += 1;
        if (bound === shortest) exact += 1;
      }),
      { numRuns: 2000 },
    );
    expect(exact / checked).toBeGreaterThan(0.97);
  });

  it.each(instances)('of $name is the makespan of its shortest order, or as close as is known', (instance) => {
    const { bound, closed } = toEnd(boundSteps(instance.problem, instance.best, 1e9));
    expect(bound).toBe(open[instance.name] ?? instance.best);
    expect(closed).toBe(true);
  });

  it('needs no refutation where the plain bound is the makespan', () => {
    const s4 = instances.find(({ name }) => name === 's4');
    if (s4 === undefined) throw new Error('no instance s4');
    expect(toEnd(boundSteps(s4.problem, leastOf(s4.problem), 1e9))).toEqual({
      bound: leastOf(s4.problem),
      effort: 0,
      closed: true,
    });
  });

  it('says what it has proven when its effort is spent', () => {
    const r20 = instances.find(({ name }) => name === 'r20');
    if (r20 === undefined) throw new Error('no instance r20');
    const bounds = [0, 3e7, 2e8, 1e9].map((effort) => toEnd(boundSteps(r20.problem, r20.best, effort)));
    expect(bounds[0]).toEqual({ bound: leastOf(r20.problem), effort: 0, closed: false });
    for (let at = 1; at < bounds.length; at += 1) {
      expect(bounds[at].bound).toBeGreaterThanOrEqual(bounds[at - 1].bound);
      expect(bounds[at].effort).toBeGreaterThan(bounds[at - 1].effort);
    }
    expect(bounds.map(({ closed }) => closed)).toEqual([false, false, false, true]);
  });
});

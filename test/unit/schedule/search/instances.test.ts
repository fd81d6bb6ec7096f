import { describe, expect, it } from 'vitest';
import { seedsOf } from '../../../../engine/policies/searched/seeds.ts';
import { layoutOf } from '../../../../engine/search/layout.ts';
import type { OrderProblem } from '../../../../engine/search/orderProblem.ts';
import { search } from '../../../support/search.ts';
import { instances } from '../../search/instances.ts';
import { shapeFor } from './shapes.ts';

const found = (problem: OrderProblem, effort: number) =>
  search(problem, { seeds: seedsOf(shapeFor(problem), layoutOf(problem), 'end'), objective: 'end', effort });

/** Instances whose best order is not proven, or takes longer to find, and the gap in per cent that a twentieth of an effort leaves. */
const hard: Readonly<Record<string, number>> = {
  r07: 2.6,
  r16: 8,
  r19: 2.5,
  r21: 1.5,
  r22: 6,
  r23: 1,
  r24: 2,
  s9: 2.5,
};

describe('the search over known instances', () => {
  it.each(instances.filter(({ name }) => !(name in hard)))('finds and proves the best order of $name', (instance) => {
    const { makespan, bound } = found(instance.problem, 1);
    expect(makespan).toBe(instance.best);
    expect(bound).toBe(makespan);
  });

  it.each(instances.filter(({ name }) => name in hard))('comes close to the bound of $name', ({ name, problem }) => {
    const { makespan, bound } = found(problem, 0.05);
    expect(makespan / bound - 1).toBeLessThan(hard[name] / 100);
  });
});

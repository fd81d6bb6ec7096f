/** The search in slices: the same answer, bounded work, and nothing searched twice. */
import { expect, test } from 'vitest';
import { searchProblemOf } from '../../../../engine/policies/builtin/zb_auto.ts';
import { keyOf } from '../../../../engine/policies/zbAuto/answers.ts';
import type { SearchProblem } from '../../../../engine/policies/zbAuto/problem.ts';
import { search, searchSteps } from '../../../../engine/policies/zbAuto/search.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import { policyPlan } from '../plans.ts';

const problemFor = (p: number, m: number, limit: number, w: number, objective = 'makespan'): SearchProblem =>
  searchProblemOf(shapeOf(policyPlan('zb_auto', p, m, { transfer: 0.7, w, args: { limit, objective } })));

/** How often a search yields before it answers. */
function yields(problem: SearchProblem): number {
  const steps = searchSteps(problem);
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

test.each([
  [16, 64, 15],
  [1000, 400, 300],
])('%i devices and %i microbatches under a limit of %i take at most 15 million operations', (p, m, limit) => {
  const problem = problemFor(p, m, limit, 0.83);
  const slices = yields(problem);
  expect(slices * 250_000).toBeLessThan(15e6);
  // Long orders are put off now and then: no part of them is more than a few slices long.
  if (3 * p * m > 1e6) expect(slices).toBeGreaterThan(4);
});

test('an answer is kept: the same problem is not searched again, in slices or not', () => {
  const problem = problemFor(64, 512, 63, 0.81);
  const slices = yields(problem);
  expect(slices).toBeGreaterThan(3);
  expect(slices * 250_000).toBeLessThan(15e6);
  const again = structuredClone(problem);
  expect(yields(again)).toBe(0);
  expect(search(again)).toBe(search(problem));
});

test('every figure of a problem counts for its key, and equal ones have one key', () => {
  const problem = problemFor(3, 4, 2, 0.9);
  expect(keyOf(structuredClone(problem))).toBe(keyOf(problem));
  const changed = (change: (copy: SearchProblem) => SearchProblem): string => keyOf(change(structuredClone(problem)));
  const lists = ['transfer', 'step', 'activation', 'forWeight', 'limits', 'unit'] as const;
  const keys = [
    keyOf(problem),
    changed((copy) => ({ ...copy, microbatches: 5 })),
    changed((copy) => ({ ...copy, objective: 'span' })),
    ...lists.map((list) =>
      changed((copy) => ({ ...copy, [list]: copy[list].map((value, at) => value + (at === 1 ? 1 : 0)) })),
    ),
    ...[0, 1, 2].map((kind) => changed((copy) => (copy.duration[kind].fill(7, 0, 1), copy))),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

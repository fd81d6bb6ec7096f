import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import { policies } from '../../../engine/policies/registry.ts';
import type { Policy, Shape } from '../../../engine/policies/policy.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { generate, programOf } from '../../../engine/schedule/generate.ts';
import { programOfShape } from '../../../engine/schedule/keptPrograms.ts';
import { withCopies } from '../support/copies.ts';
import { policy, recipePlan } from '../support/plans.ts';

const [oneFOneB] = policies.filter(({ name }) => name === '1f1b');

const shapeWith = (costs: Partial<Parameters<typeof recipePlan>[0]>): Shape =>
  shapeOf(recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), ...costs }));

/** How often orders are made for these shapes, one after the other. */
function made(shapes: readonly Shape[], order: Policy = { ...oneFOneB }): number {
  let count = 0;
  for (const shape of shapes)
    programOfShape(order, shape, (seen) => {
      count += 1;
      return programOf(order, seen);
    });
  return count;
}

test('an order that looks at no cost is made once for all costs', () => {
  expect(made([shapeWith({}), shapeWith({ forward: [3] }), shapeWith({ latency: 2 })])).toBe(1);
});

test('an order is made again for other counts, arguments and policies', () => {
  expect(made([shapeWith({}), shapeWith({ microbatches: 9 })])).toBe(2);
  const shape = shapeWith({});
  expect(made([shape, { ...shape, args: { ...shape.args, warmup: 1 } }])).toBe(2);
  expect(made([shape])).toBe(1);
});

test('an order that looks at a cost is made again where that differs', () => {
  const looking: Policy = {
    ...oneFOneB,
    order(shape, device, out) {
      if (shape.forward[device] > 0) oneFOneB.order(shape, device, out);
    },
  };
  expect(made([shapeWith({}), shapeWith({ forward: [3] }), shapeWith({ forward: [3], latency: 2 })], looking)).toBe(2);
});

test('an order that is searched for is made each time', () => {
  const shapes = [shapeWith({}), shapeWith({})];
  expect(made(shapes, { ...oneFOneB, searches: true })).toBe(2);
  expect(made(shapes, { ...oneFOneB, *prepare() {} })).toBe(2);
});

test.each(policies.map(({ name }) => name))('%s gives the program of the plan, whatever it gave before', (name) => {
  const [one] = policies.filter((candidate) => candidate.name === name);
  const times = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(4, 8), times, fc.nat(3)), { minLength: 2, maxLength: 3 }),
      (shapes) => {
        for (const [microbatches, forward, latency] of shapes) {
          const stages = 2 * one.chunks({});
          const cut = recipePlan({ devices: 2, stages, microbatches, schedule: policy(name), latency, forward });
          if (one.check(shapeOf(cut)).length > 0) continue;
          const plan = withCopies(cut);
          const generated = generate(plan);
          if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
          const fresh = programOf(one, shapeOf(plan));
          expect(generated.program.order).toEqual(fresh.order);
          expect(generated.program.offsets).toEqual(fresh.offsets);
        }
      },
    ),
    { numRuns: 10 },
  );
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate, programOf } from '../../../engine/schedule/generate.ts';
import { oneFOneB } from '../../../engine/policies/builtin/one_f_one_b.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { bruteForce, inFlightOf, rowsOf } from './bruteForce.ts';
import { policyPlan } from './plans.ts';

describe('1f1b(warmup = [...])', () => {
  it('refuses exactly the warm-ups that would wait in a circle, and keeps to the others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        (warmup, m) => {
          const plan = policyPlan('1f1b', warmup.length, m, { args: { warmup } });
          const shape = shapeOf(plan);
          const rows = rowsOf(programOf(oneFOneB, shape));
          expect(bruteForce(plan, rows) !== undefined).toBe(oneFOneB.check(shape).length === 0);
          expect(rows.map(inFlightOf)).toEqual(warmup.map((value) => Math.min(m, value)));
        },
      ),
    );
  });
  it('refuses lists of another length and numbers that no warm-up can be', () => {
    for (const warmup of [[], [4, 3, 2], [4, 3, 2, 0], [4, 3, 2.5, 1], [NaN, 1, 1, 1], 4, 'fast']) {
      const generated = generate(policyPlan('1f1b', 4, 8, { args: { warmup } }));
      expect('faults' in generated && generated.faults.map(({ code }) => code)).toEqual(['schedule/shape']);
    }
  });
  it('says which device and what would do', () => {
    const generated = generate(policyPlan('1f1b', 4, 8, { args: { warmup: [4, 1, 2, 1] } }));
    expect('faults' in generated && generated.faults[0]).toMatchObject({
      at: 'train/key:schedule',
      message:
        '1f1b cannot run: device 1 warms up with 1 forwards and device 2 with 2, so each would wait for the other; nearest warmup[1]: 2.',
      hint: { kind: 'value', input: 'warmup[1]', values: [2] },
    });
  });
});

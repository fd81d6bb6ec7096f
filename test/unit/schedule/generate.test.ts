import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { withCopies } from '../support/copies.ts';
import { bruteForce, namesOf, programFor, rowsOf } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

const faults = (plan: Parameters<typeof generate>[0]) => {
  const generated = generate(plan);
  return 'faults' in generated ? generated.faults : [];
};

describe('generate', () => {
  it('says what interleaved_1f1b would take', () => {
    expect(faults(policyPlan('interleaved_1f1b', 4, 10, { v: 2 }))).toMatchObject([
      {
        code: 'schedule/shape',
        at: 'train/key:schedule',
        message:
          'interleaved_1f1b cannot run: 10 microbatches do not divide into groups of 4, but would with group = 5; nearest microbatches: 8 or 12.',
        hint: { kind: 'value', pipeline: 'train', input: 'microbatches', values: [8, 12] },
      },
    ]);
    expect(faults(policyPlan('interleaved_1f1b', 4, 11, { v: 2, args: { chunks: 2, group: 8 } }))[0].message).toBe(
      'interleaved_1f1b cannot run: groups of 8 leave 3 of 11 microbatches, fewer than the 4 devices; nearest group: 7 or 11.',
    );
    expect(faults(policyPlan('interleaved_1f1b', 4, 10, { v: 2, args: { chunks: 2, group: 5 } }))).toEqual([]);
    expect(faults(policyPlan('interleaved_1f1b', 4, 3, { v: 2, args: { chunks: 2, group: 4 } }))[0].message).toBe(
      'interleaved_1f1b cannot run: groups of 4; with fewer microbatches than the 4 devices, all 3 are one group; nearest group: 3.',
    );
  });
  it('says which stages divide among devices', () => {
    const plan = policyPlan('interleaved_1f1b', 5, 8, { args: { chunks: 2 } });
    expect(faults(plan)[0].message).toContain('5 stages do not divide into 2 on each device; nearest stages: 4 or 6');
  });
  it('reports schedules and numbers that cannot be', () => {
    expect(faults(policyPlan('gpipe', 2, 0))[0].code).toBe('value/range');
    expect(faults(policyPlan('gpipe', 2, 1.5))[0].code).toBe('value/range');
    expect(faults(policyPlan('gpipe', 64, 1e8))[0].code).toBe('limit/too-large');
    expect(faults(policyPlan('gpipe', 64, 1e15))[0].code).toBe('limit/too-large');
    expect(faults(policyPlan('no_such', 2, 4))[0].code).toBe('name/unknown');
  });
  it('keeps rows as they are where stages only swap devices', () => {
    const straight = policyPlan('1f1b', 4, 6);
    const swapped = { ...straight, placement: [2, 0, 3, 1] };
    expect([2, 0, 3, 1].map((device) => namesOf(programFor(swapped))[device])).toEqual(namesOf(programFor(straight)));
  });
  it('gives a device with several stages one order that ends, whatever the placement', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(4), { minLength: 24, maxLength: 24 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 72, maxLength: 72 }),
        fc.integer({ min: 0, max: 2 }),
        (policy, p, rounds, placement, times, transfer) => {
          const stages = p * policy.chunks({});
          const cut = recipePlan({
            microbatches: p * rounds,
            schedule: { kind: 'policy', name: policy.name, args: {} },
            forward: times.slice(0, stages),
            backwardInput: times.slice(24, 24 + stages),
            backwardWeight: times.slice(48, 48 + stages),
            placement: placement.slice(0, stages),
            latency: transfer,
            stage: { activationForWeight: 0 },
          });
          fc.pre(policy.check(shapeOf(cut)).length === 0);
          const copied = withCopies(cut);
          const plan = {
            ...copied,
            placement: copied.stages.map((_, stage) => placement[stage % 24] % cut.devices.length),
          };
          const program = programFor(plan);
          expect(program.devices).toBe(plan.devices.length);
          expect(validate(program, plan)).toEqual([]);
          if (program.extended !== true) expect(bruteForce(plan, rowsOf(program))).toBeDefined();
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('shapeOf', () => {
  it('counts recomputation as input gradient and takes the slowest transfer between devices', () => {
    const base = policyPlan('1f1b', 3, 4, { f: 1, i: 2, w: 3 });
    const plan = {
      ...base,
      stages: base.stages.map((stage) => ({ ...stage, recompute: 0.5 })),
      edges: [
        { from: 0, to: 1, bytes: 100 },
        { from: 1, to: 2, bytes: 300 },
      ],
      routes: base.routes.map((route) => ({ ...route, bandwidth: 1000, latency: 0.25 })),
    };
    const shape = shapeOf(plan);
    expect([...shape.backwardInput]).toEqual([2.5, 2.5, 2.5]);
    expect(shape.transfer).toBeCloseTo(0.55, 12);
    expect(shapeOf({ ...plan, placement: [0, 0, 0] }).transfer).toBe(0);
  });
});

describe('registry', () => {
  it('finds policies by the names that files use', () => {
    for (const policy of policies) expect(findPolicy(policy.name)).toBe(policy);
    expect(new Set(policies.map(({ name }) => name)).size).toBe(policies.length);
    for (const name of ['', '1F1B', '__proto__', 'constructor']) expect(findPolicy(name)).toBeUndefined();
  });
  it('explains with numbers', () => {
    const explain = (name: string, plan = policyPlan(name, 4, 8, { f: 4e-3, i: 4e-3, w: 4e-3 })) =>
      findPolicy(name)?.explain(shapeOf(plan));
    expect(explain('1f1b')).toEqual([
      'warm-up: min(m, p − i) = 4, 3, 2, 1 forwards',
      'idle: (p − 1)(F + B) = 36 ms per device',
      'in flight: 4, 3, 2, 1',
    ]);
    expect(explain('zb_h2')).toContain(
      'idle between first start and last end: (p − 1)·max(0, F + I − 2W) = 0 ms per device',
    );
    expect(explain('1f1b', policyPlan('1f1b', 4, 8, { f: 4e-3, i: 4e-3, w: 4e-3, transfer: 1e-3 }))?.at(-1)).toBe(
      'warm-up that hides transfers of 1 ms: 7, 5, 3, 1',
    );
  });
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { programOf } from '../../../engine/schedule/generate.ts';
import type { Policy } from '../../../engine/policies/policy.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { withCopies } from '../support/copies.ts';
import { bruteForce, inFlightOf, programFor, rowsOf, simulated } from './bruteForce.ts';
import { quickly } from './gridCase.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

const p = fc.integer({ min: 1, max: 12 });
const m = fc.integer({ min: 1, max: 40 });
const cost = fc.integer({ min: 1, max: 9 });
const costs = fc.array(cost, { minLength: 48, maxLength: 48 });

describe('every policy', () => {
  for (const policy of policies) {
    it(`${policy.name} gives programs that are complete and end, or says what would do`, () => {
      fc.assert(
        fc.property(
          p,
          m,
          fc.integer({ min: 1, max: 4 }),
          fc.nat(14),
          costs,
          (devices, microbatches, v, group, times) => {
            const chunked = policy.parameters.some(({ name }) => name === 'chunks');
            const args = quickly(policy, chunked ? { chunks: v, ...(group > 0 ? { group } : {}) } : {});
            const stages = devices * policy.chunks(args);
            const cut = recipePlan({
              microbatches,
              schedule: { kind: 'policy', name: policy.name, args },
              forward: times.slice(0, stages),
              backwardInput: times.slice(0, stages).toReversed(),
              backwardWeight: times.slice(0, stages),
              placement: times.slice(0, stages).map((_, stage) => stage % devices),
              stage: { activationForWeight: 0 },
            });
            const shape = shapeOf(cut);
            const faults = policy.check(shape);
            if (faults.length === 0) {
              const plan = withCopies(cut);
              const program = programOf(policy, shape);
              expect(validate(program, plan)).toEqual([]);
              expect(bruteForce(plan, rowsOf(program))).toBeDefined();
            }
            if (faults.length > 0) {
              // The nearest values of all faults together must do.
              let mended = shape;
              for (const { fix } of faults) {
                const [value] = fix.values;
                expect(value).toBeDefined();
                mended =
                  fix.input === 'microbatches'
                    ? { ...mended, microbatches: value }
                    : fix.input === 'stages'
                      ? { ...mended, stages: value, devices: value / mended.chunks }
                      : { ...mended, args: { ...mended.args, [fix.input]: value } };
              }
              expect(policy.check(mended)).toEqual([]);
            }
            expect(policy.explain(shape).join('\n')).not.toMatch(/NaN|undefined|Infinity/);
          },
        ),
        { numRuns: 25 },
      );
    });
  }
});

describe('microbatches in flight', () => {
  const forms: Readonly<Record<string, (p: number, m: number, i: number) => number>> = {
    gpipe: (_, m) => m,
    '1f1b': (p, m, i) => Math.min(m, p - i),
    eager_1f1b: (p, m, i) => Math.min(m, 2 * (p - i) - 1),
    zb_h1: (p, m) => Math.min(m, p),
    zb_h2: (p, m) => Math.min(m, 2 * p - 1),
  };
  for (const [name, form] of Object.entries(forms)) {
    it(`of ${name} are those of its definition`, () => {
      fc.assert(
        fc.property(p, m, (p, m) => {
          const held = rowsOf(programFor(policyPlan(name, p, m))).map(inFlightOf);
          expect(held).toEqual(held.map((_, i) => form(p, m, i)));
        }),
      );
    });
  }
  it('of interleaved_1f1b are those of its definition, in chunks', () => {
    fc.assert(
      fc.property(
        p,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(8),
        fc.nat(2),
        (p, v, rounds, more, extra_warmup) => {
          const g = p + more;
          const args = { chunks: v, group: g, extra_warmup };
          const held = rowsOf(programFor(policyPlan('interleaved_1f1b', p, g * rounds, { v, args }))).map(inFlightOf);
          expect(held).toEqual(
            held.map((_, i) => Math.min(g * rounds * v, 2 * (p - 1 - i) + (v - 1) * g + extra_warmup + 1)),
          );
        },
      ),
    );
  });
});

describe('idle time', () => {
  const sameOnAll = (idle: readonly number[], value: number) => {
    for (const one of idle) expect(one).toBeCloseTo(value, 9);
  };
  for (const name of ['gpipe', '1f1b', 'eager_1f1b']) {
    it(`of ${name} is (p − 1)(F + B), however few the microbatches`, () => {
      fc.assert(
        fc.property(p, m, cost, cost, cost, (p, m, f, i, w) => {
          sameOnAll(simulated(policyPlan(name, p, m, { f, i, w })).idle, (p - 1) * (f + i + w));
        }),
      );
    });
  }
  it('of interleaved_1f1b is (p − 1)(F + B) of a chunk, with a longer warm-up too', () => {
    fc.assert(
      fc.property(
        p,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(2),
        cost,
        cost,
        cost,
        (p, v, rounds, extra_warmup, f, i, w) => {
          const args = { chunks: v, extra_warmup };
          sameOnAll(
            simulated(policyPlan('interleaved_1f1b', p, p * rounds, { f, i, w, v, args })).idle,
            (p - 1) * (f + i + w),
          );
        },
      ),
    );
  });
  it('of interleaved_1f1b with fewer microbatches than devices adds p − m such slots for each further chunk', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(10),
        cost,
        cost,
        (p, v, less, f, i) => {
          const m = Math.max(1, p - 1 - less);
          const { idle } = simulated(policyPlan('interleaved_1f1b', p, m, { f, i, w: 1, v, args: { chunks: v } }));
          sameOnAll(idle, (p - 1 + (v - 1) * (p - m)) * (f + i + 1));
        },
      ),
    );
  });
});

describe('idle time as explained', () => {
  /** Policies whose explanation states the idle time, for most shapes or for some. The idle time of the others has no closed form. */
  const stating: ReadonlySet<string> = new Set([
    'gpipe',
    'torchgpipe',
    '1f1b',
    'eager_1f1b',
    'dapple',
    'bpipe',
    'interleaved_1f1b',
    'breadth_first',
    'zb_h1',
    'zb_h2',
    'interleaved_zb',
    'zb_v',
    'seq1f1b',
    'chimera',
    'dualpipe',
    'dualpipe_v',
  ]);
  // The last number of seconds that a line gives, to three digits as shown.
  const explained = (lines: readonly string[], what: string): number | undefined => {
    const line = lines.find((candidate) => candidate.startsWith(what)) ?? '';
    const found = / = ([\d.]+) (s|ms) per device/.exec(line);
    return found === null ? undefined : Number(found[1]) * (found[2] === 'ms' ? 1e-3 : 1);
  };
  const shown = (value: number, text: number): void =>
    expect(Math.abs(value - text)).toBeLessThanOrEqual(5.01e-3 * Math.abs(text) + 1e-9);
  // Some figures hold only for equal times, or for a backward as long as the forward or twice as long.
  const times = fc.oneof(
    fc.record({ f: cost, i: cost, w: cost }),
    cost.map((f) => ({ f, i: f, w: f })),
    fc.tuple(cost, cost).map(([i, w]) => ({ f: i + w, i, w })),
  );
  const planOf = (
    policy: Policy,
    p: number,
    m: number,
    v: number,
    group: number,
    each: Readonly<Record<'f' | 'i' | 'w', number>>,
  ) => {
    const chunked = policy.parameters.some(({ name }) => name === 'chunks');
    const args = quickly(policy, chunked ? { chunks: v, ...(group > 0 ? { group } : {}) } : {});
    return policyPlan(policy.name, p, m, { ...each, v: policy.chunks(args), args });
  };
  for (const policy of policies.filter(({ name }) => stating.has(name))) {
    it(`of ${policy.name} is what a simulation finds`, () => {
      let stated = 0;
      fc.assert(
        fc.property(p, m, fc.integer({ min: 1, max: 3 }), fc.nat(14), times, (p, m, v, group, each) => {
          const plan = planOf(policy, p, m, v, group, each);
          const shape = shapeOf(plan);
          fc.pre(policy.check(shape).length === 0);
          const lines = policy.explain(shape);
          const makespan = explained(lines, 'idle:');
          const span = explained(lines, 'idle between');
          if (makespan === undefined && span === undefined) return;
          stated += 1;
          const run = simulated(withCopies(plan));
          if (makespan !== undefined) for (const idle of run.idle) shown(idle, makespan);
          if (span !== undefined) shown(run.spanBubble, span);
        }),
        { numRuns: 60 },
      );
      expect(stated).toBeGreaterThan(0);
    });
  }
  it.each(policies.filter(({ name, forwardOnly }) => forwardOnly !== true && !stating.has(name)))(
    'of $name is not stated',
    (policy) => {
      for (const m of [4, 8, 12, 24]) {
        const shape = shapeOf(planOf(policy, 4, m, 2, 0, { f: 2, i: 2, w: 2 }));
        if (policy.check(shape).length === 0) expect(policy.explain(shape).join('\n')).not.toMatch(/ per device/);
      }
    },
  );
});

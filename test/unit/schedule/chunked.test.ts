import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { bruteForce, inFlightOf, rowsOf } from './bruteForce.ts';
import { placed, run } from './chunked.ts';
import { policyPlan } from './plans.ts';

const p = fc.integer({ min: 1, max: 12 });
const m = fc.integer({ min: 1, max: 40 });
const v = fc.integer({ min: 1, max: 4 });
const cost = fc.integer({ min: 1, max: 9 });
const costs = fc.array(cost, { minLength: 5, maxLength: 29 });

const same = (values: readonly number[], value: number): void => {
  for (const each of values) expect(each).toBeCloseTo(value, 9);
};

describe('on their own placement', () => {
  const policies: Readonly<Record<string, (v: number) => Readonly<Record<string, number>>>> = {
    breadth_first: (chunks) => ({ chunks }),
    interleaved_zb: (chunks) => ({ chunks }),
    zb_v: () => ({}),
    v_half: () => ({}),
    v_min: () => ({}),
    '1f1b_v': () => ({}),
    hanayo: (waves) => ({ waves }),
  };
  // They search for their order, which takes longer than all the rest.
  const searching = ['v_half', 'v_min', '1f1b_v'];
  for (const [name, argsOf] of Object.entries(policies)) {
    it(`${name} gives programs that are complete and end`, () => {
      fc.assert(
        fc.property(p, m, v, costs, (p, m, v, uneven) => {
          const args = argsOf(v);
          const policy = findPolicy(name);
          const plain = policyPlan(name, p, m, { v: policy?.chunks(args), args: { ...args, ...argsOf(v) } });
          fc.pre(policy?.check(shapeOf({ ...plain, schedule: { kind: 'policy', name, args } })).length === 0);
          const { plan, program } = placed(name, p, m, args, { uneven });
          expect(validate(program, plan)).toEqual([]);
          expect(bruteForce(plan, rowsOf(program))).toBeDefined();
        }),
        { numRuns: searching.includes(name) ? 20 : 60 },
      );
    });
  }
});

describe('breadth_first', () => {
  it('idles (p − 1)(F + B) of a chunk, and longer where microbatches do not fill a round', () => {
    fc.assert(
      fc.property(p, m, v, cost, cost, cost, (p, m, chunks, f, i, w) => {
        const slots = p - 1 + (m < p ? (chunks - 1) * (p - m) : 0);
        same(run('breadth_first', p, m, { chunks }, { f, i, w }).idle, slots * (f + i + w));
      }),
    );
  });
  it('holds all microbatches of all chunks, and takes up a chunk twice', () => {
    fc.assert(
      fc.property(p, m, v, (p, m, chunks) => {
        const { program } = placed('breadth_first', p, m, { chunks });
        for (const row of rowsOf(program)) {
          expect(inFlightOf(row)).toBe(m * chunks);
          const runs = row.filter(
            (value, at) => at === 0 || value.stage !== row[at - 1].stage || value.letter !== row[at - 1].letter,
          );
          expect(runs).toHaveLength(2 * chunks);
        }
      }),
    );
  });
});

describe('interleaved_zb', () => {
  it('idles (p − 1)(F + I − W) of a chunk', () => {
    fc.assert(
      fc.property(p, fc.integer({ min: 1, max: 5 }), v, cost, cost, cost, (p, rounds, chunks, f, i, w) => {
        fc.pre(w <= Math.min(f, i));
        same(run('interleaved_zb', p, p * rounds, { chunks }, { f, i, w }).idle, (p - 1) * (f + i - w));
      }),
      { numRuns: 100 },
    );
  });
  it('holds p + (v − 1)p chunks on every device', () => {
    fc.assert(
      fc.property(p, fc.integer({ min: 2, max: 5 }), v, (p, rounds, chunks) => {
        const { inFlight } = run('interleaved_zb', p, p * rounds, { chunks });
        expect(inFlight).toEqual(inFlight.map(() => p * chunks));
      }),
    );
  });
  it('has the published figures of four devices', () => {
    const { idle, spanBubble, inFlight } = run('interleaved_zb', 4, 8, { chunks: 2 });
    same([...idle, spanBubble], 3);
    expect(inFlight).toEqual([8, 8, 8, 8]);
  });
  it('takes the microbatches that PyTorch takes, and names the nearest', () => {
    const problems = (m: number) => {
      const generated = generate(policyPlan('interleaved_zb', 4, m, { v: 2 }));
      return 'faults' in generated ? generated.faults.map(({ message }) => message) : [];
    };
    for (const m of [1, 3, 4, 7, 8, 10, 12]) expect(problems(m)).toEqual([]);
    expect(problems(9)).toEqual([
      'interleaved_zb cannot run: 9 microbatches do not divide into 2 equal rounds; nearest microbatches: 8 or 10.',
    ]);
  });
});

describe('zb_v', () => {
  it('leaves no device idle between its first start and its last end where F = I = W', () => {
    fc.assert(
      fc.property(p, fc.nat(24), cost, (p, more, t) => {
        const { idle, spanBubble } = run('zb_v', p, 2 * p - 1 + more, {}, { f: t, i: t, w: t });
        expect(spanBubble).toBe(0);
        same(idle, (p - 1) * t);
      }),
    );
  });
  it('holds 2p chunks on every device', () => {
    fc.assert(
      fc.property(p, fc.nat(24), (p, more) => {
        expect(run('zb_v', p, 2 * p - 1 + more).inFlight).toEqual(Array.from({ length: p }, () => 2 * p));
      }),
    );
  });
});

describe('v_half and v_min', () => {
  const published = [
    { name: 'v_half', devices: 4, peak: 6, idle: 5 },
    { name: 'v_half', devices: 6, peak: 8, idle: 11 },
    { name: 'v_half', devices: 8, peak: 10, idle: 17 },
    { name: 'v_min', devices: 4, peak: 4, idle: 11 },
    { name: 'v_min', devices: 6, peak: 6, idle: 17 },
    { name: 'v_min', devices: 8, peak: 8, idle: 27 },
  ];
  for (const { name, devices, peak, idle } of published) {
    it(`${name} idles and holds no more on ${devices} devices than published, however many the microbatches`, () => {
      for (const m of [2 * devices, 3 * devices, 40, 97]) {
        const found = run(name, devices, m);
        expect(Math.max(...found.inFlight)).toBe(peak);
        for (const value of found.idle) expect(value).toBeLessThanOrEqual(idle);
      }
    });
  }
  it.each([
    ['v_half', (p: number) => 2 * Math.floor(p / 2) + 2],
    ['v_min', (p: number) => 2 * Math.floor((p + 1) / 3) + 2],
  ])('%s never holds more than its share of 1F1B', (name, most) => {
    fc.assert(
      fc.property(p, m, (p, m) => {
        expect(Math.max(...run(name, p, m).inFlight)).toBeLessThanOrEqual(most(p));
      }),
      { numRuns: 40 },
    );
  });
  it.each(['v_half', 'v_min'])('%s runs one microbatch without a pause', (name) => {
    fc.assert(
      fc.property(p, (p) => {
        expect(run(name, p, 1).makespan).toBe(Math.max(6, 4 * p + 1));
      }),
    );
  });
});

describe('hanayo', () => {
  // Idle share for m = p and B = 2F.
  const published: readonly (readonly [number, number, number])[] = [
    [4, 1, 0.3333],
    [4, 2, 0.2131],
    [4, 4, 0.1193],
    [8, 1, 0.3684],
    [8, 2, 0.2381],
    [8, 4, 0.1351],
  ];
  it.each(published)('on %i devices in %i waves has the published bubble', (p, waves, bubble) => {
    const { makespan, idle } = run('hanayo', p, p, { waves });
    same(
      idle.map((value) => Math.round((value / makespan) * 1e4) / 1e4),
      bubble,
    );
  });
  it('holds the activations of at most p microbatches where there are p, or as many as it may', () => {
    fc.assert(
      fc.property(p, m, fc.integer({ min: 1, max: 3 }), costs, (p, m, waves, uneven) => {
        for (const held of run('hanayo', p, p, { waves }, { uneven }).inFlight)
          expect(held).toBeLessThanOrEqual(2 * waves * p);
        const limited = run('hanayo', p, m, { waves, in_flight: p }, { uneven });
        for (const held of limited.inFlight) expect(held).toBeLessThanOrEqual(2 * waves * Math.min(p, m));
      }),
    );
  });
});

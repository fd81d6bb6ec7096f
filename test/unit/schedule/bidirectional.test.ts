import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { writeTorchCsv } from '../../support/torchCsv.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import type { PolicyArguments } from '../../../engine/policies/policy.ts';
import { operationName } from '../../../engine/values/program.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { withCopies } from '../support/copies.ts';
import { dataFile } from '../support/data.ts';
import { bruteForce, programFor, rowsOf } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

type Times = Parameters<typeof policyPlan>[3];

/** Idle seconds and most microbatches in flight of each device, by the engine. */
function ran(plan: PipelinePlan): {
  readonly idle: readonly number[];
  readonly held: readonly number[];
  readonly makespan: number;
} {
  const program = programFor(plan);
  expect(validate(program, plan)).toEqual([]);
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('the program never ends');
  return {
    idle: Array.from(timeline.busy, (busy) => timeline.makespan - busy),
    held: plan.devices.map((_, device) => memoryPeak(plan, timeline, device).inFlight),
    makespan: timeline.makespan,
  };
}
const run = (name: string, p: number, m: number, times: Times = {}) => ran(withCopies(policyPlan(name, p, m, times)));

const same = (values: readonly number[], expected: number | readonly number[]): void => {
  for (const [device, one] of values.entries())
    expect(one).toBeCloseTo(typeof expected === 'number' ? expected : expected[device], 9);
};

const half = fc.integer({ min: 1, max: 8 });
const cost = fc.integer({ min: 1, max: 9 });
const costs = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 17 });

/** F = I, and W no longer. */
const regular = fc.tuple(cost, cost).map(([a, b]) => ({ f: Math.max(a, b), i: Math.max(a, b), w: Math.min(a, b) }));

describe('on uneven stages over slow links', () => {
  const cases: readonly (readonly [
    string,
    (p: number, more: number) => readonly [m: number, args: PolicyArguments],
  ])[] = [
    ['dualpipe', (p, more) => [2 * p + 2 * more, { overlap: (more % 3) / 2 }]],
    ['dualpipe_v', (p, more) => [2 * p + more, { overlap: (more % 3) / 2 }]],
    ['chimera', (_, more) => [1 + more, {}]],
    ['chimera', (_, more) => [1 + more, { concat: 'forward_doubling' }]],
    ['chimera', (_, more) => [4 + 4 * more, { concat: 'backward_halving' }]],
    ['chimera', (p, more) => [1 + more, { pipelines: p }]],
    ['chimera', (p, more) => [1 + more, { pipelines: p, concat: 'forward_doubling' }]],
  ];
  it.each(cases)('%s gives complete orders that end, in the times of a plain simulation', (name, of) => {
    fc.assert(
      fc.property(half, fc.nat(20), costs, fc.nat(5), (half, more, times, transfer) => {
        const p = 2 * half;
        const [microbatches, args] = of(p, more);
        const stages = Array.from({ length: name === 'dualpipe_v' ? 2 * p : p }, (_, stage) => stage);
        const at = (shift: number) => stages.map((stage) => times[(stage + shift) % times.length]);
        const plan = withCopies(
          recipePlan({
            microbatches,
            schedule: { kind: 'policy', name, args },
            forward: at(0),
            backwardInput: at(1),
            backwardWeight: at(2),
            placement: stages.map((stage) => stage % p),
            latency: transfer,
            stage: { activationForWeight: 0 },
          }),
        );
        const { idle, makespan } = ran(plan);
        const program = programFor(plan);
        const plain = bruteForce(plan, rowsOf(program), program.overlap);
        expect(makespan).toBeCloseTo(plain?.makespan ?? NaN, 9);
        same(idle, plain?.idle ?? []);
      }),
      { numRuns: 60 },
    );
  });
});

describe('dualpipe', () => {
  it('idles (p/2 − 1)(F&B + B − 3W) on every device where nothing hides, and holds p + 1 microbatches', () => {
    fc.assert(
      fc.property(half, fc.nat(12), regular, (half, more, times) => {
        const p = 2 * half;
        const { idle, held } = run('dualpipe', p, 2 * p + 2 * more, times);
        const { f, i, w } = times;
        same(idle, (half - 1) * (f + i + w + (i + w) - 3 * w));
        expect(held).toEqual(held.map(() => p + 1));
      }),
    );
  });
  it('idles by the formula at most where a part of each slot hides, F&B = 2.5', () => {
    same(run('dualpipe', 8, 20, { args: { overlap: 0.5 } }).idle, [3.5, 4, 4.5, 4.5, 4.5, 4.5, 4, 3.5]);
    fc.assert(
      fc.property(half, fc.nat(12), fc.integer({ min: 0, max: 4 }), regular, (half, more, quarters, times) => {
        const { f, i, w } = times;
        const overlap = quarters / 4;
        const { idle } = run('dualpipe', 2 * half, 4 * half + 2 * more, { ...times, args: { overlap } });
        const both = i + w + (1 - overlap) * f;
        expect(Math.max(...idle)).toBeCloseTo((half - 1) * (both + (i + w) - 3 * w), 9);
      }),
    );
  });
  it('takes even numbers of devices and microbatches, at least 2p, and names the nearest', () => {
    const faults = (p: number, m: number) => {
      const generated = generate(policyPlan('dualpipe', p, m));
      return 'faults' in generated ? generated.faults.map(({ message }) => message) : [];
    };
    expect(faults(5, 20)).toEqual([
      'dualpipe cannot run: the directions mirror each other on an even number of devices; there are 5; nearest stages: 4 or 6.',
    ]);
    expect(faults(4, 9)).toEqual([
      'dualpipe cannot run: it needs an even number of microbatches, at least 2p = 8; there are 9; nearest microbatches: 8 or 10.',
    ]);
    expect(faults(4, 6)[0]).toContain('nearest microbatches: 8');
    expect(faults(4, 8)).toEqual([]);
  });
});

describe('dualpipe_v', () => {
  it('idles (p − 1)(F&B + B − 3W) of a chunk on every device where nothing hides, and holds 2p + 1 chunks', () => {
    same(run('dualpipe_v', 4, 10, { v: 2 }).idle, 6);
    fc.assert(
      fc.property(half, fc.nat(12), regular, (p, more, times) => {
        const { f, i, w } = times;
        const { idle, held } = run('dualpipe_v', p, 2 * p + more, { ...times, v: 2 });
        same(idle, (p - 1) * (f + i + w + (i + w) - 3 * w));
        expect(held).toEqual(held.map(() => 2 * p + 1));
      }),
    );
  });

  const table = (p: number, m: number, comms: boolean): string => {
    const plan = withCopies(policyPlan('dualpipe_v', p, m, { v: 2 }));
    const result = exportTorch(plan, programFor(plan), comms);
    return 'problem' in result ? result.problem : writeTorchCsv(result.table).replaceAll('\r\n', '\n');
  };
  it.each(['compute', 'comms'])('exports PyTorch’s very table of two ranks and four microbatches, %s', (dialect) => {
    const theirs = dataFile(`torch/torch213_DualPipeV_p2_m4_v2_${dialect}.csv`).replaceAll('\r\n', '\n');
    expect(table(2, 4, dialect === 'comms')).toBe(theirs);
  });
  it('exports PyTorch’s very table of four ranks and ten microbatches', () => {
    // pytorch/pytorch, test/distributed/pipelining/artifacts/dualpipev_4rank_10mb.csv at a2af973f.
    const digest = createHash('sha256')
      .update(table(4, 10, false))
      .digest('hex');
    expect(digest).toBe('16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529');
    expect(table(4, 10, false).split('\n')[3]).toMatch(
      /^3F0,4F0,3F1,4F1,3F2,4F2,3F3,4F3,3F4,4B0,\(4F4;3B0\)OVERLAP_F_B,/,
    );
  });
});

describe('chimera', () => {
  it.each([2, 4, 6, 8, 10, 16])(
    'on %i devices idles (D − 2) / (2N + D − 2) where F = B, however many the units',
    (D) => {
      for (const units of [1, 2, 3, 5]) {
        const N = units * D;
        const { idle, makespan, held } = run('chimera', D, N, { f: 2, i: 1, w: 1 });
        same(
          idle.map((value) => value / makespan),
          (D - 2) / (2 * N + D - 2),
        );
        expect(Math.min(...held)).toBe(D / 2 + 1);
        expect(Math.max(...held)).toBe(D);
      }
    },
  );
  it('holds D/2 + 1 to D microbatches, most in the middle', () => {
    expect(run('chimera', 8, 32).held).toEqual([5, 6, 7, 8, 8, 7, 6, 5]);
  });
  it.each([
    [4, 4, 4],
    [4, 8, 6],
    [8, 8, 12],
    [8, 16, 18],
    [8, 32, 30],
  ])('one behind the other on %i devices, B = 2F, %i microbatches idle %i', (D, N, idle) => {
    same(run('chimera', D, N).idle, idle);
  });
  it('with doubled forwards has no gaps between units: (D − 2) / (3N/2 + D − 2) where B = 2F, for twice the activations', () => {
    for (const D of [4, 6, 8, 12]) {
      for (const N of [2 * D, 4 * D, 6 * D]) {
        const { idle, makespan, held } = run('chimera', D, N, { args: { concat: 'forward_doubling' } });
        same(
          idle.map((value) => value / makespan),
          (D - 2) / ((3 * N) / 2 + D - 2),
        );
        expect(makespan).toBeLessThan(run('chimera', D, N).makespan);
        expect(Math.max(...held)).toBe(2 * D);
        expect(Math.min(...held)).toBe((3 * D) / 2 + 1);
      }
    }
  });
  it('with halved backwards is the same for halves of microbatches', () => {
    for (const D of [4, 8]) {
      const halves = run('chimera', D, 4 * D, { f: 0.5, i: 0.5, w: 0.5, args: { concat: 'backward_halving' } });
      const whole = run('chimera', D, 2 * D);
      same(halves.idle, D - 2);
      expect(halves.makespan).toBeLessThan(whole.makespan);
      expect(Math.max(...halves.held) / 2).toBeLessThanOrEqual(Math.max(...whole.held));
    }
  });
  it('of n pipelines idles 2D/n − 2 slots, and holds D − D/n + 1 to D microbatches', () => {
    for (const [D, n] of [
      [8, 4],
      [8, 8],
      [12, 4],
      [12, 6],
      [16, 4],
      [16, 8],
    ]) {
      for (const units of [1, 2, 4]) {
        const { idle, held } = run('chimera', D, units * D, { f: 2, i: 1, w: 1, args: { pipelines: n } });
        same(idle, ((2 * D) / n - 2) * 2);
        expect(Math.min(...held)).toBe(D - D / n + 1);
        expect(Math.max(...held)).toBe(D);
      }
    }
  });
  it('runs each stage in every pipeline, on different devices', () => {
    const plan = withCopies(policyPlan('chimera', 8, 16, { args: { pipelines: 4 } }));
    for (let stage = 0; stage < 8; stage += 1) {
      const on = plan.stages.flatMap(({ copy }, index) => (copy?.stage === stage ? [plan.placement[index]] : []));
      expect(new Set(on).size).toBe(4);
    }
    for (let device = 0; device < 8; device += 1)
      expect(plan.placement.filter((value) => value === device)).toHaveLength(4);
  });
  it('says what it takes', () => {
    const messages = (p: number, m: number, args: PolicyArguments) => {
      const generated = generate(policyPlan('chimera', p, m, { args: args as Record<string, number | string> }));
      return 'faults' in generated ? generated.faults.map(({ message }) => message).join() : '';
    };
    expect(messages(5, 4, {})).toContain('nearest stages: 4 or 6');
    expect(messages(6, 4, { pipelines: 4 })).toContain('nearest stages: 4 or 8');
    expect(messages(6, 4, { pipelines: 3 })).toContain('nearest pipelines: 2 or 4');
    // Ten halves are five microbatches.
    expect(messages(4, 10, { concat: 'backward_halving' })).toContain('there are 5; nearest microbatches: 4 or 6');
  });
});

it.each(['dualpipe', 'dualpipe_v', 'chimera'])(
  '%s keeps its rows and slots where whole devices only swap places',
  (name) => {
    const args: Record<string, string> = name === 'chimera' ? { concat: 'forward_doubling' } : {};
    const straight = withCopies(policyPlan(name, 4, 16, { v: name === 'dualpipe_v' ? 2 : 1, args }));
    const swap = [2, 0, 3, 1];
    const swapped = { ...straight, placement: straight.placement.map((device) => swap[device]) };
    const [before, now] = [straight, swapped].map((plan) => rowsOf(programFor(plan)));
    expect(swap.map((device) => now[device])).toEqual(before);
  },
);

it('names operations by the stage of the cut', () => {
  const program = programFor(withCopies(policyPlan('dualpipe', 4, 8)));
  expect(operationName(program, program.order[program.offsets[3]])).toBe('0F1');
});

import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type {
  GreedyRule,
  GuardPlan,
  OperationLetter,
  PipelinePlan,
  RuleExpression,
} from '../../../engine/values/plan.ts';
import { staticBytes, walkMemory } from '../../../engine/order/memory/walk.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import type { Program } from '../../../engine/values/program.ts';
import { recipePlan } from '../support/plans.ts';
import { programFor, rowsOf, simulated } from './bruteForce.ts';

type Letters = readonly OperationLetter[];

const none = (plan: PipelinePlan, prefer: Letters): GreedyRule => ({
  prefer: plan.devices.map(() => prefer),
  ties: 'oldest',
  limit: plan.devices.map(() => null),
  guards: [],
});

const withRule = (
  plan: PipelinePlan,
  prefer: Letters,
  rule: Partial<GreedyRule> | undefined,
  inFlight: readonly (number | null)[] = plan.stages.map(() => null),
): PipelinePlan => ({
  ...plan,
  schedule: {
    kind: 'greedy',
    name: 'mine',
    placement: 'linear',
    weights: 'flush',
    split: prefer.includes('I'),
    prefer,
    inFlight,
    ...(rule === undefined ? {} : { rule: { ...none(plan, prefer), ...rule } }),
  },
});

const apply = (name: string, ...to: readonly RuleExpression[]): RuleExpression => ({ apply: name, to });
const guard = (operation: OperationLetter, stage: number, condition: RuleExpression): GuardPlan => ({
  operation,
  stage,
  condition,
  text: 'condition',
  written: 0,
});

const shapes = fc.record({
  devices: fc.integer({ min: 1, max: 5 }),
  chunks: fc.integer({ min: 1, max: 3 }),
  microbatches: fc.integer({ min: 1, max: 10 }),
  times: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 45, maxLength: 45 }),
  limits: fc.array(fc.option(fc.integer({ min: 1, max: 6 })), { minLength: 15, maxLength: 15 }),
  transfer: fc.integer({ min: 0, max: 3 }),
  prefer: fc.constantFrom<Letters>(['B', 'F'], ['F', 'B'], ['I', 'F', 'W'], ['F', 'I', 'W'], ['W', 'I', 'F']),
  zigzag: fc.boolean(),
});

const planOf = ({
  devices,
  chunks,
  microbatches,
  times,
  transfer,
  zigzag,
}: Omit<Parameters<Parameters<typeof shapes.map>[0]>[0], 'limits' | 'prefer'>): PipelinePlan => {
  const stages = Array.from({ length: devices * chunks }, (_, stage) => stage);
  const at = (stage: number) =>
    zigzag && Math.floor(stage / devices) % 2 === 1 ? devices - 1 - (stage % devices) : stage % devices;
  return recipePlan({
    microbatches,
    schedule: { kind: 'policy', name: 'gpipe', args: {} },
    forward: stages.map((stage) => times[stage]),
    backwardInput: stages.map((stage) => times[15 + stage]),
    backwardWeight: stages.map((stage) => times[30 + stage]),
    latency: transfer,
    placement: stages.map(at),
    stage: { activation: 3, activationForWeight: 2, weights: 5 },
  });
};

const wordsOf = ({ order, offsets }: Program) => ({ order: [...order], offsets: [...offsets] });

describe('a rule with conditions', () => {
  it('gives the order of the plain scheduler if none of them says anything', () => {
    fc.assert(
      fc.property(shapes, ({ limits, prefer, ...shape }) => {
        const plan = planOf(shape);
        const inFlight = limits.slice(0, plan.stages.length);
        const plain = generate(withRule(plan, prefer, undefined, inFlight));
        const ruled = generate(withRule(plan, prefer, {}, inFlight));
        expect('program' in plain && 'program' in ruled && wordsOf(ruled.program)).toEqual(
          'program' in plain && wordsOf(plain.program),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('held(s) < n is the limit in_flight(s) = n', () => {
    fc.assert(
      fc.property(shapes, ({ limits, prefer, ...shape }) => {
        const plan = planOf(shape);
        const inFlight = limits.slice(0, plan.stages.length);
        const guards = inFlight.flatMap((limit, stage) =>
          limit === null ? [] : [guard('F', stage, apply('<', { read: 'held', stage }, limit))],
        );
        const plain = programFor(withRule(plan, prefer, undefined, inFlight));
        expect(wordsOf(programFor(withRule(plan, prefer, { guards })))).toEqual(wordsOf(plain));
      }),
      { numRuns: 150 },
    );
  });

  it('counts what its device has done', () => {
    const plan = planOf({
      devices: 1,
      chunks: 1,
      microbatches: 4,
      times: Array(45).fill(1),
      transfer: 0,
      zigzag: false,
    });
    const late = apply('>=', { read: 'done', kind: 'F' }, 3);
    const rows = rowsOf(programFor(withRule(plan, ['B', 'F'], { guards: [guard('B', 0, late)] })));
    expect(rows[0].map(({ letter }) => letter).join('')).toBe('FFFBBBFB');
  });

  it('counts what its device could start', () => {
    const plan = planOf({
      devices: 1,
      chunks: 1,
      microbatches: 4,
      times: Array(45).fill(1),
      transfer: 0,
      zigzag: false,
    });
    const idle = apply('==', { read: 'pending', kind: 'F' }, 0);
    const rows = rowsOf(programFor(withRule(plan, ['B', 'F'], { guards: [guard('B', 0, idle)] })));
    expect(rows[0].map(({ letter }) => letter).join('')).toBe('FFFFBBBB');
  });

  it('prefers as its device does, and breaks ties by depth', () => {
    const times = Array(45).fill(1);
    const two = planOf({ devices: 2, chunks: 1, microbatches: 3, times, transfer: 0, zigzag: false });
    const mixed = rowsOf(
      programFor(
        withRule(two, ['B', 'F'], {
          prefer: [
            ['F', 'B'],
            ['B', 'F'],
          ],
        }),
      ),
    );
    expect(mixed.map((row) => row.map(({ letter }) => letter).join(''))).toEqual(['FFFBBB', 'FBFBFB']);
    const one = planOf({ devices: 1, chunks: 2, microbatches: 3, times, transfer: 0, zigzag: false });
    const order = (ties: GreedyRule['ties']) =>
      rowsOf(programFor(withRule(one, ['F', 'B'], { ties })))[0]
        .slice(0, 6)
        .map(({ stage, microbatch }) => `${stage}${microbatch}`)
        .join(' ');
    expect(order('oldest')).toBe('00 10 01 11 02 12');
    expect(order('deepest')).toBe('00 10 01 11 02 12');
    expect(order('shallowest')).toBe('00 01 02 10 11 12');
  });
});

/** The most bytes of each device while its operations run, walked as for a report. */
const peaks = (plan: PipelinePlan, program: Program): readonly number[] =>
  plan.devices.map((_, device) => {
    let most = 0;
    walkMemory(plan, program, device, (_position, _width, bytes) => {
      most = Math.max(most, bytes);
    });
    return staticBytes(plan, device) + most;
  });

describe('a limit in bytes', () => {
  const sized = fc.record({
    shape: shapes,
    limit: fc.integer({ min: 10, max: 60 }),
    activation: fc.integer({ min: 1, max: 5 }),
    forWeight: fc.integer({ min: 0, max: 7 }),
    recomputed: fc.integer({ min: 0, max: 4 }),
    workspace: fc.integer({ min: 0, max: 3 }),
  });
  it('is kept by every device, with every W that waits', () => {
    let ended = 0;
    fc.assert(
      fc.property(sized, ({ shape: { prefer, ...shape }, limit, activation, forWeight, recomputed, workspace }) => {
        const base = planOf(shape);
        const plan = {
          ...base,
          stages: base.stages.map((stage) => ({
            ...stage,
            activation,
            activationForWeight: forWeight,
            recomputed,
            workspace,
          })),
        };
        const made = generate(withRule(plan, prefer, { limit: plan.devices.map(() => limit) }));
        if ('faults' in made) {
          expect(made.faults.map(({ code }) => code)).toEqual(['schedule/blocked']);
          return;
        }
        ended += 1;
        expect(validate(made.program, plan)).toEqual([]);
        for (const peak of peaks(plan, made.program)) expect(peak).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 300 },
    );
    expect(ended).toBeGreaterThan(50);
  });
  it('lets a chain of one stage for each device always end if one microbatch fits', () => {
    fc.assert(
      fc.property(sized, ({ shape, activation, forWeight, recomputed, workspace }) => {
        const base = planOf({ ...shape, chunks: 1 });
        const each = { activation, activationForWeight: forWeight, recomputed, workspace };
        const plan = { ...base, stages: base.stages.map((stage) => ({ ...stage, ...each })) };
        const split = shape.prefer.includes('I');
        const growth = split ? Math.max(0, forWeight - activation) : 0;
        const least = 5 + activation + workspace + Math.max(recomputed, growth);
        const limited = (limit: number) =>
          generate(withRule(plan, shape.prefer, { limit: plan.devices.map(() => limit) }));
        expect('program' in limited(least)).toBe(true);
        expect('faults' in limited(least - 1)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
  it('is kept where stages recompute in a separate operation, or keep everything instead', () => {
    let ended = 0;
    fc.assert(
      fc.property(
        sized,
        fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
        fc.nat(3),
        ({ shape, limit, activation, forWeight, recomputed, workspace }, again, more) => {
          const base = planOf(shape);
          const each = { activation, activationForWeight: forWeight, recomputed, recomputedWhole: recomputed + more };
          const plan = {
            ...base,
            stages: base.stages.map((stage) => ({ ...stage, ...each, workspace, recompute: 1 })),
          };
          const prefer: Letters = [...shape.prefer, 'R'];
          const recomputes = again.slice(0, plan.stages.length);
          const made = generate(withRule(plan, prefer, { recomputes, limit: plan.devices.map(() => limit) }));
          if ('faults' in made) return;
          ended += 1;
          expect(validate(made.program, plan)).toEqual([]);
          for (const peak of peaks(plan, made.program)) expect(peak).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 300 },
    );
    expect(ended).toBeGreaterThan(50);
  });
  it('has room for R and its backward after each forward', () => {
    const plan = recipePlan({
      devices: 1,
      microbatches: 3,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      stage: { activation: 2, activationForWeight: 0, recomputed: 3, recomputedWhole: 5, recompute: 1 },
    });
    const letters = (limit: number, again: boolean) => {
      const made = generate(withRule(plan, ['F', 'R', 'B'], { limit: [limit], recomputes: [again] }));
      return 'faults' in made
        ? 'blocked'
        : rowsOf(made.program)[0]
            .map(({ letter }) => letter)
            .join('');
    };
    // 2 for each forward, and 5 for the one that is recomputed.
    expect([6, 7, 9, 11].map((limit) => letters(limit, true))).toEqual([
      'blocked',
      'FRBFRBFRB',
      'FFRBFRBRB',
      'FFFRBRBRB',
    ]);
    // A stage without R keeps 2 + 5 of each.
    expect([6, 7, 14, 21].map((limit) => letters(limit, false))).toEqual(['blocked', 'FBFBFB', 'FFBFBB', 'FFFBBB']);
  });
  it('makes W run before another forward where there is no room for both', () => {
    const plan = recipePlan({
      devices: 1,
      microbatches: 3,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      stage: { activation: 4, activationForWeight: 3 },
    });
    const letters = (limit: number) =>
      rowsOf(programFor(withRule(plan, ['I', 'F', 'W'], { limit: [limit] })))[0]
        .map(({ letter }) => letter)
        .join('');
    expect(letters(4)).toBe('FIWFIWFIW');
    expect(letters(7)).toBe('FIFIWFIWW');
  });
});

describe('R in a rule', () => {
  const chain = (p: number, m: number, times = { f: 1, r: 1, b: 2 }): PipelinePlan =>
    recipePlan({
      devices: p,
      microbatches: m,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      forward: [times.f],
      backwardInput: [times.b / 2],
      backwardWeight: [times.b / 2],
      stage: { activationForWeight: 0, recompute: times.r },
    });
  /** R only when it ends as the gradient arrives; the last stage keeps what it needs. */
  const varuna = (plan: PipelinePlan): PipelinePlan => {
    const last = plan.stages.length - 1;
    const guards = plan.stages.flatMap((_, stage) =>
      stage === last
        ? []
        : [guard('R', stage, apply('<=', { read: 'next', kind: 'B', stage }, { read: 'time', kind: 'R', stage }))],
    );
    return withRule(plan, ['B', 'R', 'F'], { guards, recomputes: plan.stages.map((_, stage) => stage < last) });
  };

  it('runs before each backward of the stages that recompute, and makes the backward shorter', () => {
    const plan = chain(2, 3);
    const rows = rowsOf(programFor(withRule(plan, ['B', 'R', 'F'], { recomputes: [true, false] })));
    for (const { letter, stage, microbatch } of rows[0].filter((each) => each.letter === 'B')) {
      const names = rows[0].map((each) => `${each.letter}${each.microbatch}`);
      expect(stage).toBe(0);
      expect(names.indexOf(`R${microbatch}`)).toBeLessThan(names.indexOf(`${letter}${microbatch}`));
      expect(names.indexOf(`R${microbatch}`)).toBeGreaterThan(names.indexOf(`F${microbatch}`));
    }
    expect(rows[1].map(({ letter }) => letter).join('')).toBe('FBFBFB');
    // The last stage: 3 (F + B). Each of the others: F + R + B for each microbatch.
    expect(simulated(varuna(chain(1, 5))).makespan).toBe(15);
  });

  it('just in time gives the closed form of Varuna on equal stages', () => {
    for (let p = 2; p <= 8; p += 1) {
      for (let m = 1; m <= 24; m += 1)
        expect(simulated(varuna(chain(p, m))).makespan).toBe(4 * m + 3 * p - 4 - ((m - 1) % 3));
    }
  });

  it('starts in a rule as late as it may, whatever the times', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 7 }),
        (p, m, f, r, b) => {
          const plan = varuna(chain(p, m, { f, r, b: 2 * b }));
          const program = programFor(plan);
          expect(validate(program, plan)).toEqual([]);
          // One recomputation is there at a time: the backward of a recomputed microbatch is the next one of its stage.
          for (const row of rowsOf(program)) {
            row.forEach(({ letter, microbatch }, at) => {
              if (letter === 'R') expect(row[at + 1]).toMatchObject({ letter: 'B', microbatch });
            });
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a comparison with next', () => {
  it('is looked at when it turns, not only when something arrives', () => {
    const plan = recipePlan({
      devices: 2,
      microbatches: 2,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      forward: [1],
      backwardInput: [5],
      backwardWeight: [5],
      stage: { activationForWeight: 0 },
    });
    // The first forward is free; the second waits until the gradient is no more than 5 away.
    const soon = (bound: number) =>
      apply(
        '<=',
        apply('min', { read: 'next', kind: 'B', stage: 0 }, apply('*', 100, { read: 'done', kind: 'F' })),
        bound,
      );
    const order = (bound: number) => {
      const made = generate(withRule(plan, ['B', 'F'], { guards: [guard('F', 0, soon(bound))] }));
      return 'faults' in made
        ? made.faults[0].code
        : rowsOf(made.program)[0]
            .map(({ letter }) => letter)
            .join('');
    };
    expect(order(5)).toBe('FFBB');
    // Once the gradient is there, its backward comes first, and the next one is not known.
    expect(order(0)).toBe('schedule/blocked');
  });
  it('does not hold for a quotient by 0', () => {
    const plan = recipePlan({ devices: 1, microbatches: 1, schedule: { kind: 'policy', name: 'gpipe', args: {} } });
    const made = generate(
      withRule(plan, ['B', 'F'], {
        guards: [guard('F', 0, apply('>', apply('/', 1, { read: 'pending', kind: 'B' }), 0))],
      }),
    );
    expect('faults' in made && made.faults.map(({ code }) => code)).toEqual(['schedule/blocked']);
  });
});

describe('a rule that allows nothing more', () => {
  it('is a finding with the devices, the time, the conditions and their values', () => {
    const plan = planOf({
      devices: 2,
      chunks: 1,
      microbatches: 4,
      times: Array(45).fill(1),
      transfer: 0,
      zigzag: false,
    });
    const few = apply('<', { read: 'done', kind: 'F' }, 2);
    const made = generate(withRule(plan, ['B', 'F'], { guards: [guard('F', 0, few)] }));
    expect('faults' in made && made.faults).toMatchObject([
      {
        code: 'schedule/blocked',
        at: `${plan.name}/guard:0`,
        message: expect.stringContaining('waits for `condition` (done(F) = 2)'),
        parameters: { left: 8, more: 0 },
      },
    ]);
  });
  it('names a condition that reads a stage of another device', () => {
    const plan = planOf({
      devices: 2,
      chunks: 1,
      microbatches: 4,
      times: Array(45).fill(1),
      transfer: 0,
      zigzag: false,
    });
    const made = generate(
      withRule(plan, ['B', 'F'], { guards: [guard('F', 0, apply('<', { read: 'held', stage: 1 }, 2))] }),
    );
    expect('faults' in made && made.faults).toMatchObject([{ code: 'value/range' }]);
  });
});

describe('any rule', () => {
  const number = (stages: readonly number[]): fc.Arbitrary<RuleExpression> => {
    const read = fc.oneof(
      fc.record({
        read: fc.constantFrom('held' as const, 'bytes' as const, 'activation' as const),
        stage: fc.constantFrom(...stages),
      }),
      fc.record({
        read: fc.constantFrom('pending' as const, 'done' as const),
        kind: fc.constantFrom('F' as const, 'B' as const, 'R' as const),
      }),
      fc.record({
        read: fc.constantFrom('next' as const, 'time' as const),
        kind: fc.constantFrom('F' as const, 'B' as const, 'R' as const),
        stage: fc.constantFrom(...stages),
      }),
    );
    return fc.letrec<{ value: RuleExpression }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ min: -3, max: 12 }),
        read,
        fc
          .tuple(fc.constantFrom('+', '-', '*', '/', 'min', 'max', 'mod', 'div'), tie('value'), tie('value'))
          .map(([name, a, b]) => apply(name, a, b)),
        fc.tuple(fc.constantFrom('negate', 'floor', 'abs', 'sqrt'), tie('value')).map(([name, a]) => apply(name, a)),
      ),
    })).value;
  };
  it('ends: with a valid order, or with a finding', () => {
    let valid = 0;
    fc.assert(
      fc.property(
        shapes.chain((shape) => {
          const plan = planOf(shape);
          const guards = plan.stages.map((_, stage) => {
            const here = plan.stages.flatMap((__, other) =>
              plan.placement[other] === plan.placement[stage] ? [other] : [],
            );
            return fc
              .tuple(
                fc.constantFrom('F' as const, 'B' as const, 'R' as const),
                number(here),
                fc.constantFrom('<', '<=', '>', '!='),
                number(here),
              )
              .map(([kind, left, operator, right]) => guard(kind, stage, apply(operator, left, right)));
          });
          return fc.tuple(
            fc.constant(plan),
            fc.tuple(...guards),
            fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
          );
        }),
        ([plan, guards, again]) => {
          const recomputes = again.slice(0, plan.stages.length);
          const made = generate(withRule(plan, ['B', 'R', 'F'], { guards, recomputes }));
          if ('faults' in made) {
            expect(made.faults.map(({ code }) => code)).toEqual(['schedule/blocked']);
            return;
          }
          valid += 1;
          expect(validate(made.program, plan)).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
    expect(valid).toBeGreaterThan(20);
  });
  it('looks ahead a limited number of times if a comparison does not turn where a line would', () => {
    const plan = recipePlan({
      devices: 2,
      microbatches: 2,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      backwardInput: [5],
      backwardWeight: [5],
    });
    const nearly = apply(
      '<=',
      apply('if', apply('==', { read: 'done', kind: 'F' }, 0), 0, 1e-9),
      apply('if', apply('<=', { read: 'next', kind: 'B', stage: 0 }, 0), 1e12, 0),
    );
    const made = generate(withRule(plan, ['F', 'B'], { guards: [guard('F', 0, nearly)] }));
    expect(
      'program' in made &&
        rowsOf(made.program)[0]
          .map(({ letter }) => letter)
          .join(''),
    ).toBe('FFBB');
  });
});

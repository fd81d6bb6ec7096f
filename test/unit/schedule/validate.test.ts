import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { PipelinePlan, RowItem } from '../../../engine/values/plan.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { B, F, I, type Program, W, operationName } from '../../../engine/values/program.ts';
import { findDeadlock } from '../../../engine/schedule/deadlock.ts';
import { rowOfItems } from '../../../engine/schedule/rowItems.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { bruteForce, rowsOf } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

/** `F0 B0|F0+B0`: rows parted by bars, `+` fuses with what follows, `2F0` names another stage than the device's own. */
const rows = (text: string): RowItem[][] =>
  text.split('|').map((row, device) =>
    row
      .trim()
      .split(/(?<=\+)|\s+/)
      .filter((word) => word !== '')
      .map((word, item) => {
        const [, stage, op, microbatch, plus] = /^(\d*)([FBIW])(\d+)(\+?)$/.exec(word) ?? [];
        return {
          op,
          stage: stage === '' ? device : Number(stage),
          microbatch: Number(microbatch),
          item,
          ...(plus === '+' ? { fusedWithNext: true } : {}),
        };
      }),
  );

const withRows = (plan: PipelinePlan, written: readonly (readonly RowItem[])[]): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'rows', name: 'mine', rows: written.map((row) => rowOfItems(row)) },
});

function faultsOf(p: number, m: number, text: string, base = policyPlan('gpipe', p, m)) {
  const plan = withRows(base, rows(text));
  const generated = generate(plan);
  return 'faults' in generated ? generated.faults : validate(generated.program, plan);
}

describe('rows', () => {
  it('that do each operation once and end have no fault', () => {
    expect(faultsOf(2, 2, 'F0 F1 B0 B1 | F0 B0 F1 B1')).toEqual([]);
    expect(faultsOf(2, 2, 'F0 F1 I0 I1 W1 W0 | F0 I0 F1 I1 W0 W1')).toEqual([]);
    expect(faultsOf(2, 2, 'F0 F1 B0 B1 | F0 I0 F1+W0 B1')).toEqual([]);
  });

  it('that miss operations name them', () => {
    expect(
      faultsOf(2, 8, 'F0 F1 F2 F3 F4 F5 F6 F7 B0 | F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7'),
    ).toMatchObject([
      {
        code: 'schedule/incomplete',
        at: 'train/row:0',
        message: 'The row of gpu[0] misses 7 operations: 0B1, 0B2, 0B3, 0B4 and 0B5, ….',
      },
    ]);
    expect(faultsOf(2, 1, 'F0 I0 W0 | F0 I0')).toMatchObject([
      { message: 'The row of gpu[1] misses 1 operation: 1W0.' },
    ]);
    expect(faultsOf(2, 1, 'F0 I0 W0 | ')).toMatchObject([
      { message: 'The row of gpu[1] is empty or not written: it misses 3 operations: 1F0, 1I0 and 1W0.' },
    ]);
    expect(faultsOf(2, 1, 'F0 B0')).toMatchObject([
      { message: 'The row of gpu[1] is empty or not written: it misses 2 operations: 1F0 and 1B0.' },
    ]);
  });

  it('that repeat, misplace or mix operations say which, at the item', () => {
    expect(faultsOf(2, 1, 'F0 B0 | F0 F0 B0')).toMatchObject([
      { code: 'schedule/repeated', at: 'train/row:1/item:1', message: '1F0 on gpu[1] appears more than once.' },
    ]);
    expect(faultsOf(2, 1, 'F0 1F0 B0 | B0')).toMatchObject([
      { at: 'train/row:0/item:1', message: '1F0 on gpu[0] belongs on gpu[1], which holds stage 1.' },
    ]);
    expect(faultsOf(2, 1, 'F0 B0 | F0 B0 W0')).toMatchObject([
      {
        at: 'train/row:1/item:2',
        message: '1W0 on gpu[1] duplicates another backward of the same microbatch: B already includes I and W.',
      },
    ]);
  });

  it('with a microbatch, stage or device that is not there say so', () => {
    expect(faultsOf(2, 2, 'F0 F2 B0 B1 | F0 F1 B0 B1')).toMatchObject([
      {
        code: 'schedule/repeated',
        at: 'train/row:0/item:1',
        message:
          '0F2 on gpu[0] names a microbatch that does not exist: microbatches are 0 to 1, which is the range `0..<2`.',
      },
    ]);
    expect(faultsOf(2, 1, 'F0 B0 5F0 | F0 B0')).toMatchObject([{ at: 'train/row:0/item:2' }]);
    expect(faultsOf(2, 1, 'F0 B0 | F0 B0 | 1F0')).toMatchObject([{ at: 'train/row:2/item:0' }]);
  });

  it('that are wrong everywhere give a few findings, not thousands', () => {
    const many = Array.from({ length: 3000 }, (_, item) => ({ op: 'F' as const, stage: 0, microbatch: 9, item }));
    const plan = withRows(policyPlan('gpipe', 2, 2), [many, []]);
    const generated = generate(plan);
    expect('faults' in generated && generated.faults.length).toBe(20);
  });
});

describe('rows that wait in a circle', () => {
  it('name it, with why each waits', () => {
    expect(faultsOf(2, 2, 'F0 B0 F1 B1 | F0 F1 B0 B1')).toEqual([
      expect.objectContaining({
        code: 'schedule/deadlock',
        at: 'train/row:0/item:1',
        message:
          'Deadlock: these operations wait for each other, so none can start: 0B0 (gpu[0]) → 1B0 (gpu[1]) → 1F1 (gpu[1]) → 0F1 (gpu[0]) → 0B0 (gpu[0]).',
        related: [
          { at: 'train/row:0/item:1', message: '0B0 (gpu[0]) waits for the result of 1B0 (gpu[1])' },
          { at: 'train/row:1/item:2', message: '1B0 (gpu[1]) comes after 1F1' },
          { at: 'train/row:1/item:1', message: '1F1 (gpu[1]) waits for the result of 0F1 (gpu[0])' },
          { at: 'train/row:0/item:2', message: '0F1 (gpu[0]) comes after 0B0' },
        ],
      }),
    ]);
  });
  it('on one device need no other', () => {
    const [finding] = faultsOf(2, 1, 'F0 B0 | B0 F0');
    expect(finding.message).toBe('Deadlock: 1B0 on gpu[1] needs 1F0, which comes after it in the same row.');
    expect(finding.related).toHaveLength(2);
  });
  it('count a run on one device as one step', () => {
    const [finding] = faultsOf(2, 6, 'F0 B0 F1 F2 F3 F4 F5 B1 B2 B3 B4 B5 | F0 F1 F2 F3 F4 F5 B0 B1 B2 B3 B4 B5');
    expect(finding.related).toHaveLength(4);
  });
  it('may be a fused pair that waits for itself', () => {
    const [finding] = faultsOf(2, 1, 'F0 B0 | F0+B0');
    expect(finding.message).toContain('start: 1F0 (gpu[1]) → 1B0 (gpu[1]) → 1F0 (gpu[1]).');
    expect(finding.related[0].message).toBe('1F0 (gpu[1]) starts at the same time as 1B0');
    expect(finding.related[1].message).toBe('1B0 (gpu[1]) waits for the result of 1F0 (gpu[1])');
  });
  it('may lead through fused pairs of two devices', () => {
    const [finding] = faultsOf(2, 2, 'F0 F1+B0 B1 | F0 F1+B0 B1');
    expect(finding).toMatchObject({ code: 'schedule/deadlock' });
  });
});

/** Waits from one operation to another, by name: breadth first over sets of names. All circles are at least `shortest` long. */
function waitsByBruteForce(plan: PipelinePlan, program: Program) {
  const all = rowsOf(program);
  const name = (one: { letter: string; stage: number; microbatch: number }) =>
    `${one.stage}${one.letter}${one.microbatch}`;
  const before = new Map<string, string[]>();
  for (const row of all) {
    for (const [index, one] of row.entries()) {
      const waits: string[] = [];
      const gradient = (stage: number) => [`${stage}B${one.microbatch}`, `${stage}I${one.microbatch}`];
      if (index > 0) waits.push(name(row[index - 1]));
      if (one.letter === 'W') waits.push(`${one.stage}I${one.microbatch}`);
      else if (one.letter !== 'F') waits.push(`${one.stage}F${one.microbatch}`);
      for (const edge of plan.edges) {
        if (one.letter === 'F' && edge.to === one.stage) waits.push(`${edge.from}F${one.microbatch}`);
        if ((one.letter === 'B' || one.letter === 'I') && edge.from === one.stage) waits.push(...gradient(edge.to));
      }
      before.set(name(one), waits);
    }
  }
  const between = (from: string, to: string): number => {
    const reached = new Map([[from, 0]]);
    for (const [at, distance] of reached) {
      for (const next of before.get(at) ?? []) {
        if (next === to) return distance + 1;
        if (!reached.has(next)) reached.set(next, distance + 1);
      }
    }
    return Infinity;
  };
  return { between, shortest: Math.min(...[...before.keys()].map((name) => between(name, name))) };
}

describe('the search for a circle', () => {
  const shuffled = fc
    .record({
      p: fc.integer({ min: 1, max: 4 }),
      m: fc.integer({ min: 1, max: 4 }),
      split: fc.boolean(),
      seed: fc.infiniteStream(fc.nat()),
    })
    .map(({ p, m, split, seed }) => {
      const plan = recipePlan({
        microbatches: m,
        schedule: { kind: 'policy', name: split ? 'zb_h1' : '1f1b', args: {} },
        forward: Array.from({ length: p }, () => 1),
        backwardInput: Array.from({ length: p }, () => 1),
        backwardWeight: Array.from({ length: p }, () => 1),
        stage: { activationForWeight: 0 },
      });
      const generated = generate(plan);
      if ('faults' in generated) throw new Error('no program');
      const order = generated.program.order.slice();
      // A few swaps within rows: some wait in a circle, some do not.
      for (let swap = 0; swap < 2 * p; swap += 1) {
        const device = Number(seed.next().value) % p;
        const [start, end] = [generated.program.offsets[device], generated.program.offsets[device + 1]];
        const a = start + (Number(seed.next().value) % (end - start));
        const b = start + (Number(seed.next().value) % (end - start));
        [order[a], order[b]] = [order[b], order[a]];
      }
      return { plan, program: { ...generated.program, order } };
    });

  it('finds one exactly where a program never ends, and it is one, and none is shorter', () => {
    let stuck = 0;
    fc.assert(
      fc.property(shuffled, ({ plan, program }) => {
        const deadlock = findDeadlock(program, plan);
        expect(deadlock === undefined).toBe(bruteForce(plan, rowsOf(program)) !== undefined);
        if (deadlock === undefined) return;
        stuck += 1;
        const { circle } = deadlock;
        const waits = waitsByBruteForce(plan, program);
        let length = 0;
        for (const [index, step] of circle.entries()) {
          const next = circle[(index + 1) % circle.length];
          expect(program.order[step.position]).toBe(step.word);
          if (step.because === 'order') {
            expect(next.device).toBe(step.device);
            expect(next.position).toBeLessThan(step.position);
            length += waits.between(operationName(program, step.word), operationName(program, next.word));
          } else {
            length += 1;
            const [from, to] = [operationName(program, step.word), operationName(program, next.word)];
            const [, stage, letter, microbatch] = /^(\d+)([FBIW])(\d+)$/.exec(from) ?? [];
            const s = Number(stage);
            const allowed =
              letter === 'F'
                ? [`${s - 1}F${microbatch}`]
                : letter === 'W'
                  ? [`${s}I${microbatch}`]
                  : [`${s}F${microbatch}`, `${s + 1}B${microbatch}`, `${s + 1}I${microbatch}`];
            expect(allowed).toContain(to);
          }
        }
        expect(length).toBe(waits.shortest);
      }),
      { numRuns: 500 },
    );
    expect(stuck).toBeGreaterThan(50);
  });

  it('finds a shortest circle among a million operations', () => {
    const plan = policyPlan('gpipe', 64, 8000);
    const generated = generate(plan);
    if ('faults' in generated) throw new Error('no program');
    const { program } = generated;
    const order = program.order.slice();
    // The last device runs its backwards first.
    order.subarray(program.offsets[63]).reverse();
    const deadlock = findDeadlock({ ...program, order }, plan);
    expect(deadlock?.circle.length).toBe(2);
  });
});

it('validates programs with words that no operation has', () => {
  const plan = policyPlan('zb_h1', 2, 3);
  const generated = generate(plan);
  if ('faults' in generated) throw new Error('no program');
  const { program } = generated;
  expect([F, B, I, W]).toEqual([0, 1, 2, 3]);
  for (const word of [3, -1, 2 ** 30, ((W * 2 + 1) << 2) | 3]) {
    const order = program.order.slice();
    order[2] = word;
    const [finding] = validate({ ...program, order }, plan);
    expect(finding.code).toBe('schedule/repeated');
  }
});

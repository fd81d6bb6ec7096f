import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../engine/schedule/generate.ts';
import type { OperationLetter, PipelinePlan } from '../../../engine/values/plan.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { type Operation, bruteForce, key, programFor, rowsOf, simulated } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';
import { policyPlan } from './plans.ts';

interface Rule {
  readonly split: boolean;
  readonly prefer: readonly OperationLetter[];
  readonly inFlight: readonly (number | null)[];
}
const greedy = (plan: PipelinePlan, rule: Rule): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'greedy', name: 'mine', placement: 'linear', weights: 'flush', ...rule },
});

const arbitrary = fc
  .record({
    devices: fc.integer({ min: 1, max: 6 }),
    chunks: fc.integer({ min: 1, max: 3 }),
    microbatches: fc.integer({ min: 1, max: 12 }),
    times: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 54, maxLength: 54 }),
    limits: fc.array(fc.option(fc.integer({ min: 1, max: 6 })), { minLength: 18, maxLength: 18 }),
    transfer: fc.integer({ min: 0, max: 3 }),
    split: fc.boolean(),
    prefer: fc.shuffledSubarray<OperationLetter>(['F', 'B', 'I', 'W']),
    zigzag: fc.boolean(),
    skips: fc.array(fc.tuple(fc.nat(17), fc.nat(17)), { maxLength: 4 }),
  })
  .map(({ devices, chunks, microbatches, times, limits, transfer, split, prefer, zigzag, skips }) => {
    const stages = devices * chunks;
    const rule = { split, prefer, inFlight: limits.slice(0, stages) };
    const at = (stage: number) =>
      zigzag && Math.floor(stage / devices) % 2 === 1 ? devices - 1 - (stage % devices) : stage % devices;
    const plan = recipePlan({
      microbatches,
      schedule: { kind: 'policy', name: 'gpipe', args: {} },
      forward: times.slice(0, stages),
      backwardInput: times.slice(18, 18 + stages),
      backwardWeight: times.slice(36, 36 + stages),
      latency: transfer,
      placement: times.slice(0, stages).map((_, stage) => at(stage)),
      skips: skips.filter(([from, to]) => from < to && to < stages),
      stage: { activationForWeight: 0 },
    });
    return { plan: greedy(plan, rule), rule };
  });

describe('a rule', () => {
  it('gives programs that are complete, end, and keep to the limit in flight', () => {
    fc.assert(
      fc.property(arbitrary, ({ plan, rule }) => {
        const program = programFor(plan);
        expect(validate(program, plan)).toEqual([]);
        for (const row of rowsOf(program)) {
          const held = plan.stages.map(() => 0);
          for (const { letter, stage } of row) {
            if (letter === 'F') held[stage] += 1;
            if (letter === 'B' || letter === 'I') held[stage] -= 1;
            expect(held[stage]).toBeLessThanOrEqual(rule.inFlight[stage] ?? Infinity);
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  it('never lets a device idle while something it could run is ready', () => {
    fc.assert(
      fc.property(arbitrary, ({ plan, rule }) => {
        const rows = rowsOf(programFor(plan));
        const run = bruteForce(plan, rows);
        if (run === undefined) throw new Error('the program never ends');
        const startOf = ({ letter, stage, microbatch }: Operation) =>
          run.starts.get(key(letter, stage, microbatch)) ?? NaN;
        const endOf = (operation: Operation) => {
          const { forward: F, backwardInput: I, backwardWeight: W } = plan.stages[operation.stage];
          return startOf(operation) + { F, I, W, B: I + W, R: 0, U: 0, E: 0, L: 0 }[operation.letter];
        };
        const all = rows.flat();
        const gradient = rule.split ? 'I' : 'B';
        const ready = (operation: Operation) => {
          const { letter, stage, microbatch } = operation;
          const wanted: (readonly [Operation, boolean])[] = [];
          const need = (kind: Operation['letter'], of: number) =>
            wanted.push([{ letter: kind, stage: of, microbatch }, of !== stage]);
          if (letter === 'W') need('I', stage);
          else if (letter !== 'F') need('F', stage);
          for (const edge of plan.edges) {
            if (letter === 'F' && edge.to === stage) need('F', edge.from);
            if (letter === gradient && edge.from === stage) need(gradient, edge.to);
          }
          return Math.max(
            0,
            ...wanted.map(
              ([one]) =>
                endOf(one) + (plan.placement[one.stage] === plan.placement[stage] ? 0 : plan.routes[0].latency),
            ),
          );
        };
        for (const row of rows) {
          for (const [index, operation] of row.entries()) {
            const before = index === 0 ? 0 : endOf(row[index - 1]);
            const start = startOf(operation);
            if (start <= before) continue;
            // The device idles from `before` to `start`: nothing of its later operations may be ready before `start`, unless the limit holds it back.
            for (const later of row.slice(index)) {
              if (later.letter === 'F') {
                const limit = rule.inFlight[later.stage] ?? Infinity;
                const forwards = all.filter(
                  (candidate) =>
                    candidate.letter === 'F' &&
                    candidate.stage === later.stage &&
                    candidate.microbatch < later.microbatch,
                ).length;
                const over = all.filter(
                  (candidate) =>
                    candidate.letter === gradient && candidate.stage === later.stage && endOf(candidate) <= before,
                ).length;
                if (forwards - over >= limit) continue;
              }
              expect(ready(later)).toBeGreaterThanOrEqual(start);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('with prefer [I, F, W] and p − s in flight is at least as fast as ZB-H1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 6 }),
        (p, m, t) => {
          const plan = policyPlan('zb_h1', p, m, { f: t, i: t, w: t });
          const rule = {
            split: true,
            prefer: ['I', 'F', 'W'] as const,
            inFlight: plan.stages.map((_, stage) => p - stage),
          };
          expect(simulated(greedy(plan, rule)).makespan).toBeLessThanOrEqual(simulated(plan).makespan);
        },
      ),
    );
  });

  it('with prefer [B, F] and p − s in flight is 1F1B', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 5 }),
        (p, m, t) => {
          const plan = policyPlan('1f1b', p, m, { f: t, i: t, w: t });
          const rule = {
            split: false,
            prefer: ['B', 'F'] as const,
            inFlight: plan.stages.map((_, stage) => p - stage),
          };
          expect(rowsOf(programFor(greedy(plan, rule)))).toEqual(rowsOf(programFor(plan)));
        },
      ),
    );
  });

  it('chooses the same whether seconds are whole or fractions that do not add up exactly', () => {
    const rule = { split: true, prefer: ['I', 'F', 'W'] as const, inFlight: [3, 2, 1] };
    const whole = programFor(greedy(policyPlan('zb_h1', 3, 20, { f: 1, i: 2, w: 3 }), rule));
    const tenths = programFor(greedy(policyPlan('zb_h1', 3, 20, { f: 0.1, i: 0.2, w: 0.3 }), rule));
    expect([...tenths.order]).toEqual([...whole.order]);
  });

  it('that lets a stage have nothing in flight is a fault with the number', () => {
    for (const limit of [0, -3, NaN]) {
      const generated = generate(
        greedy(policyPlan('gpipe', 2, 4), { split: false, prefer: ['B'], inFlight: [1, limit] }),
      );
      expect('faults' in generated && generated.faults).toMatchObject([
        {
          code: 'value/range',
          message: `in_flight(1) of schedule "mine" is ${limit}; it must be at least 1, or the stage never starts.`,
        },
      ]);
    }
  });
});

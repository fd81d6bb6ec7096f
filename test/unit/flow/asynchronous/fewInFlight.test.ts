/** `pipedream(in_flight = N)` with N under the number of stages: the period against its bound, the product's greedy rule and constant warm-ups. */
import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { bruteForce, key, programFor, type Rows, rowsOf } from '../../schedule/bruteForce.ts';
import { type AsynchronousRecipe, asynchronousPlan } from './plans.ts';

const rounds = 24;

/**
 * Seconds between minibatches that enter, by the plain simulator: the mean of the shortest pattern that the second half of the run
 * repeats. Undefined if that half repeats none.
 */
function repeatedPeriod(plan: PipelinePlan, inFlight: number, rows = rowsOf(programFor(plan))): number | undefined {
  const starts = startsOf(plan, inFlight, rows);
  const last = starts.length - 1;
  const steps = starts.slice(1).map((start, index) => Math.round((start - starts[index]) * 1e6));
  for (let lag = 1; 2 * lag <= last; lag += 1) {
    if (steps.every((step, index) => index < lag || step === steps[index - lag]))
      return (starts[last] - starts[last - lag]) / lag;
  }
  return undefined;
}

/** When minibatches enter, in the second half of the run without its last round. */
function startsOf(plan: PipelinePlan, inFlight: number, rows: Rows): readonly number[] {
  const run = bruteForce(plan, rows);
  const [from, to] = [(rounds / 2) * inFlight, (rounds - 1) * inFlight];
  return Array.from({ length: to - from + 1 }, (_, index) => run?.starts.get(key('F', 0, from + index)) ?? NaN);
}

/** The same as a mean of the second half, whether it repeats a pattern or not. */
function periodOf(plan: PipelinePlan, inFlight: number, rows = rowsOf(programFor(plan))): number {
  const starts = startsOf(plan, inFlight, rows);
  return (starts[starts.length - 1] - starts[0]) / (starts.length - 1);
}

const recipe = (stages: number, inFlight: number, more: Partial<AsynchronousRecipe> = {}): PipelinePlan =>
  asynchronousPlan({
    name: 'pipedream',
    args: { in_flight: inFlight },
    stages,
    iterations: rounds * inFlight,
    ...more,
  });

/** The larger of the slowest stage, and of what N minibatches share: the time of one from its first forward to its last backward. */
function bound({ stages, routes, edges }: PipelinePlan, inFlight: number): number {
  const works = stages.map(({ forward, backwardInput, backwardWeight }) => forward + backwardInput + backwardWeight);
  const transfers = edges.length * 2 * (routes[0]?.latency ?? 0);
  return Math.max(...works, works.reduce((sum, work) => sum + work, transfers) / inFlight);
}

/** p − 1 to 1 forwards before the first backward, scaled to N: what a constant warm-up of each stage gives. */
function constantRows(stages: number, inFlight: number, minibatches: number) {
  let before = inFlight;
  return Array.from({ length: stages }, (_, stage) => {
    const scaled = 1 + Math.ceil(((inFlight - 1) * (stages - 1 - stage)) / (stages - 1));
    before = Math.min(before, scaled);
    const warmup = before;
    const row = Array.from({ length: warmup }, (__, microbatch) => ({ letter: 'F' as const, stage, microbatch }));
    return [
      ...row,
      ...Array.from({ length: minibatches }, (__, microbatch) => [
        { letter: 'B' as const, stage, microbatch },
        ...(microbatch + warmup < minibatches
          ? [{ letter: 'F' as const, stage, microbatch: microbatch + warmup }]
          : []),
      ]).flat(),
    ];
  });
}

describe('equal stages and free transfers', () => {
  test.each([
    [4, 2, 6],
    [4, 3, 4],
    [6, 2, 9],
    [4, 1, 12],
    [8, 5, 4.8],
  ])('%i stages with %i in flight have a period of %d for F = 1 and B = 2', (stages, inFlight, period) => {
    expect(periodOf(recipe(stages, inFlight), inFlight)).toBeCloseTo(period, 9);
  });

  test('the period is the bound p(F + B) / N, whatever F and B, and N minibatches are in flight', () => {
    const cost = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.nat(7), cost, cost, cost, (stages, less, f, i, w) => {
        const inFlight = Math.max(1, stages - 1 - less);
        const plan = recipe(stages, inFlight, { forward: [f], backwardInput: [i], backwardWeight: [w] });
        expect(bound(plan, inFlight)).toBe((stages * (f + i + w)) / inFlight);
        expect(periodOf(plan, inFlight)).toBeCloseTo((stages * (f + i + w)) / inFlight, 9);
        const [first] = rowsOf(programFor(plan));
        let held = 0;
        let most = 0;
        for (const { letter } of first) {
          if (letter === 'F') held += 1;
          if (letter === 'B') held -= 1;
          most = Math.max(most, held);
        }
        expect(most).toBe(inFlight);
      }),
    );
  });
});

test('uneven stages and transfers: never under the bound, never over a constant warm-up or the greedy rule', () => {
  const costs = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 6 });
  let shorter = 0;
  let repeating = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }),
      fc.nat(4),
      costs,
      costs,
      fc.constantFrom(0, 0, 1, 3),
      (stages, less, forward, backwardInput, latency) => {
        const inFlight = Math.max(1, stages - 1 - less);
        const plan = recipe(stages, inFlight, { forward, backwardInput, latency });
        const period = periodOf(plan, inFlight);
        // Minibatches may enter in bursts, so that the mean of a window is off by a part of one of its rounds.
        expect(period).toBeGreaterThanOrEqual(bound(plan, inFlight) * (1 - 1 / rounds));
        const limits = Array.from({ length: stages }, (_, stage) => (stage === 0 ? inFlight : Infinity));
        const rule = {
          kind: 'greedy',
          placement: 'linear',
          name: 'rule',
          prefer: ['B', 'F'],
          split: false,
          inFlight: limits,
          weights: 'stash',
        } as const;
        const exact = repeatedPeriod(plan, inFlight);
        const constantOrder = constantRows(stages, inFlight, plan.iterations);
        const greedy = { ...plan, schedule: rule };
        for (const [other, rows] of [
          [plan, constantOrder],
          [greedy, rowsOf(programFor(greedy))],
        ] as const) {
          // An order need not repeat within the run: then its mean may be off by one of the minibatches.
          const repeated = repeatedPeriod(other, inFlight, rows);
          if (exact !== undefined && repeated !== undefined) {
            repeating += 1;
            expect(exact).toBeLessThanOrEqual(repeated + 1e-9);
          } else expect(period).toBeLessThanOrEqual(periodOf(other, inFlight, rows) * (1 + 1 / rounds) + 1e-9);
        }
        if (period < periodOf(plan, inFlight, constantOrder) - 1e-9) shorter += 1;
      },
    ),
    { numRuns: 80 },
  );
  expect(shorter).toBeGreaterThan(5);
  expect(repeating).toBeGreaterThan(30);
});

test('an order is chosen by the period that it keeps, not by one that the end of a run shortens', () => {
  const plan = recipe(6, 5, { forward: [1, 7, 7, 3, 3, 7], backwardInput: [1, 8, 1, 7, 1, 1], latency: 0 });
  // The greedy rule's order repeats after nine minibatches; the even order, of period 84 / 5, drains sooner.
  expect(repeatedPeriod(plan, 5)).toBeCloseTo(146 / 9, 9);
});

test('replicas, and as many in flight as stages or more, keep their order', () => {
  for (const inFlight of [4, 5, 7]) {
    const warmup = rowsOf(programFor(recipe(4, inFlight))).map((row) => row.findIndex(({ letter }) => letter === 'B'));
    expect(warmup).toEqual(
      [3, 2, 1, 0].map((behind, stage) => (stage === 0 ? inFlight : 1 + Math.ceil(((inFlight - 1) * behind) / 3))),
    );
  }
  const replicated = rowsOf(programFor(recipe(3, 1, { replicas: [2, 1, 1] })));
  expect(replicated.map((row) => row.findIndex(({ letter }) => letter === 'B'))).toEqual([1, 1, 1, 1]);
});

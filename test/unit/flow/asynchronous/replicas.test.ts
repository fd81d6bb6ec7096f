import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { steadyOf } from '../../../../engine/analyze/steady.ts';
import { asynchronousPlan, run, stalenessOf } from './plans.ts';

/**
 * Narayanan et al., "PipeDream" (2019), section 3.2: NOAM = ⌈workers / replicas of the input stage⌉; section 3.3: a stage keeps a
 * version for each of its minibatches in flight. Counted here from the order: forwards before the first backward.
 */
describe.each([
  [
    [2, 1, 1],
    [2, 2, 1],
  ],
  [
    [1, 1, 1, 1],
    [4, 3, 2, 1],
  ],
  [
    [2, 1],
    [2, 1],
  ],
  [
    [1, 2],
    [3, 1],
  ],
  [
    [3, 1],
    [2, 1],
  ],
  [
    [2, 2],
    [2, 1],
  ],
] as const)('replicas %j', (replicas, versions) => {
  const ran = run(asynchronousPlan({ name: 'pipedream', stages: replicas.length, replicas, iterations: 48 }));
  const workers = replicas.reduce((sum: number, replica) => sum + replica, 0);

  test('NOAM minibatches at each replica of the input stage', () => {
    expect(versions[0]).toBe(Math.ceil(workers / replicas[0]));
    const { program } = ran.timeline;
    const order = [...program.order.slice(0, program.offsets[1])];
    const firstBackward = order.findIndex((word) => Math.trunc((word >> program.shift) / program.stages) === 1);
    expect(firstBackward).toBe(versions[0]);
  });

  test('versions and staleness of each replica', () => {
    let copy = 0;
    for (const [stage, count] of replicas.entries()) {
      let before = 0;
      for (let s = 0; s < stage; s += 1) before += replicas[s];
      // What the runtime of msr-fiddle/pipedream computes (runtime/runtime.py at 11c40c01), counted here by itself; versions are one more.
      expect(versions[stage]).toBe(Math.floor((workers - 1 - before) / count) + 1);
      for (let replica = 0; replica < count; replica += 1) {
        expect(ran.versions.most[copy]).toBe(versions[stage]);
        expect(stalenessOf(ran, copy)).toEqual([versions[stage] - 1]);
        copy += 1;
      }
    }
  });
});

test('microbatch b runs on replica b mod r, forward and backward', () => {
  const ran = run(asynchronousPlan({ name: 'pipedream', stages: 2, replicas: [3, 1], iterations: 24 }));
  const { program } = ran.timeline;
  for (let copy = 0; copy < 3; copy += 1) {
    const own = [...program.order.slice(program.offsets[copy], program.offsets[copy + 1])];
    const microbatches = new Set(own.map((word) => word & ((1 << program.shift) - 1)));
    expect([...microbatches].sort((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, k) => 3 * k + copy));
    expect(own).toHaveLength(3 * 8);
  }
});

// What two in flight cost, waiting for one another: `waiting.test.ts`.
test('a stage of r replicas is as fast as its slowest share: 2-1-1, a first stage of twice the work, three in flight: no bubble', () => {
  const plan = asynchronousPlan({
    name: 'pipedream',
    stages: 3,
    args: { in_flight: 3 },
    replicas: [2, 1, 1],
    iterations: 48,
    forward: [2, 1, 1],
    backwardInput: [2, 1, 1],
    backwardWeight: [2, 1, 1],
  });
  const steady = steadyOf(run(plan).timeline);
  expect(steady?.steady).toBe(true);
  expect(steady?.period).toBeCloseTo(3, 9);
  expect([...(steady?.busy ?? [])]).toEqual([3, 3, 3, 3]);
});

test('every plan of up to five stages and four replicas each runs, whatever is in flight', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('stash', 'vertical_sync', 'latest'),
      fc.option(fc.integer({ min: 1, max: 14 })),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      (replicas, weights, inFlight, rounds, whole) => {
        const turns = replicas.reduce((all, replica) => (all * replica) / gcd(all, replica), 1);
        const ran = run(
          asynchronousPlan({
            name: 'pipedream',
            args: { weights, ...(inFlight === null ? {} : { in_flight: inFlight }) },
            stages: replicas.length,
            replicas: replicas.some((replica) => replica > 1) ? replicas : undefined,
            microbatches: whole ? turns * rounds : 1,
            iterations: 17,
            forward: [1, 3, 2],
            latency: 0.5,
          }),
        );
        expect(ran.versions.missing).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

test('microbatches that replicas cannot share are refused, with numbers that will do', () => {
  const plan = asynchronousPlan({ name: 'pipedream', stages: 2, replicas: [3, 2], microbatches: 8 });
  const generated = generate(plan);
  if (!('faults' in generated)) throw new Error('taken');
  expect(generated.faults[0]?.code).toBe('schedule/shape');
  expect(generated.faults[0]?.message).toContain('nearest microbatches: 6 or 12');
  for (const microbatches of [6, 12]) run({ ...plan, microbatches });
});

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

test('replicas wait for one another’s gradients also where an update takes no time: that is sync', () => {
  // The two replicas of the second stage have 9 s of work each for two minibatches, so 4.5 s for one, which no other stage exceeds.
  const cost = { forward: [1, 3], backwardInput: [1, 3], backwardWeight: [1, 3] };
  const plan = asynchronousPlan({ name: 'pipedream', stages: 2, replicas: [1, 2], iterations: 48, ...cost });
  const report = evaluate(plan, defaultOptions).run?.report;
  const { iteration = NaN, bubble } = report ?? {};
  expect(iteration).toBeGreaterThan(4.5);
  expect(bubble?.causes.sync).toBeCloseTo((iteration - 4.5) / iteration, 12);
});

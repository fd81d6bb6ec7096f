import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { type Steady, steadyOf } from '../../../../engine/analyze/steady.ts';
import { analyse } from '../../../support/analyse.ts';
import { asynchronousPlan, run } from './plans.ts';

/** Seconds of the busiest device for one minibatch, its updates included, from the costs alone. */
function busiest(plan: PipelinePlan): number {
  const work = plan.devices.map((_, device) => plan.step[device].sync + plan.step[device].optimizer);
  // Replicas of a stage update once in as many minibatches as they take turns with, unless they share every minibatch.
  for (const [stage, { forward, recompute, backwardInput, backwardWeight, copy }] of plan.stages.entries()) {
    const every = copy?.every ?? 1;
    const device = plan.placement[stage];
    work[device] += (plan.microbatches / every) * (forward + recompute + backwardInput + backwardWeight);
    const held = plan.placement.filter((value) => value === device).length;
    const { sync, optimizer } = plan.step[device];
    if (plan.microbatches % every !== 0) work[device] -= ((sync + optimizer) / held) * (1 - 1 / every);
  }
  return Math.max(...work);
}

function expectPeriod(steady: Steady | undefined, plan: PipelinePlan): Steady {
  if (steady === undefined) throw new Error('none');
  const least = busiest(plan);
  expect(steady.period).toBeGreaterThanOrEqual(least * (1 - 1e-12));
  const counted = steady.busy.map((busy, device) => busy + steady.step[device]);
  expect(Math.max(...counted)).toBeCloseTo(least, 9);
  return steady;
}

const policies = ['pipedream', 'pipedream_2bw', 'pipelined_backprop', 'xpipe', 'pipemare'] as const;
const times = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 });

test('never under the work of the busiest device; where it is steady, more iterations do not change it', () => {
  let settled = 0;
  let all = 0;
  fc.assert(
    fc.property(
      fc.record({
        name: fc.constantFrom(...policies),
        p: fc.integer({ min: 1, max: 6 }),
        m: fc.integer({ min: 1, max: 4 }),
        forward: times,
        backwardInput: times,
        backwardWeight: times,
        latency: fc.constantFrom(0, 0.25, 3),
        occupancy: fc.constantFrom(undefined, 0.5),
        optimizer: fc.integer({ min: 0, max: 2 }),
        inFlight: fc.option(fc.integer({ min: 1, max: 9 })),
        replicas: fc.option(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 6, maxLength: 6 })),
        rounds: fc.integer({ min: 1, max: 2 }),
      }),
      ({ name, p, m, inFlight, replicas, rounds, ...costs }) => {
        const turns =
          name === 'pipedream' && replicas?.slice(0, p).some((replica) => replica > 1)
            ? replicas.slice(0, p)
            : undefined;
        const microbatches = turns !== undefined ? 1 : name === 'pipedream_2bw' ? Math.max(m, p) : m;
        const ranks = turns?.reduce((sum, turn) => sum + turn, 0) ?? p;
        const plan = asynchronousPlan({
          ...costs,
          name,
          args: name === 'pipedream' && inFlight !== null ? { in_flight: inFlight } : {},
          stages: p,
          microbatches,
          replicas: turns,
          iterations: rounds * Math.max(16, 8 * Math.ceil(ranks / microbatches)),
        });
        const once = expectPeriod(steadyOf(run(plan).timeline), plan);
        all += 1;
        if (!once.steady) return;
        settled += 1;
        for (const more of [2, 3]) {
          const again = steadyOf(run({ ...plan, iterations: more * plan.iterations }).timeline);
          expect(again?.steady).toBe(true);
          expect(again?.period).toBeCloseTo(once.period, 9);
        }
      },
    ),
    { numRuns: 250 },
  );
  // Else the property says little.
  expect(settled / all).toBeGreaterThan(0.9);
});

const text = (layers: readonly (readonly [number, number])[], more: string, schedule = '') =>
  `device gpu { memory = 1GiB }
cluster box { gpu[${layers.length}] = gpu  link = 1000GB/s + 0us }
model toy { ${layers.map(([f, b], index) => `layer l${index} { forward = ${f}ms  backward = ${b}ms  weights = 1MiB  activation = 1MiB }`).join('\n')} }
${schedule}
pipeline train { model = toy  devices = box  stages = balance(${layers.length})  ${more} }
`;

function periodOf(source: string): Steady {
  const { pipelines, findings } = analyse(source);
  const [one] = pipelines;
  if (one?.run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return expectPeriod(steadyOf(one.run.timeline), one.plan);
}

const layers = (count: number) =>
  fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), {
    minLength: count,
    maxLength: count,
  });

describe('amdp', () => {
  test.each([
    [4, 1],
    [4, 2],
    [8, 1],
  ])('%i stages, %i units an update, uneven stages', (p, units) => {
    fc.assert(
      fc.property(layers(p), (costs) => {
        const of = (iterations: number) =>
          periodOf(text(costs, `microbatches = ${p * units}  iterations = ${iterations}  schedule = amdp`));
        const once = of(16);
        if (once.steady) expect(of(32).period / once.period).toBeCloseTo(1, 9);
        else expect(of(48).steady).toBe(true);
      }),
      { numRuns: p === 4 ? 12 : 5 },
    );
  });

  // Four stages fill one another's gaps where F = B: two directions of two microbatches, and an exchange of 1 MiB for each stage.
  test('with F = B a device never waits', () => {
    const even = Array.from({ length: 4 }, () => [1, 1] as const);
    const steady = periodOf(text(even, 'microbatches = 4  schedule = amdp'));
    expect(steady.steady).toBe(true);
    expect(steady.period).toBeCloseTo(8e-3 + (2 * 2 ** 20) / 1e12, 9);
  });
});

test('a rule of one’s own', () => {
  fc.assert(
    fc.property(layers(4), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), (costs, m, inFlight) => {
      const schedule = `schedule mine { order = greedy(prefer = [B, F])  in_flight(s) = ${inFlight}  weights = stash }`;
      const of = (iterations: number) =>
        periodOf(text(costs, `microbatches = ${m}  iterations = ${iterations}  schedule = mine`, schedule));
      const once = of(32);
      if (once.steady) expect(of(64).period / once.period).toBeCloseTo(1, 9);
    }),
    { numRuns: 20 },
  );
});

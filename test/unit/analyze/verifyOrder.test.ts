/** What `--verify` proves, compared with limits that are counted anew and with orders that a search finds. */
import { describe, expect, it } from 'vitest';
import { verifyOrder, type VerifyOptions } from '../../../engine/analyze/verifyOrder.ts';
import type { PipelinePlan, PolicyArgument } from '../../../engine/values/plan.ts';
import { problemOfShape } from '../../../engine/policies/searched/problem.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import * as fc from '../../support/property.ts';
import { programFor } from '../schedule/bruteForce.ts';
import { policyPlan } from '../schedule/plans.ts';
import { bytes, heldBy, pipelines } from '../schedule/zbAuto/pipelines.ts';
import { leastMakespanFrom } from '../search/bruteForce.ts';

const effort = 1e8;

const under = (
  plan: PipelinePlan,
  name: string,
  args: Readonly<Record<string, PolicyArgument>> = {},
): PipelinePlan => ({
  ...plan,
  schedule: { kind: 'policy', name, args },
});

function verified(plan: PipelinePlan, options: Omit<VerifyOptions, 'effort'>) {
  const program = programFor(plan);
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('it never ends');
  return { program, ...verifyOrder(plan, timeline, { ...options, effort }) };
}

/** Seconds of the shortest of all orders. Times are whole seconds. */
function shortestOf(plan: PipelinePlan): number {
  const { problem, perSecond } = problemOfShape(shapeOf(plan));
  const seconds = (ticks: Float64Array): Float64Array => ticks.map((each) => Math.round(each / perSecond));
  const { forward, input, weight, transfer, step } = problem;
  return leastMakespanFrom(
    {
      ...problem,
      ...{ forward: seconds(forward), input: seconds(input), weight: seconds(weight) },
      ...{ transfer: seconds(transfer), step: seconds(step) },
    },
    0,
  );
}

describe('an order that is verified under a limit', () => {
  it('keeps it exactly where no device ever holds more, and no order within it is under the bound', () => {
    let [kept, over, optimal] = [0, 0, 0];
    fc.assert(
      fc.property(
        pipelines({ devices: 3, microbatches: 3 }),
        fc.constantFrom('gpipe', 'zb_h1', 'zb_h2'),
        fc.integer({ min: 0, max: 12 }),
        (bare, name, more) => {
          const plan = under(bare, name);
          const least = Math.max(...plan.stages.map((each) => Math.max(each.activation, each.activationForWeight)));
          const limit = bytes(least + more);
          const { program, iteration, bound, within, exceeded, ...result } = verified(plan, { fits: true, limit });
          const isKept = heldBy(plan, program).every((held) => held <= least + more);
          const words = `the limit of ${least + more} B on each device`;
          if (typeof bound !== 'number') {
            // A W without time that needs memory: the search gives it a tick.
            const isHeavy = plan.stages.some(
              (each) => each.backwardWeight === 0 && each.activationForWeight > each.activation,
            );
            expect([bound.reason, isHeavy]).toEqual(['its times are not those that the limit is checked with', true]);
            return;
          }
          if (program.split) {
            expect(exceeded).toBe(isKept ? undefined : words);
            expect(within).toBe(isKept ? words : 'the memory of the devices');
          }
          const backward = isKept && !program.split ? 'whole' : 'split';
          const shortest = shortestOf(under(bare, 'search', { backward, ...(isKept ? { limit } : {}) }));
          expect(bound).toBeLessThanOrEqual(shortest * (1 + 1e-9));
          if (result.optimal) expect(iteration).toBeCloseTo(shortest, 9);
          kept += isKept ? 1 : 0;
          over += isKept ? 0 : 1;
          optimal += result.optimal ? 1 : 0;
        },
      ),
      { numRuns: 50 },
    );
    for (const cases of [kept, over, optimal]) expect(cases).toBeGreaterThan(3);
  });

  it('counts the bytes of a weight gradient that takes no time and runs late', () => {
    const plan = policyPlan('zb_h2', 2, 2);
    const costs = { backwardWeight: 0, activation: 5, activationForWeight: 1 };
    const late = { ...plan, stages: plan.stages.map((stage, at) => (at === 1 ? { ...stage, ...costs } : stage)) };
    // Device 1 runs F0 I0 F1 before W0: 5 + 1.
    expect(heldBy(late, programFor(late))[1]).toBe(6);
    expect(verified(late, { fits: true, limit: bytes(5) }).exceeded).toBe('the limit of 5 B on each device');
    expect(verified(late, { fits: true, limit: bytes(6) }).exceeded).toBeUndefined();
  });

  it('is the shortest with its own limit, and not with all memory', () => {
    // F = I = W = 1 on 4 devices, 8 microbatches. With a limit of 4: 3m + p − 1 = 27.
    const tight = under(policyPlan('search', 4, 8), 'search', { limit: 4, effort: 1 });
    expect(verified(tight, { fits: true, limit: 4 })).toMatchObject({ iteration: 27, bound: 27, optimal: true });
    const wide = under(policyPlan('search', 4, 8), 'search', { limit: 2, effort: 1 });
    const limited = verified(wide, { fits: true, limit: 2 });
    expect(limited.within).toBe('the limit of 2 microbatches on each device');
    expect(limited.bound).toBeGreaterThan(27);
    const free = verified(wide, { fits: true });
    expect(free).toMatchObject({ bound: 27, within: 'the memory of the devices', optimal: false });
    expect(verified(wide, { fits: false }).within).toBeUndefined();
  });

  it('with whole backwards is compared with orders of whole backwards', () => {
    // 1F1B takes (m + p − 1)(F + B) = 33, and no order of whole backwards within p microbatches is shorter.
    const plan = policyPlan('1f1b', 4, 8);
    expect(verified(plan, { fits: true, limit: 4 })).toMatchObject({ iteration: 33, bound: 33, optimal: true });
    expect(verified(plan, { fits: true, limit: 3 })).toMatchObject({
      exceeded: 'the limit of 3 microbatches on each device',
    });
  });
});

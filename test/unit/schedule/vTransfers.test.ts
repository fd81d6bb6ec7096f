/** V-Half and V-Min where transfers take time: against the order made without them, and the figures of the authors' own order. */
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { programOf } from '../../../engine/schedule/generate.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { splitBackward } from '../../../engine/policies/orders/vBlocks.ts';
import { unitTimes, vTimesOf } from '../../../engine/policies/orders/vTimes.ts';
import * as fc from '../../support/property.ts';
import { bruteForce, type Rows, rowsOf, type Simulated } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';

const policyOf = (name: string) => {
  const policy = findPolicy(name);
  if (policy === undefined) throw new Error(name);
  return policy;
};

/** A plan on the policy's own placement; operations of half a unit, or of the times given. */
function planFor(name: string, p: number, m: number, transfer: number, times: readonly number[] = [0.5]): PipelinePlan {
  const stages = Array.from({ length: 2 * p }, (_, stage) => times[stage % times.length]);
  const loose = recipePlan({
    microbatches: m,
    schedule: { kind: 'policy', name, args: {} },
    forward: stages,
    backwardInput: stages.toReversed(),
    backwardWeight: stages,
    latency: transfer,
    placement: stages.map((_, stage) => (stage < p ? stage : 2 * p - 1 - stage)),
    stage: { activationForWeight: 0 },
  });
  return loose;
}

const orderOf = (plan: PipelinePlan, name: string): Rows => rowsOf(programOf(policyOf(name), shapeOf(plan)));
function ran(plan: PipelinePlan, rows: Rows): Simulated {
  const run = bruteForce(plan, rows);
  if (run === undefined) throw new Error('the program never ends');
  return run;
}

describe('V-Half on four devices with eight microbatches', () => {
  // The order of the authors' code (sail-sg/zero-bubble, V-Half), by the same simulation.
  test.each([
    [0.1, 28.7],
    [0.25, 32],
    [0.5, 39.5],
  ])('ends with transfers of %d no later than the authors’ order: %d', (transfer, published) => {
    const plan = planFor('v_half', 4, 8, transfer);
    const run = ran(plan, orderOf(plan, 'v_half'));
    expect(run.makespan).toBeLessThanOrEqual(published + 1e-9);
    expect(Math.max(...run.inFlight)).toBe(6);
  });
});

test.each(['v_half', 'v_min'])(
  '%s is never longer, nor holds more, than the order that knows neither transfers nor times',
  (name) => {
    let shorter = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 24 }),
        fc.constantFrom(0, 0.1, 0.25, 0.5, 2),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (p, m, transfer, times) => {
          const plan = planFor(name, p, m, transfer, times);
          const found = ran(plan, orderOf(plan, name));
          const blind = ran(plan, orderOf(planFor(name, p, m, 0, [1]), name));
          expect(found.makespan).toBeLessThanOrEqual(blind.makespan + 1e-9);
          expect(Math.max(...found.inFlight)).toBeLessThanOrEqual(Math.max(...blind.inFlight));
          if (found.makespan < blind.makespan - 1e-9) shorter += 1;
        },
      ),
      { numRuns: 40 },
    );
    expect(shorter).toBeGreaterThan(5);
  },
);

test('times are those of the chunk that an operation belongs to', () => {
  const plan = planFor('v_half', 2, 2, 0.25, [1, 2, 3, 4]);
  const { duration, transfer, even } = vTimesOf(shapeOf(plan), splitBackward);
  expect(even).toBe(false);
  const scale = duration[0];
  // Stages 0 and 3 on the first device, 1 and 2 on the second: F of both chunks, I and W of the second, then of the first, by device.
  const seconds = Array.from(duration, (ticks) => ticks / scale);
  expect(seconds).toEqual([1, 2, 4, 3, 1, 2, 4, 3, 4, 3, 1, 2]);
  expect(transfer.map((each) => [...each].map((ticks) => ticks / scale))).toEqual([[0.25], [0.25]]);
  expect(vTimesOf(shapeOf(planFor('v_half', 2, 2, 0)), splitBackward)).toEqual(unitTimes(2, splitBackward));
});

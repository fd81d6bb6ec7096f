import { describe, expect, it } from 'vitest';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import { bubbleCauses } from '../../../engine/analyze/causes.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import * as fc from '../../support/property.ts';
import { planOf } from '../../support/resolve.ts';
import { type Choice, choices, shortestOf, textOf } from './declaredOrders.ts';

const runOf = (plan: PipelinePlan) => {
  const { run, findings } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return run;
};

/** F = 4 ms and B = 8 ms, free transfers. */
const simulated = (schedule: string, devices = 4, microbatches = 8) => {
  const text = `schedule mine { ${schedule} }
    device x { memory = 80GiB }
    cluster box { gpu[${devices}] = x  link = 1000GB/s }
    model m { layer a[${devices}] { forward = 4ms  backward = 8ms  activation = 1GiB  output = 0B } }
    pipeline train { model = m  devices = box  microbatches = ${microbatches}  stages = balance(${devices})  schedule = mine }`;
  const plan = planOf(text);
  return { plan, ...runOf(plan) };
};
const reportOf = (schedule: string) => simulated(schedule).report;
const one = 'let warm(d) = min(stages - d, microbatches)';
const plain = `F[0..<warm(d)], zip(B[0..<microbatches-warm(d)], F[warm(d)..<microbatches]), B[microbatches-warm(d)..<microbatches]`;

describe('operations that a schedule declares', () => {
  it('of every device: the last one starts after the others, works for all of them, and the backward goes up', () => {
    const { bubble, iteration } = reportOf(`${one}
      operation S { time = 2ms  after(j) = F[j, stage = stages - 1] }
      operation T { time = 2ms  after(j) = each(k in 0..<stages, S[j, stage = k])  before(j) = B[j, stage = stages - 1] }
      row(d) = F[0..<warm(d)], each(j in 0..<microbatches, S[j], T[j], B[j], if(j + warm(d) < microbatches, F[j + warm(d)]))
      row(stages - 1) = each(j in 0..<microbatches, F[j], S[j], T[j], B[j])`);
    // 3 F, then 8 (F + S + T + B), then 3 B.
    const least = 12 + 128 + 24;
    // An order with I and W may end with weight gradients: 3 F, then 8 (F + S + T + B).
    expect(bubble.bound).toBeCloseTo(1 - 128 / (12 + 128), 9);
    expect(bubble.causes.fill_drain).toBeCloseTo((least - 128) / (iteration * 1e3), 9);
    expect(bubble.causes.order).toBeCloseTo((iteration * 1e3 - least) / (iteration * 1e3), 9);
    expect(bubble.causes.imbalance).toBe(0);
  });

  it('of one device are imbalance: the others wait while it works', () => {
    const { bubble, iteration } = reportOf(`${one}
      operation loss { time = 8ms  after(j) = F[j]  before(j) = B[j] }
      row(d) = ${plain}
      row(stages - 1) = each(j in 0..<microbatches, F[j], loss[j], B[j])`);
    // 3 F, then 8 (F + loss + B), then 3 B. If devices shared the losses, the last one would take 2 ms for each.
    expect(iteration).toBeCloseTo(0.196, 12);
    // An order with I and W may end with weight gradients: 3 F, then 8 (F + loss + B).
    expect(bubble.bound).toBeCloseTo(1 - 112 / (12 + 160), 9);
    expect(bubble.causes.imbalance).toBeCloseTo(48 / 196, 9);
    expect(bubble.causes.fill_drain).toBeCloseTo(36 / 196, 9);
    expect(bubble.causes.order).toBe(0);
  });

  it('of some microbatches do not make the others wait', () => {
    // Only the first forward waits for 50 ms: the second could come before it.
    const { bubble } = reportOf(`
      operation slow { time = 50ms  before(j) = if(j == 0, F[0, stage = 0], []) }
      row(d) = F[0..<microbatches], B[0..<microbatches]
      row(1) = slow[0], F[0..<microbatches], B[0..<microbatches]`);
    // The second device does it all: after the first forward, or before it.
    expect(bubble.bound).toBeLessThanOrEqual(1 - (4 * 96 + 50) / (4 * (96 + 50 + 8)));
  });

  it('may come after an input gradient for one microbatch, and after a whole backward for another', () => {
    const { plan, timeline } = simulated(
      `operation x { time = 100ms  after(j) = B[j, stage = 1] }
       row(0) = F[1], F[0], x[1], x[0], B[1], B[0]
       row(1) = F[1], I[1], F[0], B[0], W[1]`,
      2,
      2,
    );
    // The input gradient of 1 is there after F, F and I, at 12 ms. The first device then works for 200 + 16 ms.
    expect(timeline.makespan).toBeCloseTo(0.228, 12);
    const bound = leastMakespan(plan, timeline.program, timeline.timing, { split: true, memory: false });
    expect(bound).toBeCloseTo(0.228, 12);
  });

  it('hide in a slot as far as they overlap', () => {
    const { bubble } = reportOf(`
      operation x { time = 8ms }
      row(d) = F[0..<microbatches], fused(x[0..<microbatches], B[0..<microbatches], overlap = 100%)`);
    expect(bubble.bound).toBeLessThan(bubble.makespan);
    expect(bubble.causes.fill_drain + bubble.causes.order).toBeCloseTo(bubble.makespan, 9);
  });
});

describe('with operations at random', () => {
  it('no order of all ends before the bound, and the causes add up', () => {
    let reached = 0;
    fc.assert(
      fc.property(choices, (choice: Choice) => {
        const plan = planOf(textOf(choice));
        const { timeline, report } = runOf(plan);
        const { program, timing } = timeline;
        const best = shortestOf(choice);
        expect(best).toBeLessThanOrEqual(timeline.makespan * 1e3 + 1e-9);
        const bound = leastMakespan(plan, program, timing, { split: true, memory: true }) * 1e3;
        expect(bound).toBeLessThanOrEqual(best + 1e-9);
        if (bound > best - 1e-9) reached += 1;
        const causes = Object.values(bubbleCauses(plan, timeline));
        expect(causes.reduce((sum, cause) => sum + cause, 0)).toBeCloseTo(report.bubble.makespan, 9);
        expect(Math.min(...causes)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
    expect(reached).toBeGreaterThan(10);
  });
});

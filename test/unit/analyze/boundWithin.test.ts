import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan, PolicyArgument } from '../../../engine/values/plan.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { policyPlan } from '../schedule/plans.ts';

/** F = I = W = 1 on 4 devices with 8 microbatches; one of them takes a byte. `memory`: bytes of a device. */
function searched(
  args: Readonly<Record<string, PolicyArgument>>,
  memory?: number,
): { readonly report: PipelineReport; readonly said: string } {
  const bare = policyPlan('search', 4, 8, { args: { effort: 1, ...args } });
  const stages = bare.stages.map((stage) => ({ ...stage, activation: 1, activationForWeight: 1 }));
  const devices = bare.devices.map((device) => (memory === undefined ? device : { ...device, memory }));
  const plan: PipelinePlan = { ...bare, stages, devices };
  const { run, findings } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('it does not run');
  return { report: run.report, said: findings.find(({ code }) => code === 'schedule/bubble')?.message ?? '' };
}

describe('the bound of the bubble', () => {
  // 24 units of work on each device. Without a limit, the last device begins after 3: 27.
  it('is within the limit of a search, says so, and agrees with the certificate', () => {
    const { report, said } = searched({ limit: 2 });
    const { bubble, search, iteration } = report;
    const bound = search?.bound ?? 0;
    expect(bound).toBeGreaterThan(27);
    expect(bubble.bound_within).toBe('limit');
    expect(bubble.bound).toBeCloseTo(1 - 24 / bound, 9);
    expect(said).toContain('With these stages, within the limit of 2 microbatches on each device, no order can go');
    // Another order saves no more than the certificate leaves; memory keeps the rest.
    expect(bubble.causes.order).toBeCloseTo(Math.max(0, 1 - bound / iteration), 9);
    expect(bubble.causes.memory).toBeGreaterThan(0);
    const sum = Object.values(bubble.causes).reduce((all, share) => all + share, 0);
    expect(sum).toBeCloseTo(bubble.makespan, 9);
  });

  it('says which backwards its orders may have, where those of the order are whole', () => {
    const of = (name: string) => evaluate(policyPlan(name, 4, 8), defaultOptions).run?.report;
    const [whole, split] = [of('1f1b'), of('zb_h1')];
    // zb_h1 has the bubble that 1F1B's bound promises, with backwards that 1F1B does not split.
    expect(whole?.bubble.bound).toBeCloseTo(split?.bubble.makespan ?? NaN, 9);
    expect([whole?.bubble.bound_backward, split?.bubble.bound_backward]).toEqual(['split', undefined]);
    const { report, said } = searched({ backward: 'whole' });
    expect(report.bubble.bound_backward).toBe('whole');
    expect(report.bubble.bound).toBeGreaterThan((split?.bubble.makespan ?? NaN) + 0.05);
    expect(said).toContain('With these stages no order with whole backwards can go below');
    expect(searched({}).report.bubble.bound_backward).toBeUndefined();
  });

  it('is within the memory of the devices where that raises it', () => {
    const { report, said } = searched({}, 2);
    expect(report.search?.bound).toBeGreaterThan(27);
    expect(report.bubble.bound_within).toBe('memory');
    expect(said).toContain('With these stages, within the memory of the devices, no order can go');
  });

  it('is within nothing where a limit does not raise it', () => {
    for (const { report, said } of [searched({ limit: 4 }), searched({}, 100)]) {
      expect(report.iteration).toBeCloseTo(27, 9);
      expect(report.bubble.bound_within).toBeUndefined();
      expect(report.bubble.causes.memory).toBe(0);
      expect(said).toContain('With these stages no order can go');
    }
  });
});

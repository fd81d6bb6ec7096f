import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { leastMakespan } from '../../../engine/analyze/bound.ts';
import { bubbleCauses } from '../../../engine/analyze/causes.ts';
import { exposedByRoute } from '../../../engine/analyze/exposed.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { Program } from '../../../engine/values/program.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { asynchronousPlan } from '../flow/asynchronous/plans.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy, type Recipe } from '../support/plans.ts';

const timelineOf = (plan: PipelinePlan, program: Program) => {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
};
const reportOf = (recipe: Recipe) => {
  const { run, findings } = evaluate(recipePlan(recipe), defaultOptions);
  if (run === undefined) throw new Error(findings.map((finding) => finding.message).join('\n'));
  return run.report;
};

describe('the bound', () => {
  it('is under the makespan of every order, with and without transfers, sync and limits of memory that the order keeps', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timeline = timelineOf(plan, program);
        expect(leastMakespan(plan, program, timeline.timing, { split: true, memory: true })).toBeLessThanOrEqual(
          timeline.makespan + 1e-9,
        );
        const tight = {
          ...plan,
          devices: plan.devices.map((device, index) => ({ ...device, memory: peakOf(plan, program, index) })),
        };
        expect(leastMakespan(tight, program, timeline.timing, { split: true, memory: true })).toBeLessThanOrEqual(
          timeline.makespan + 1e-9,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is reached by zero-bubble orders of equal stages: m(F + I + W) + (p − 1)F', () => {
    const { bubble, iteration } = reportOf({ devices: 4, microbatches: 8, schedule: policy('zb_h1') });
    expect(iteration).toBe(27);
    expect(bubble.makespan).toBeCloseTo(3 / 27, 12);
    expect(bubble.bound).toBeCloseTo(3 / 27, 12);
  });
});

describe('the bound under a limit of memory', () => {
  // Device 0 runs F, waits for F and I of device 1, and runs I and W before it has room for the next F: 5 s a microbatch.
  it('is reached where a device holds one microbatch at a time', () => {
    const { bubble, iteration } = reportOf({
      devices: 2,
      microbatches: 8,
      schedule: policy('zb_auto', { limit: 1 }),
      memory: 1,
    });
    expect(iteration).toBe(8 * 5);
    expect(bubble.makespan).toBeCloseTo(1 - 48 / 80, 12);
    expect(bubble.bound).toBeCloseTo(1 - 48 / 80, 12);
  });

  it('does not count for an order that is over it', () => {
    const { bubble } = reportOf({ devices: 2, microbatches: 8, schedule: policy('zb_h1'), memory: 1 });
    expect(bubble.bound).toBeCloseTo(1 - 48 / 50, 12);
  });
});

describe('the span bubble', () => {
  it('leaves out what a device waits before its first start', () => {
    // Device 0 works 3 s within [0, 5]; device 1 works without a pause from 1 s to 8 s, which is the longest span.
    const { bubble } = reportOf({ devices: 2, microbatches: 1, schedule: policy('zb_h1'), backwardWeight: [1, 5] });
    expect(bubble.span).toBe(0);
  });
});

describe('a pipeline whose operations take no time', () => {
  const nothing = { forward: [0], backwardInput: [0], backwardWeight: [0] };

  it('idles for all of the time that its gradients sync, whatever the order', () => {
    const { bubble, iteration } = reportOf({
      ...nothing,
      devices: 2,
      microbatches: 2,
      schedule: policy('1f1b'),
      sync: 3,
    });
    expect(iteration).toBe(3);
    expect(bubble).toMatchObject({ makespan: 1, bound: 1, causes: { sync: 1 } });
  });

  it('idles for all of the time that its transfers take, whatever the order', () => {
    const { bubble } = reportOf({ ...nothing, devices: 2, microbatches: 2, schedule: policy('1f1b'), occupancy: 1 });
    expect(bubble).toMatchObject({ makespan: 1, bound: 1, causes: { communication: 1 } });
  });

  it('idles for all of a steady period of transfers or of updates, whatever the order', () => {
    for (const [times, cause] of [
      [{ occupancy: 1 }, 'communication'],
      [{ optimizer: 2 }, 'sync'],
    ] as const) {
      const plan = asynchronousPlan({ ...nothing, ...times, name: 'pipedream', stages: 2 });
      const { run } = evaluate(plan, defaultOptions);
      expect(run?.report.bubble).toMatchObject({ makespan: 1, bound: 1, causes: { [cause]: 1 } });
    }
  });
});

describe('the causes', () => {
  it('add up to the makespan bubble and none is negative', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timeline = timelineOf(plan, program);
        const causes = Object.values(bubbleCauses(plan, timeline));
        const busy = timeline.busy.reduce((sum, value) => sum + value, 0);
        const bubble = timeline.makespan === 0 ? 0 : 1 - busy / (program.devices * timeline.makespan);
        expect(causes.reduce((sum, cause) => sum + cause, 0)).toBeCloseTo(bubble, 9);
        expect(Math.min(...causes)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });

  it('of equal stages without transfers are fill and drain alone: (p − 1)/(m + p − 1) under 1F1B and GPipe', () => {
    for (const name of ['1f1b', 'gpipe']) {
      const { bubble } = reportOf({
        devices: 4,
        microbatches: 8,
        schedule: policy(name),
        backwardInput: [1],
        backwardWeight: [1],
      });
      expect(bubble.makespan).toBeCloseTo(3 / 11, 12);
      expect(bubble.span).toBeCloseTo(3 / 11, 12);
      expect(bubble.causes.fill_drain).toBeCloseTo(3 / 11, 12);
      expect(bubble.causes).toMatchObject({ imbalance: 0, communication: 0, memory: 0, sync: 0, order: 0 });
    }
  });

  it('of latency under 1F1B are the closed form [2(p − 1)m/p + 2(p − 2)]·c over the makespan', () => {
    const c = 0.5;
    const { bubble, iteration } = reportOf({ devices: 4, microbatches: 8, schedule: policy('1f1b'), latency: c });
    const added = ((2 * 3 * 8) / 4 + 2 * 2) * c;
    expect(iteration).toBeCloseTo(33 + added, 12);
    expect(bubble.causes.communication).toBeCloseTo(added / (33 + added), 12);
    expect(bubble.causes.fill_drain).toBeCloseTo(9 / (33 + added), 12);
  });

  it('of one slow stage are imbalance: all others wait for it', () => {
    // Equal jobs through a line: GPipe takes ΣF + (m − 1)·max F + ΣB + (m − 1)·max B.
    const { bubble, iteration } = reportOf({
      devices: 4,
      microbatches: 8,
      schedule: policy('gpipe'),
      forward: [1, 2, 1, 1],
      backwardInput: [1, 2, 1, 1],
      backwardWeight: [1, 2, 1, 1],
    });
    expect(iteration).toBe(5 + 7 * 2 + 10 + 7 * 4);
    const mean = (3 * 4 + 3) / 4;
    expect(bubble.causes.imbalance).toBeCloseTo((57 - 11 * mean) / 57, 12);
    expect(bubble.causes.fill_drain).toBeCloseTo((3 * mean) / 57, 12);
  });

  it('of a step at the end are sync', () => {
    const { bubble, iteration } = reportOf({ devices: 2, microbatches: 2, schedule: policy('1f1b'), sync: 3 });
    expect(iteration).toBe(3 * 3 + 3);
    expect(bubble.causes.sync).toBeCloseTo(3 / 12, 12);
  });
});

describe('exposed communication', () => {
  it('is what devices wait for transfers: with two devices and one microbatch, once down and once up', () => {
    const report = reportOf({ devices: 2, microbatches: 1, schedule: policy('1f1b'), latency: 0.25, occupancy: 0.5 });
    expect(report.links.map(({ from, to, bytes, busy, exposed }) => [from, to, bytes, busy, exposed])).toEqual([
      ['gpu[0]', 'gpu[1]', 1, 0.5, 0.75],
      ['gpu[1]', 'gpu[0]', 1, 0.5, 0.75],
    ]);
  });

  it('never exceeds the idle time of the devices', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timeline = timelineOf(plan, program);
        const idle = timeline.busy.reduce((sum, busy) => sum + timeline.makespan - busy, 0);
        const exposed = exposedByRoute(timeline, plan.routes.length).reduce((sum, value) => sum + value, 0);
        expect(exposed).toBeLessThanOrEqual(idle + 1e-9);
      }),
    );
  });
});

/** Largest number of activations (one byte each) held at a time, counted from the program alone. */
function peakOf(plan: PipelinePlan, program: Program, device: number): number {
  let held = 0;
  let most = 0;
  for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
    const kind = Math.trunc((program.order[at] >> program.shift) / plan.stages.length);
    if (kind === 0) held += 1;
    most = Math.max(most, held);
    if (kind === 1 || kind === 3) held -= 1;
  }
  return most;
}

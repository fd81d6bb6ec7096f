import { describe, expect, it } from 'vitest';
import { sensitivityOf } from '../../../engine/analyze/sensitivity.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { SensitivityReport } from '../../../engine/values/report.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { planOf } from '../../support/resolve.ts';
import { policy, recipePlan } from '../support/plans.ts';

const schedule = policy('1f1b');

function sensitivity(plan: PipelinePlan): SensitivityReport {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('deadlock');
  return sensitivityOf(plan, timeline);
}

// 1F1B takes one F + B of every other stage, and m of the slowest one: F + B = 3 here.
const [p, m] = [4, 12];

describe('10 % slower and faster', () => {
  // Stage s hides p − 1 − s forwards of its warm-up, and as many backwards of its drain, behind the round trip through later
  // stages. If it gets faster, the path through stage p − 2 decides: m − 1 of its own, 2 of the last stage, 1 of all others.
  it('stages and devices of 1F1B: 0.1 (m − p + 1 + s)(F + B) longer, 0.1 (F + B) shorter, twice that for the last', () => {
    const report = sensitivity(recipePlan({ devices: p, microbatches: m, schedule }));
    expect(report.change).toBe(0.1);
    expect(report.stages.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3']);
    expect(report.devices.map(({ name }) => name)).toEqual(['gpu[0]', 'gpu[1]', 'gpu[2]', 'gpu[3]']);
    for (const rows of [report.stages, report.devices]) {
      for (const [stage, row] of rows.entries()) {
        expect(row.slower).toBeCloseTo(0.1 * (m - p + 1 + stage) * 3, 9);
        expect(row.faster).toBeCloseTo(0.1 * (stage === p - 1 ? 2 : 1) * 3, 9);
      }
    }
    for (const { slower, faster } of report.links) expect([slower, faster]).toEqual([0, 0]);
  });

  it('a link between two devices: 0.1 m c longer and shorter, whether it is latency or bandwidth', () => {
    for (const cost of [{ latency: 0.5 }, { occupancy: 0.5 }]) {
      const [link, ...others] = sensitivity(recipePlan({ devices: 2, microbatches: m, schedule, ...cost })).links;
      expect(others).toEqual([]);
      expect(link.name).toBe('gpu[0] – gpu[1]');
      expect(link.slower).toBeCloseTo(0.1 * m * 0.5, 9);
      expect(link.faster).toBeCloseTo(0.1 * m * 0.5, 9);
    }
  });

  it('a stage with slack: nothing but its part of the fill', () => {
    const report = sensitivity(recipePlan({ devices: 2, microbatches: m, schedule, forward: [1, 3] }));
    expect(report.stages[0].slower).toBeCloseTo(0.1 * 3, 9);
    expect(report.stages[1].slower).toBeCloseTo(0.1 * m * 5, 9);
  });

  it('an asynchronous stage: its part of the period, without the update of its weights', () => {
    const recipe = { devices: 3, microbatches: 1, schedule: policy('pipedream'), optimizer: 2, forward: [1, 3, 1] };
    const { stages, devices } = sensitivity({ ...recipePlan(recipe), iterations: 32 });
    // F + B = 5 in the slowest stage, and 2 for each update.
    for (const rows of [stages, devices]) {
      expect(rows.map(({ slower }) => Number(slower.toFixed(9)))).toEqual([0, 0.5, 0]);
      expect(rows.map(({ faster }) => Number(faster.toFixed(9)) + 0)).toEqual([0, 0.5, 0]);
    }
  });

  it('a device with two stages: both of them, and microbatches of different lengths', () => {
    const report = sensitivity(
      planOf(`
model m { sequence = 4096  layer l[4] { forward = 2ms  backward = 4ms } }
device d { memory = 1TiB }
cluster c { gpu[1] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 4  tokens(i) = [2048, 2048, 4096, 4096]  schedule = gpipe  stages = balance(1) }
`),
    );
    // 24 ms for a whole microbatch: two whole ones and two halves.
    expect(report.devices[0].slower).toBeCloseTo(0.1 * 3 * 0.024, 9);
    expect(report.devices[0].faster).toBeCloseTo(0.1 * 3 * 0.024, 9);
  });
});

describe('slowdown', () => {
  it('is 1 everywhere where all stages are equal', () => {
    const { slowdown } = sensitivity(recipePlan({ devices: p, microbatches: m, schedule }));
    expect(slowdown.ideal).toBeCloseTo((m + p - 1) * 3, 9);
    for (const value of [slowdown, ...slowdown.kinds, ...slowdown.devices]) expect(value.slowdown).toBeCloseTo(1, 12);
    expect(slowdown.kinds.map(({ name }) => name)).toEqual(['forward', 'backward', 'transfer']);
    expect(slowdown).not.toHaveProperty('last_stage');
  });

  it('of a last stage that takes twice as long is its own doing', () => {
    const times = { forward: [1, 1, 1, 2], backwardInput: [1, 1, 1, 2], backwardWeight: [1, 1, 1, 2] };
    const { slowdown } = sensitivity(recipePlan({ devices: p, microbatches: m, schedule, ...times }));
    // F + B: 3, 3, 3, 6; their mean 3.75.
    const mean = 3.75;
    const ideal = (m + p - 1) * mean;
    const actual = 3 * 3 + m * 6;
    expect(slowdown.ideal).toBeCloseTo(ideal, 9);
    expect(slowdown.slowdown).toBeCloseTo(actual / ideal, 9);
    expect(slowdown.devices[3].slowdown).toBeCloseTo((3 * mean + m * 6) / ideal, 9);
    // A device that is faster than the mean shortens its own part of the fill.
    expect(slowdown.devices[0].slowdown).toBeCloseTo((3 * mean + m * mean - (mean - 3)) / ideal, 9);
    // The last stage at the mean: three faster stages to fill, and m of the mean.
    expect(slowdown.last_stage).toBeCloseTo((actual - (3 * 3 + m * mean)) / (actual - ideal), 9);
    // Only F takes its real time: 1, 1, 1, 2 with B at its mean 2.5.
    expect(slowdown.kinds[0].slowdown).toBeCloseTo((3 * (1 + 2.5) + m * (2 + 2.5)) / ideal, 9);
    expect(slowdown.kinds[1].slowdown).toBeCloseTo((3 * (1.25 + 2) + m * (1.25 + 4)) / ideal, 9);
  });

  it('of links: transfers that differ cost more than their mean', () => {
    const plan = recipePlan({ devices: 3, microbatches: m, schedule, latency: 0.5 });
    const slow = { ...plan, routes: plan.routes.map((route) => (route.to === 2 ? { ...route, latency: 1 } : route)) };
    const { kinds, slowdown } = sensitivity(slow).slowdown;
    expect(kinds.at(-1)?.slowdown).toBeGreaterThan(1);
    expect(slowdown).toBeCloseTo(kinds.at(-1)?.slowdown ?? NaN, 12);
  });
});

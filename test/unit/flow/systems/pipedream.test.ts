import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

const reportOf = (pipeline: string) => {
  const found = analyseExample('systems/pipedream.pipe').pipelines.find(
    (evaluation) => evaluation.plan.name === pipeline,
  )?.run?.report;
  if (found === undefined) throw new Error(`no ${pipeline}`);
  return found;
};
const [p, MiB] = [4, 2 ** 20];
const exchange = (64 * MiB) / 1e12;

// Narayanan et al., "PipeDream" (2019), section 3.3; four stages, one minibatch an update.
test.each([
  ['stash', (s: number) => p - s, (s: number) => p - 1 - s, false],
  ['vertical', () => p, () => p - 1, false],
  ['naive', () => 1, (s: number) => p - 1 - s, true],
] as const)('%s: versions, staleness and memory by stage', (pipeline, versions, staleness, inconsistent) => {
  const report = reportOf(pipeline);
  expect(report.asynchronous?.steady).toBe(true);
  // F + B of one stage; transfers of a nanosecond are all that can be idle.
  expect(report.iteration).toBeCloseTo(3e-3, 7);
  for (const [s, stage] of report.stages.entries()) {
    expect([stage.versions, stage.staleness]).toEqual([versions(s), staleness(s)]);
    expect(stage.staleness_mean).toBe(staleness(s));
    // p − s minibatches in flight: the delay counts the own backward.
    expect(stage.delay).toBe(p - s);
    expect(stage.inconsistent).toBe(inconsistent && s < p - 1);
    expect(report.devices[s].memory.versions).toBe((versions(s) - 1) * 64 * MiB);
    expect(report.devices[s].in_flight).toBe(p - s);
  }
});

test('replicated: 2-1-1 keeps ⌈4 / 2⌉ minibatches at each replica of the input stage, whose updates wait for both gradients', () => {
  const report = reportOf('replicated');
  expect(report.stages.map((stage) => stage.name)).toEqual(['first[0]', 'first[1]', 'second', 'third']);
  expect(report.stages.map((stage) => stage.versions)).toEqual([2, 2, 2, 1]);
  expect(report.devices.map((device) => device.in_flight)).toEqual([2, 2, 2, 1]);
  // The next round's first forward comes before this round's last backward on the second stage, so that a round of two takes a
  // forward and a backward of both stages, and the exchange of 64 MiB of gradients: 2 · ½ · S / B.
  expect(report.asynchronous?.steady).toBe(true);
  expect(report.iteration).toBeCloseTo((2e-3 + 1e-3 + 2e-3 + 4e-3 + exchange) / 2, 7);
  // Each replica runs every second minibatch, 6 ms: the rest is waiting for the other's gradients, and the exchange.
  expect(report.bubble.causes.sync).toBeCloseTo(1 - 3e-3 / report.iteration, 5);
});

test('replicated_more: a third minibatch in flight at each replica hides the waiting, for a version more', () => {
  const report = reportOf('replicated_more');
  expect(report.asynchronous?.steady).toBe(true);
  expect(report.stages.map((stage) => stage.versions)).toEqual([3, 3, 3, 1]);
  expect(report.iteration).toBeCloseTo((6e-3 + exchange) / 2, 7);
  expect(report.bubble.causes.sync).toBeCloseTo(exchange / 2 / report.iteration, 5);
});

test('planned: three replicas for the convolutions, which share 18 ms; the classifier takes 6 ms on one device', () => {
  const planned = reportOf('planned');
  expect(planned.stages.map((stage) => stage.name)).toEqual(['s0[0]', 's0[1]', 's0[2]', 's1']);
  const F = 1e-3;
  // A round of three computes 18 ms and exchanges 24 MiB: 2 · 2/3 · S / B. No order is faster, and waiting adds less than a twentieth.
  const round = 6 * 3 * F + (4 / 3) * ((24 * MiB) / 50e9);
  expect(planned.iteration).toBeGreaterThanOrEqual((round / 3) * (1 - 1e-9));
  expect(planned.iteration).toBeLessThan((round / 3) * 1.05);
  // A round of four computes 24 ms and exchanges 536 MiB: 2 · 3/4 · S / B.
  const whole = 8 * 3 * F + (3 / 2) * ((536 * MiB) / 50e9);
  expect(reportOf('data_parallel').iteration).toBeCloseTo(whole / 4, 9);
});

test('data_parallel: what replicas exchange in an iteration is a share of an update, for each update has a minibatch of each', () => {
  const { devices, iteration, bubble } = reportOf('data_parallel');
  // A ring of four sends 2 · 3/4 · S of the 6 · 4 + 2 · 256 = 536 MiB at 50 GB/s: 804 MiB, 16.86 ms, and an update after each fourth
  // minibatch. So an iteration sends 201 MiB, 4.215 ms of (24 + 16.86) / 4 = 10.215 ms: 41.3 %.
  const bytes = (1.5 * 536 * MiB) / 4;
  expect(bytes).toBe(201 * MiB);
  for (const { sync } of devices) {
    expect(sync.bytes).toBe(bytes);
    expect(sync.time).toBeCloseTo(bytes / 50e9, 9);
    expect(sync.exposed).toBe(sync.time);
    expect(sync.exposed / iteration).toBeCloseTo(0.4126, 4);
    // Nothing else keeps a device idle.
    expect(sync.exposed / iteration).toBeCloseTo(bubble.makespan, 9);
  }
});

test('replicated: replicas share a round, and a stage on one device exchanges nothing', () => {
  const { devices } = reportOf('replicated');
  // A ring of two sends 2 · 1/2 · 64 MiB in a round of two minibatches.
  expect(devices.map(({ sync }) => sync.bytes)).toEqual([32 * MiB, 32 * MiB, 0, 0]);
  expect(devices[0].sync.exposed).toBeCloseTo(exchange / 2, 12);
  // A ring of three sends 2 · 2/3 · 24 MiB in a round of three, although 16 minibatches are no whole number of rounds.
  const third = ((4 / 3) * 24 * MiB) / 3;
  expect(reportOf('planned').devices.map(({ sync }) => Math.round(sync.bytes))).toEqual(
    [third, third, third, 0].map(Math.round),
  );
});

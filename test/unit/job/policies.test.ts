import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluateJob } from '../../../engine/job/evaluateJob.ts';
import type { JobPlan, PipelinePlan, SchedulePlan } from '../../../engine/values/plan.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { recipePlan, policy } from '../support/plans.ts';

const job = (distance: number): JobPlan => ({
  name: 'all',
  workers: ['a', 'b'],
  sync: { kind: 'wsp', distance },
  servers: 1,
  link: { bandwidth: 2 ** 30, latency: 0.5, duplex: 'half' },
  waves: 12,
});

const workers = (schedule: SchedulePlan, microbatches: number): readonly PipelinePlan[] =>
  ['a', 'b'].map((name, index) => ({
    ...recipePlan({
      devices: 4,
      microbatches,
      schedule,
      forward: [1 + index, 2],
      backwardInput: [2, 1 + index],
      latency: 0.25,
      stage: { weights: 2 ** 28 },
    }),
    name,
    iterations: 16,
  }));

// A plan made without text has no copies of stages.
const plain = shapeOf(workers(policy('pipedream'), 4)[0]);
const asynchronous = policies.filter(
  ({ weights, copies }) => (weights?.({}) ?? 'flush') !== 'flush' && copies?.(plain) === undefined,
);
const rule: SchedulePlan = {
  kind: 'greedy',
  name: 'mine',
  placement: 'linear',
  split: false,
  prefer: ['B', 'F'],
  inFlight: [5, 4, 3, 2],
  weights: 'stash',
};
const schedules = [...asynchronous.map(({ name }) => policy(name)), rule];

describe.each(schedules.map((schedule) => [schedule.name, schedule] as const))('workers under %s', (_, schedule) => {
  test.each([1, 2, 4, 8].flatMap((microbatches) => [0, 2].map((distance) => [microbatches, distance])))(
    'with %i microbatches an update and distance %i run to the end or say why not',
    (microbatches, distance) => {
      const { report, findings } = evaluateJob(job(distance), workers(schedule, microbatches), defaultOptions);
      if (report === undefined) {
        expect(findings.length).toBeGreaterThan(0);
        for (const found of findings) expect(found.code).toBe('schedule/shape');
        return;
      }
      expect(report.wave).toBeGreaterThanOrEqual(1);
      if (report.sync !== 'wsp') throw new Error('another rule');
      expect(report.staleness.observed).toBeLessThanOrEqual(report.staleness.bound);
      expect(report.throughput).toBeGreaterThan(0);
      for (const worker of report.workers) {
        expect(worker.period).toBeGreaterThanOrEqual(worker.period_alone * 0.95);
        expect(worker.lead).toBeLessThanOrEqual(distance + 1);
        expect(worker.idle).toBeLessThan(1);
      }
    },
  );
});

test('the rule keeps as many minibatches in flight as it says, and so does pipedream', () => {
  for (const [schedule, wave] of [
    [rule, 5],
    [policy('pipedream', { in_flight: 7 }), 7],
    [policy('pipedream'), 4],
  ] as const)
    expect(evaluateJob(job(0), workers(schedule, 1), defaultOptions).report?.wave).toBe(wave);
});

test('more minibatches in flight than can be simulated are refused with the number', () => {
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 1600 } };
  const { report, findings } = evaluateJob(job(0), workers(policy('pipedream', { in_flight: 200 }), 1), options);
  expect(report).toBeUndefined();
  expect(findings.map(({ code, at }) => [code, at])).toEqual([
    ['schedule/shape', 'job:all/worker:0'],
    ['schedule/shape', 'job:all/worker:1'],
  ]);
  expect(findings[0].message).toContain('more than 100 minibatches in flight, the most that can be simulated');
});

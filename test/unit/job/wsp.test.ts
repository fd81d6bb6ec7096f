import type { Worker } from '../../../engine/job/worker.ts';
import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { period } from '../../../engine/job/period.ts';
import { workerOf } from '../../../engine/job/workers.ts';
import { type JobTimeline, runJob } from '../../../engine/job/wsp.ts';
import type { JobPlan, PipelinePlan } from '../../../engine/values/plan.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { byTicks } from './byTicks.ts';

interface Costs {
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly step: number;
  readonly latency: number;
}

/** Stages of whole units of time. */
const planFor = ({ forward, backward, step, latency }: Costs, wave: number): PipelinePlan =>
  recipePlan({
    devices: forward.length,
    microbatches: 1,
    schedule: policy('pipedream', { in_flight: wave }),
    forward,
    backwardInput: backward,
    backwardWeight: [0],
    optimizer: step,
    latency,
  });

function worker(costs: Costs, wave: number, minibatches: number, bytes = 0): Worker {
  const found = workerOf(planFor(costs, wave), minibatches);
  if (found === undefined) throw new Error('no program');
  return { ...found, bytes };
}

function run(
  workers: readonly Worker[],
  distance: number,
  wave: number,
  waves: number,
  link?: JobPlan['link'],
): JobTimeline {
  const timeline = runJob({ servers: 1, link, sync: { kind: 'wsp', distance } }, workers, wave, waves);
  if (timeline === undefined) throw new Error('the workers never got there');
  return timeline;
}

const costs = fc.integer({ min: 1, max: 4 }).chain((devices) =>
  fc.record({
    forward: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: devices, maxLength: devices }),
    backward: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: devices, maxLength: devices }),
    step: fc.integer({ min: 0, max: 2 }),
    latency: fc.integer({ min: 0, max: 3 }),
  }),
);
const jobs = fc.record({
  workers: fc.array(costs, { minLength: 1, maxLength: 4 }),
  wave: fc.integer({ min: 1, max: 5 }),
  distance: fc.integer({ min: 0, max: 3 }),
  hold: fc.integer({ min: 0, max: 5 }),
  latency: fc.integer({ min: 0, max: 3 }),
});
const waves = 6;

describe('random workers', () => {
  test('run as by brute force', () => {
    fc.assert(
      fc.property(jobs, ({ workers, wave, distance, hold, latency }) => {
        // A step that takes no time ends in the instant in which others start. If its push takes none either, nothing says which of
        // them come first.
        fc.pre(hold + latency > 0 || workers.every(({ step }) => step > 0));
        const made = workers.map((each) => worker(each, wave, (waves + distance + 2) * wave, hold));
        const link = { bandwidth: 1, latency, duplex: 'full' } as const;
        const timeline = run(made, distance, wave, waves, link);
        const expected = byTicks(
          made.map(({ program }, index) => ({
            program,
            latency: workers[index].latency,
            ticks: (kind, stage) =>
              kind === 0
                ? workers[index].forward[stage]
                : kind === 1
                  ? workers[index].backward[stage]
                  : workers[index].step,
          })),
          { wave, distance, hold, latency },
          waves,
        );
        expect(timeline.globalClock).toEqual(expected.global);
        for (const [index, own] of timeline.workers.entries()) {
          expect(own.waves).toEqual(expected.workers[index].ends);
          // What enters in the moment in which the run ends may be on either side of it.
          const common = Math.min(own.missed.length, expected.workers[index].missed.length);
          expect(own.missed.slice(0, common)).toEqual(expected.workers[index].missed.slice(0, common));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('never miss more updates than the bound, nor lead by more than the distance', () => {
    fc.assert(
      fc.property(jobs, ({ workers, wave, distance, hold, latency }) => {
        const made = workers.map((each) => worker(each, wave, (waves + distance + 2) * wave, hold));
        const timeline = run(made, distance, wave, waves, { bandwidth: 1, latency, duplex: 'half' });
        const bound = (distance + 1) * wave + (wave - 1) - 1;
        for (const own of timeline.workers) {
          for (const missed of own.missed) expect(missed).toBeLessThanOrEqual(bound);
          // Wave c + 1 + D ends only after every worker has pushed wave c.
          own.waves.forEach((end, number) => {
            const clock = number - distance - 1;
            if (clock >= 0 && clock < waves) expect(end).toBeGreaterThan(timeline.globalClock[clock]);
          });
        }
      }),
      { numRuns: 40 },
    );
  });

  test('without a bound that binds run as by themselves and never wait', () => {
    fc.assert(
      fc.property(fc.array(costs, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 5 }), (several, wave) => {
        const made = several.map((one) => worker(one, wave, 80 * wave));
        const timeline = run(made, 1000, wave, waves);
        for (const [index, own] of timeline.workers.entries()) {
          expect(own.waits).toEqual([]);
          const alone = simulate(made[index].program, made[index].timing);
          own.ends.forEach((end, slot) => {
            if (end >= 0) expect(end).toBe(alone?.end[slot]);
          });
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('equal workers', () => {
  const even: Costs = { forward: [2, 2, 2], backward: [4, 4, 4], step: 0, latency: 0 };

  test.each([0, 1, 4])('never wait where exchanges take no time, distance %i', (distance) => {
    const timeline = run(
      [0, 1, 2].map(() => worker(even, 3, 90)),
      distance,
      3,
      20,
    );
    for (const own of timeline.workers) expect(own.waits).toEqual([]);
    // Three stages of 2 + 4: one minibatch each 6 units, a wave each 18.
    expect(period(timeline, 0)).toBe(18);
  });

  test('miss as many updates as the bound allows under distance 0', () => {
    // The last but one minibatch of a wave enters before the wave before it has ended: N − 2 of its own wave and all N of that one.
    const timeline = run(
      [0, 1].map(() => worker(even, 3, 90)),
      0,
      3,
      20,
    );
    expect(Math.max(...timeline.workers.flatMap(({ missed }) => missed))).toBe(4);
  });

  test('wait for push and pull under distance 0, and not where the distance hides them', () => {
    const link = { bandwidth: 1, latency: 0, duplex: 'full' } as const;
    const [locked, loose] = [0, 1].map((distance) => run([worker(even, 3, 90, 2)], distance, 3, 20, link));
    // Each wave the last minibatch of the next one comes 2 + 2 units late; the two in flight go on meanwhile.
    // The last one is cut off by the end of the run.
    const waits = locked.workers[0].waits.slice(0, -1).map(({ from, until }) => until - from);
    expect(waits).toEqual(waits.map(() => 4));
    expect(locked.workers[0].waits.length).toBeGreaterThanOrEqual(18);
    expect(loose.workers[0].waits).toEqual([]);
    expect(period(loose, 0)).toBe(18);
  });
});

describe('a fast and a slow worker', () => {
  const of = (unit: number): Costs => ({ forward: [unit, unit], backward: [2 * unit, 2 * unit], step: 0, latency: 0 });

  test.each([0, 1, 3])('go at the pace of the slow one in the long run, distance %i', (distance) => {
    const timeline = run([worker(of(1), 2, 200), worker(of(3), 2, 200)], distance, 2, 40);
    for (const index of [0, 1]) expect(period(timeline, index)).toBeCloseTo(18, 9);
    expect(timeline.workers[1].waits).toEqual([]);
    // A wave takes the fast one 6 units of 18.
    const [fast] = timeline.workers;
    const late = fast.waits.filter(({ from }) => from > 400);
    for (const { from, until } of late) expect(until - from).toBeGreaterThanOrEqual(6);
    expect(late.length).toBeGreaterThan(10);
  });

  test('a larger distance puts off the first wait', () => {
    const first = [0, 1, 2, 3].map((distance) => {
      const timeline = run([worker(of(1), 2, 200), worker(of(3), 2, 200)], distance, 2, 20);
      return timeline.workers[0].waits[0].from;
    });
    expect(first).toEqual([...first].sort((a, b) => a - b));
    expect(new Set(first).size).toBe(4);
  });
});

import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, F } from '../../../engine/values/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { factorsOf, generalDraws, iterationsUnderJitter, linearDraws } from '../../../engine/simulate/draws.ts';
import {
  drawKey,
  drawsFor,
  factorAt,
  factorTable,
  normalQuantile,
  operationKey,
} from '../../../engine/order/jitter.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import { policy, recipePlan, type Recipe } from '../support/plans.ts';

function timelineOf(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
}

/** A plan with jitter in all stages, or in each of its stages. */
const noisy = (jitter: number | readonly number[], recipe: Recipe): PipelinePlan => {
  const plan = recipePlan(recipe);
  return { ...plan, jitter: typeof jitter === 'number' ? plan.stages.map(() => jitter) : jitter };
};
const drawsOf = (plan: PipelinePlan): Float64Array => iterationsUnderJitter(plan, timelineOf(plan));

const meanOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
const deviationOf = (values: ArrayLike<number>): number => {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(Array.from(values, (value) => (value - mean) ** 2)));
};

describe('factors', () => {
  it('have mean 1 and the standard deviation that is asked for, and begin with the least', () => {
    for (const share of [0, 0.05, 0.3, 1]) {
      const table = factorTable(share);
      expect(meanOf(table)).toBeCloseTo(1, 12);
      // A table has no factors beyond its last quantile: they are missing from a wide distribution.
      expect(deviationOf(table) / (share === 0 ? 1 : share)).toBeCloseTo(share === 0 ? 0 : 1, 1);
      expect(table[0]).toBe(Math.min(...table.subarray(0, 9)));
      expect(table).toEqual(table.toSorted());
    }
  });

  it('come from quantiles of the normal distribution', () => {
    // Tables of the normal distribution: 50 %, 97.5 %, 0.1 %, and 1 in 100,000.
    expect(normalQuantile(0.5)).toBe(0);
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 8);
    expect(normalQuantile(0.001)).toBeCloseTo(-3.090232306167813, 8);
    expect(normalQuantile(0.99999)).toBeCloseTo(4.264890793922825, 8);
  });
});

describe('draws', () => {
  it('of one device: the mean and the deviation of a sum of independent times', () => {
    const [m, share] = [100, 0.1];
    const plan = noisy(share, { devices: 1, microbatches: m, schedule: policy('gpipe'), forward: [3] });
    const iterations = drawsOf(plan);
    expect(iterations).toHaveLength(1000);
    // F = 3 and B = 2, each with a deviation of 10 %.
    const deviation = share * Math.sqrt(m * (3 ** 2 + 2 ** 2));
    expect(Math.abs(meanOf(iterations) - m * 5)).toBeLessThan((4 * deviation) / Math.sqrt(1000));
    expect(deviationOf(iterations) / deviation).toBeGreaterThan(0.9);
    expect(deviationOf(iterations) / deviation).toBeLessThan(1.1);
  });

  it('of different stages, kinds and microbatches are independent', () => {
    const [m, share] = [60, 0.1];
    // Two stages on one device: were their factors the same, the deviation would be of 5 and 4 for each microbatch.
    const recipe = { devices: 1, stages: 2, microbatches: m, schedule: policy('gpipe'), forward: [3, 2] };
    const deviation = share * Math.sqrt(m * (3 ** 2 + 2 ** 2 + 2 ** 2 + 2 ** 2));
    expect(deviationOf(drawsOf(noisy(share, recipe))) / deviation).toBeGreaterThan(0.9);
    expect(deviationOf(drawsOf(noisy(share, recipe))) / deviation).toBeLessThan(1.1);
  });

  it('are what whole simulations with the same times give', () => {
    const schedules = [policy('1f1b'), policy('zb_h1'), policy('chimera'), policy('interleaved_1f1b', { chunks: 2 })];
    for (const [index, schedule] of schedules.entries()) {
      const recipe = {
        devices: 4,
        microbatches: 8,
        stages: index === 3 ? 8 : 4,
        latency: 0.3,
        sync: 1,
        optimizer: 0.5,
      };
      const plan = noisy(0.2, { ...recipe, schedule: index === 2 ? policy('gpipe') : schedule, forward: [1, 2, 1] });
      const timeline = timelineOf(plan);
      const factors = factorsOf(plan, timeline);
      const linear = linearDraws(timeline, factors);
      expect(linear).toHaveLength(1000);
      const general = generalDraws(timeline, factors);
      linear?.forEach((iteration, draw) => expect(iteration).toBeCloseTo(general[draw], 9));
    }
  });

  it('take the general method where transfers may queue once operations are shorter', () => {
    const recipe = { devices: 4, microbatches: 8, schedule: policy('1f1b'), occupancy: 0.9 };
    const plan = noisy(0.2, recipe);
    const timeline = timelineOf(plan);
    expect(timeline.arrival).toBeUndefined();
    expect(linearDraws(timeline, factorsOf(plan, timeline))).toBeUndefined();
    expect(drawsOf(plan)[0]).toBeGreaterThan(0);
  });

  it('are the iteration itself without jitter, and longer than it on average with it', () => {
    const recipe = { devices: 4, microbatches: 16, schedule: policy('1f1b') };
    const { makespan } = timelineOf(recipePlan(recipe));
    for (const iteration of drawsOf(noisy([0, 0, 0, 0], recipe))) expect(iteration).toBeCloseTo(makespan, 9);
    expect(meanOf(drawsOf(noisy(0.1, recipe)))).toBeGreaterThan(makespan);
  });

  it('vary only with the stages that have jitter', () => {
    // A last stage with certain times that takes 10 times as long hides what the others do, but for the fill.
    const recipe = { devices: 2, microbatches: 16, schedule: policy('1f1b'), forward: [1, 10], backwardInput: [1, 10] };
    const first = deviationOf(drawsOf(noisy([0.1, 0], recipe)));
    const last = deviationOf(drawsOf(noisy([0, 0.1], recipe)));
    expect(first).toBeGreaterThan(0);
    expect(last).toBeGreaterThan(10 * first);
  });

  it('of jitter in one stage alone: the deviation of its own operations, and of each draw the recurrence of GPipe', () => {
    const [m, share] = [40, 0.2];
    // Both stages on one device: their times add up, and only those of the second vary.
    const recipe = { devices: 1, stages: 2, microbatches: m, schedule: policy('gpipe'), forward: [3, 2] };
    const iterations = drawsOf(noisy([0, share], recipe));
    const deviation = share * Math.sqrt(m * (2 ** 2 + 2 ** 2));
    expect(deviationOf(iterations) / deviation).toBeGreaterThan(0.9);
    expect(deviationOf(iterations) / deviation).toBeLessThan(1.1);
    expect(Math.abs(meanOf(iterations) - m * (3 + 2 + 2 + 2))).toBeLessThan((4 * deviation) / Math.sqrt(1000));
    // On two devices: forwards down, then backwards up, with factors of the second stage alone.
    const two = drawsOf(noisy([0, share], { ...recipe, devices: 2, microbatches: 5, latency: 0.25 }));
    const table = factorTable(share);
    for (const draw of [0, 7, 999]) {
      const time = (kind: number, stage: number, microbatch: number, seconds: number): number =>
        stage === 0 ? seconds : seconds * table[factorAt(operationKey(kind, stage, microbatch), drawKey(draw))];
      let [first, second] = [0, 0];
      for (let j = 0; j < 5; j += 1) {
        first += time(F, 0, j, 3);
        second = Math.max(second, first + 0.25) + time(F, 1, j, 2);
      }
      for (let j = 0; j < 5; j += 1) {
        second += time(B, 1, j, 2);
        first = Math.max(first, second + 0.25) + time(B, 0, j, 2);
      }
      expect(two[draw]).toBeCloseTo(first, 9);
    }
  });

  it('have the same factor for the same operation under every schedule', () => {
    const recipe = { devices: 1, microbatches: 16 };
    const [gpipe, one] = ['gpipe', '1f1b'].map((name) => drawsOf(noisy(0.1, { ...recipe, schedule: policy(name) })));
    gpipe.forEach((iteration, draw) => expect(iteration).toBeCloseTo(one[draw], 9));
    // With three stages the first stage has the factors that it has alone.
    const timed = {
      microbatches: 16,
      schedule: policy('gpipe'),
      forward: [1, 0, 0],
      backwardInput: [1, 0, 0],
      backwardWeight: [0],
    };
    const three = drawsOf(noisy(0.1, { ...timed, devices: 3 }));
    const alone = drawsOf(noisy(0.1, { ...timed, devices: 1 }));
    three.forEach((iteration, draw) => expect(iteration).toBeCloseTo(alone[draw], 9));
  });

  it('are fewer for a large pipeline, but never fewer than 100', () => {
    expect([4_096, 300_000, 480_000, 8_000_000].map((operations) => drawsFor(operations, 300_000_000))).toEqual([
      ...[1000, 1000, 625, 100],
    ]);
  });
});

describe('slow devices', () => {
  it('of 1F1B: one F + B of every other device, and m of the slow one, in the order that they have without it', () => {
    const [p, m] = [4, 12];
    const plan = recipePlan({ devices: p, microbatches: m, schedule: policy('1f1b') });
    const slow = timelineOf({ ...plan, slow: [1, 1, 1, 1.2] });
    expect(slow.makespan).toBeCloseTo((p - 1) * 3 + m * 3 * 1.2, 9);
    expect(slow.program).toBe(timelineOf(plan).program);
    expect(slow.busy[3]).toBeCloseTo(1.2 * m * 3, 9);
    expect(slow.busy[2]).toBeCloseTo(m * 3, 9);
  });

  it('take no longer to synchronise and to update their weights', () => {
    const plan = recipePlan({ devices: 1, microbatches: 4, schedule: policy('1f1b'), sync: 1, optimizer: 2 });
    expect(timelineOf({ ...plan, slow: [3] }).makespan).toBeCloseTo(3 * 4 * 3 + 1 + 2, 9);
  });
});

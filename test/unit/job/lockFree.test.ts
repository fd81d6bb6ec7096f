import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluateJob } from '../../../engine/job/evaluateJob.ts';
import { freeEnds } from '../../../engine/job/freeRun.ts';
import { lockFree } from '../../../engine/job/lockFree.ts';
import type { Worker } from '../../../engine/job/worker.ts';
import { workerOf } from '../../../engine/job/workers.ts';
import { runJob } from '../../../engine/job/wsp.ts';
import type { JobPlan, PipelinePlan } from '../../../engine/values/plan.ts';
import { F, kindOf, microbatchOf, resultSlotOf, rowOf, stageOf } from '../../../engine/values/program.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import * as fc from '../../support/property.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { lockFreeByTicks } from './lockFreeByTicks.ts';

interface Costs {
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly latency: number;
  readonly weights?: number;
}

const planFor = ({ forward, backward, latency, weights = 0 }: Costs, wave: number): PipelinePlan =>
  recipePlan({
    devices: forward.length,
    microbatches: 1,
    schedule: policy('pipedream', { in_flight: wave }),
    forward,
    backwardInput: backward,
    backwardWeight: [0],
    latency,
    stage: { weights },
  });

/** A worker of one device whose minibatch takes `period` seconds. */
const single = (period: number, name: string, weights = 0): PipelinePlan => ({
  ...planFor({ forward: [period / 2], backward: [period / 2], latency: 0, weights }, 1),
  name,
});

const job = (workers: readonly PipelinePlan[], link?: JobPlan['link']): JobPlan => ({
  name: 'all',
  workers: workers.map(({ name }) => name),
  sync: { kind: 'free' },
  servers: 1,
  ...(link === undefined ? {} : { link }),
  waves: 28,
});

function reportOf(workers: readonly PipelinePlan[], link?: JobPlan['link']) {
  const { report, findings } = evaluateJob(job(workers, link), workers, defaultOptions);
  if (report?.sync !== 'free') throw new Error(findings.map(({ code }) => code).join());
  return report;
}

function worker(costs: Costs, wave: number, minibatches: number, bytes: number): Worker {
  const made = workerOf(planFor(costs, wave), minibatches);
  if (made === undefined) throw new Error('no program');
  return { ...made, bytes };
}

const costs = fc.integer({ min: 1, max: 4 }).chain((devices) =>
  fc.record({
    forward: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: devices, maxLength: devices }),
    backward: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: devices, maxLength: devices }),
    latency: fc.integer({ min: 0, max: 3 }),
    hold: fc.integer({ min: 0, max: 8 }),
  }),
);
const jobs = fc.record({
  workers: fc.array(costs, { minLength: 1, maxLength: 4 }),
  wave: fc.integer({ min: 1, max: 4 }),
  latency: fc.integer({ min: 0, max: 12 }),
  half: fc.boolean(),
});
const waves = 6;

/** Ends of waves and entries of minibatches, from the simulation of the worker's pipeline alone. */
function alone({ program, timing }: Worker, wave: number) {
  const ends = simulate(program, timing)?.end ?? new Float64Array();
  const found = { waves: [] as number[], entered: [] as number[] };
  for (const word of program.order) {
    const end = ends[resultSlotOf(program, word)];
    const number = microbatchOf(program, word);
    const at = Math.floor(number / wave);
    found.waves[at] = Math.max(found.waves[at] ?? 0, end);
    if (kindOf(program, word) === F && stageOf(program, word) === 0)
      found.entered[number] = end - timing.duration[rowOf(program, word)];
  }
  return found;
}

/** Whether all that ended did so in the order of its device. */
function inOrder({ program }: Worker, ends: Float64Array): boolean {
  for (let device = 0; device < program.devices; device += 1) {
    const words = program.order.slice(program.offsets[device], program.offsets[device + 1]);
    const times = Array.from(words, (word) => ends[resultSlotOf(program, word)]).map((end) =>
      end < 0 ? Infinity : end,
    );
    if (times.some((end, at) => at > 0 && end < times[at - 1])) return false;
  }
  return true;
}

describe('random workers', () => {
  test('run alone, and exchange with the servers as by brute force', () => {
    let late = 0;
    let unknown = 0;
    fc.assert(
      fc.property(jobs, fc.boolean(), ({ workers, wave, latency, half }, inTime) => {
        const made = workers.map(({ hold, ...each }): Worker => {
          const found = worker(each, wave, 40 * wave, hold);
          const { program, timing, entries, bytes } = found;
          return inTime ? { program, timing, entries, bytes } : found;
        });
        const link = { bandwidth: 1, latency, duplex: half ? 'half' : 'full' } as const;
        const timeline = lockFree({ servers: 1, link }, made, wave, waves);
        const times = made.map((each) => alone(each, wave));
        const until = Math.max(...times.map(({ waves: ends }) => ends[waves - 1]));
        const expected = lockFreeByTicks(
          times.map((time, index) => ({ ...time, hold: workers[index].hold })),
          { latency, half },
          wave,
          until,
        );
        expect(timeline?.globalClock.at(-1)).toBe(until);
        for (const [index, { missed, reached, pushes, pulls, waits, ...ran }] of (timeline?.workers ?? []).entries()) {
          expect({ missed, reached, pushes, pulls }).toEqual(expected[index]);
          expect(waits).toEqual([]);
          expect(ran.waves).toEqual(times[index].waves);
          late += pushes.length < waves ? 1 : 0;
        }
        unknown += made.filter(({ free }) => free === undefined).length;
      }),
      { numRuns: 150 },
    );
    expect(late).toBeGreaterThan(0);
    expect(unknown).toBeGreaterThan(0);
  });

  test('end no wave later than under wsp of any distance that leaves the order of each device as it is', () => {
    let kept = 0;
    let delayed = 0;
    fc.assert(
      fc.property(jobs, fc.integer({ min: 0, max: 8 }), ({ workers, wave, latency, half }, distance) => {
        const made = workers.map(({ hold, ...each }) => worker(each, wave, 40 * wave, hold));
        const link = { bandwidth: 1, latency, duplex: half ? 'half' : 'full' } as const;
        const unheld = lockFree({ servers: 1, link }, made, wave, waves);
        const held = runJob({ servers: 1, link, sync: { kind: 'wsp', distance } }, made, wave, waves);
        for (const [index, { waves: ends, ends: times }] of (held?.workers ?? []).entries()) {
          // A device that passes over a minibatch that is held back may, now and then, end a wave of several stages sooner.
          if (!inOrder(made[index], times)) continue;
          kept += 1;
          for (const [number, end] of ends.entries()) {
            const free = unheld?.workers[index].waves[number] ?? Infinity;
            expect(free).toBeLessThanOrEqual(end);
            if (free < end) delayed += 1;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(kept).toBeGreaterThan(20);
    expect(delayed).toBeGreaterThan(20);
  });

  test('miss as many updates on average as there are other workers, one minibatch in flight', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.5, max: 3, noNaN: true }), { minLength: 2, maxLength: 6 }), (periods) => {
        const made = periods.map((period) =>
          worker({ forward: [period / 2], backward: [period / 2], latency: 0 }, 1, 400, 0),
        );
        const missed = lockFree({ servers: 1 }, made, 1, 60)?.workers.flatMap((each) => each.missed) ?? [];
        const sum = missed.reduce((all, value) => all + value, 0);
        // Each worker's update is under way all the time, so each update passes those of all others once. The ends are cut off.
        expect(Math.abs(sum - missed.length * (periods.length - 1))).toBeLessThanOrEqual(periods.length ** 2);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a fast and a slow worker', () => {
  test('train as fast as both alone', () => {
    const report = reportOf([single(2, 'fast'), single(7, 'slow')]);
    expect(report.throughput).toBeCloseTo(1 / 2 + 1 / 7, 9);
    expect(report.workers.map(({ waiting, period }) => [waiting, period])).toEqual([
      [0, 2],
      [0, 7],
    ]);
    expect(report.steady).toBe(true);
    // In 28 · 7 units the fast one ends 98 waves.
    expect(report.workers.map(({ lead }) => lead)).toEqual([70, 0]);
  });

  test('the slow one misses the clocks of the fast one between its pull and its push', () => {
    const plans = [single(2, 'fast'), single(7, 'slow')];
    const made = plans.map((plan) => workerOf(plan, 200)).filter((found) => found !== undefined);
    const [fast, slow] = lockFree({ servers: 1 }, made, 1, 28)?.workers ?? [];
    // Minibatch c: those multiples of 2 from 7c, not counted, to 7c + 7. The first worker's come first.
    slow.missed.forEach((missed, c) => expect(missed).toBe(Math.floor((7 * c + 7) / 2) - Math.floor((7 * c) / 2)));
    // Minibatch k: those multiples of 7 from 2k to 2k + 2, not counted.
    const before = (time: number) => Math.max(0, Math.ceil(time / 7) - 1);
    fast.missed.forEach((missed, k) => expect(missed).toBe(before(2 * k + 2) - before(2 * k)));
    const { staleness } = reportOf(plans);
    expect(staleness).toEqual({ local: 0, mean: 1, largest: 4 });
  });
});

test('a wave counts once all before it have ended', () => {
  const made = worker({ forward: [1], backward: [1], latency: 0 }, 1, 8, 0);
  const { order, offsets, shift } = made.program;
  // Minibatches 0 and 1 change places.
  const swapped = order.map((word) => ((word & ((1 << shift) - 1)) < 2 ? word ^ 1 : word));
  const program = { ...made.program, order: swapped, offsets };
  const timeline = lockFree({ servers: 1 }, [{ ...made, program, free: freeEnds(program, made.timing) }], 1, 2);
  expect(timeline?.workers[0].waves.slice(0, 3)).toEqual([4, 2, 6]);
  expect(timeline?.globalClock).toEqual([4, 4]);
  expect(timeline?.workers[0].reached).toEqual([4, 4]);
});

describe('a slow link', () => {
  const link = { bandwidth: 1, latency: 0, duplex: 'full' } as const;

  test('delays no minibatch: a push takes all waves that have ended since the last one', () => {
    const report = reportOf([single(2, 'a', 2.5), single(2, 'b', 0)], link);
    expect(report.throughput).toBeCloseTo(1, 9);
    expect(report.workers[0].pushed).toBe(2.5);
    // Push and pull take 5 units. Two or three waves have ended meanwhile, so the next push begins at once.
    const made = workerOf(single(2, 'a', 2.5), 40);
    const timeline = made === undefined ? undefined : lockFree({ servers: 1, link }, [made], 1, 12);
    expect(timeline?.workers[0].pushes.map(({ from }) => from)).toEqual([2, 7, 12, 17, 22]);
    expect(timeline?.workers[0].reached).toEqual([4.5, 9.5, 9.5, 14.5, 14.5, 14.5, 19.5, 19.5]);
  });

  test('over which no update comes is unknown staleness, not none', () => {
    const report = reportOf([single(2, 'a', 1000), single(2, 'b', 1000)], link);
    expect(report.staleness).toEqual({ local: 0, mean: null, largest: null });
    expect(report.throughput).toBeCloseTo(1, 9);
  });
});

describe('workers that cannot be simulated', () => {
  test.each([0, 2])('one that takes no time, and one of %i s', (period) => {
    const workers = [single(0, 'instant'), single(period, 'other')];
    const { report, findings } = evaluateJob(job(workers), workers, defaultOptions);
    expect(report).toBeUndefined();
    expect(findings.map(({ code }) => code)).toEqual(['schedule/shape']);
    expect(findings[0].message).toContain('"instant" takes no time');
  });

  test('one that is too fast for the limit', () => {
    const workers = [single(1e-9, 'fast'), single(1000, 'slow')];
    const { report, findings } = evaluateJob(job(workers), workers, defaultOptions);
    expect(report).toBeUndefined();
    expect(findings.map(({ code, at }) => [code, at])).toEqual([['limit/too-large', 'job:all/key:waves']]);
  });
});

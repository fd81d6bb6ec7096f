import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { memoryPeak, memoryTrack } from '../../../../engine/simulate/memory.ts';
import { endAt, startAt } from '../../../../engine/values/timeline.ts';
import { F, U, kindOf, microbatchOf, stageOf } from '../../../../engine/values/program.ts';
import { criticalPath } from '../../../../engine/analyze/criticalPath.ts';
import { pipelineReport } from '../../../../engine/analyze/pipelineReport.ts';
import { steadyOf } from '../../../../engine/analyze/steady.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { asynchronousPlan, run, timelineOf } from './plans.ts';

const reportOf = (plan: PipelinePlan) => {
  const { timeline } = run(plan);
  const peaks = plan.devices.map((_, device) => memoryPeak(plan, timeline, device));
  return pipelineReport(plan, timeline, peaks, criticalPath(timeline));
};
const policies = ['pipedream', 'pipedream_2bw', 'pipelined_backprop'] as const;

test('without transfers the period is the slowest stage’s forward and backward, whatever the others take', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...policies),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), {
        minLength: 1,
        maxLength: 12,
      }),
      (name, times) => {
        const m = name === 'pipedream_2bw' ? times.length : 1;
        const plan = asynchronousPlan({
          name,
          stages: times.length,
          microbatches: m,
          iterations: Math.max(48, 12 * times.length),
          forward: times.map(([f]) => f),
          backwardInput: times.map(([, b]) => b / 2),
          backwardWeight: times.map(([, b]) => b / 2),
        });
        const slowest = m * Math.max(...times.map(([f, b]) => f + b));
        const report = reportOf(plan);
        expect(report.asynchronous?.steady).toBe(true);
        expect(report.iteration).toBeCloseTo(slowest, 9);
        expect(report.throughput).toBeCloseTo(m / slowest, 9);
        const work = times.reduce((sum, [f, b]) => sum + m * (f + b), 0);
        const idle = 1 - work / (times.length * slowest);
        expect(report.bubble.makespan).toBeCloseTo(idle, 9);
        // The slowest stage never waits: no order is faster.
        expect(report.bubble.bound).toBeCloseTo(idle, 9);
        expect(report.bubble.span).toBeCloseTo(0, 9);
      },
    ),
    { numRuns: 60 },
  );
});

test('nothing is steady before every stage has made an update, though the pace repeats already', () => {
  // By hand: F = B = 3 on the first stage and 1 on the second. The second updates at 5, 8, 14, 20 …, the first at 9, 15 ….
  const [forward, half] = [
    [3, 1],
    [1.5, 0.5],
  ];
  const steadyOver = (iterations: number) => {
    const recipe = { name: 'pipedream', stages: 2, iterations, forward, backwardInput: half, backwardWeight: half };
    return steadyOf(run(asynchronousPlan(recipe)).timeline);
  };
  expect(steadyOver(5)).toMatchObject({ steady: false, period: 6, window: { from: 8, to: 20 } });
  expect(steadyOver(6)).toMatchObject({ steady: true, period: 6, window: { from: 14 } });
});

test('a round trip that in-flight minibatches do not hide decides: period = round trip / in flight', () => {
  // One minibatch in flight at a time: forwards, backwards and two transfers for each boundary.
  for (const p of [2, 3, 5]) {
    const plan = asynchronousPlan({
      name: 'pipedream',
      args: { in_flight: 1 },
      stages: p,
      iterations: 40,
      latency: 0.25,
    });
    const report = reportOf(plan);
    expect(report.iteration).toBeCloseTo(3 * p + 2 * (p - 1) * 0.25, 9);
    expect(report.asynchronous?.steady).toBe(true);
  }
});

test('1F1B on end has the period F + B + 2(p − 1)c / p, and twice as many in flight hide it', () => {
  for (const p of [2, 4, 8]) {
    for (const c of [0.5, 1, 1.5]) {
      const recipe = { name: 'pipedream', stages: p, iterations: 40 * p, latency: c };
      expect(reportOf(asynchronousPlan(recipe)).iteration).toBeCloseTo(3 + (2 * (p - 1) * c) / p, 9);
      const more = reportOf(asynchronousPlan({ ...recipe, args: { in_flight: 2 * p - 1 } }));
      expect(more.iteration).toBeCloseTo(3, 9);
      expect(more.stages[0].staleness).toBe(2 * p - 2);
    }
  }
});

describe('the report', () => {
  test('causes add up to the bubble, and the bound is under it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 7 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 3 }),
        (name, p, times, latency, optimizer) => {
          const report = reportOf(
            asynchronousPlan({
              name,
              stages: p,
              microbatches: name === 'pipedream_2bw' ? p : 1,
              forward: times,
              backwardInput: times.slice(1),
              backwardWeight: times.slice(2),
              latency,
              optimizer,
            }),
          );
          const causes = Object.values(report.bubble.causes).reduce((sum, cause) => sum + cause, 0);
          expect(causes).toBeCloseTo(report.bubble.makespan, 9);
          expect(report.bubble.bound).toBeLessThanOrEqual(report.bubble.makespan + 1e-12);
          const busy = report.devices.reduce((sum, device) => sum + device.busy, 0);
          expect(1 - busy / (p * report.iteration)).toBeCloseTo(report.bubble.makespan, 9);
          for (const device of report.devices) expect(device.busy + device.idle).toBeCloseTo(report.iteration, 9);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('an update that all stages make is a cause by its share', () => {
    const report = reportOf(asynchronousPlan({ name: 'pipedream', stages: 4, optimizer: 1 }));
    expect(report.iteration).toBeCloseTo(4, 9);
    expect(report.bubble.makespan).toBeCloseTo(1 / 4, 9);
    expect(report.bubble.causes.sync).toBeCloseTo(1 / 4, 9);
    // Every device has to make it.
    expect(report.bubble.bound).toBeCloseTo(1 / 4, 9);
  });

  test('waiting for transfers is counted for one iteration', () => {
    const report = reportOf(
      asynchronousPlan({ name: 'pipedream', args: { in_flight: 1 }, stages: 2, iterations: 40, latency: 0.5 }),
    );
    // The first device waits for both ways of the second one's gradient; the second for the forward to come down.
    const exposed = report.links.reduce((sum, link) => sum + link.exposed, 0);
    expect(exposed).toBeCloseTo(2 * 0.5, 9);
  });

  test('says that a run too short to repeat is not steady', () => {
    expect(reportOf(asynchronousPlan({ name: 'pipedream', stages: 4, iterations: 1 })).asynchronous?.steady).toBe(
      false,
    );
    expect(reportOf(asynchronousPlan({ name: 'pipedream', stages: 4, iterations: 3 })).asynchronous?.steady).toBe(
      false,
    );
  });
});

test('memory: activations, static bytes, and weights of every version still to be used, counted from the clock', () => {
  const time = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(
      fc.constantFrom('stash', 'vertical_sync', 'latest', 'pipedream_2bw'),
      fc.integer({ min: 1, max: 5 }),
      fc.array(time, { minLength: 3, maxLength: 6 }),
      fc.integer({ min: 0, max: 3 }),
      (rule, p, times, latency) => {
        const name = rule === 'pipedream_2bw' ? rule : 'pipedream';
        const plan = asynchronousPlan({
          name,
          args: name === 'pipedream' ? { weights: rule } : {},
          stages: p,
          microbatches: name === 'pipedream' ? 1 : p,
          iterations: 12,
          forward: times,
          backwardInput: times.slice(1),
          backwardWeight: times.slice(2),
          latency,
          activation: 10,
          stage: { weights: 1000, gradients: 500, optimizer: 7 },
        });
        const { timeline, versions } = run(plan);
        const { program } = timeline;
        for (let device = 0; device < p; device += 1) {
          const track = memoryTrack(plan, timeline, device);
          const levelAt = (moment: number) => track.bytes[track.at.findLastIndex((at) => at <= moment)];
          let peak = 0;
          const own = [...program.order.keys()].filter(
            (position) => position >= program.offsets[device] && position < program.offsets[device + 1],
          );
          const uses = own.flatMap((position) => {
            const kind = kindOf(program, program.order[position]);
            if (kind === U) return [];
            const slot =
              stageOf(program, program.order[position]) * program.microbatches +
              microbatchOf(program, program.order[position]);
            return [{ version: (kind === F ? versions.read : versions.used)[slot], to: endAt(timeline, position) }];
          });
          for (const position of own) {
            const middle = (startAt(timeline, position) + endAt(timeline, position)) / 2;
            if (startAt(timeline, position) === endAt(timeline, position)) continue;
            const before = own.filter((value) => startAt(timeline, value) <= middle);
            const newest = before.filter((index) => kindOf(program, program.order[index]) === U).length;
            const forwards = before.filter((index) => kindOf(program, program.order[index]) === F).length;
            const over = own.filter(
              (index) => endAt(timeline, index) <= middle && kindOf(program, program.order[index]) === 1,
            ).length;
            const older = new Set(
              uses.filter((use) => use.version < newest && use.to > middle).map((use) => use.version),
            );
            const level = 1507 + 10 * (forwards - over) + 1000 * older.size;
            expect(levelAt(middle)).toBe(level);
            peak = Math.max(peak, level);
          }
          const found = memoryPeak(plan, timeline, device);
          // Updates take no time here, and may hold a version more than any operation around them.
          expect(found.bytes).toBeGreaterThanOrEqual(peak);
          expect(found.bytes).toBe(1507 + found.activations + found.versions);
          expect(found.versions % 1000).toBe(0);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('versions of the report cost their weights', () => {
  const recipe = {
    name: 'pipedream',
    stages: 4,
    activation: 0,
    stage: { weights: 100, gradients: 100, optimizer: 200 },
  };
  const versions = (weights: string) =>
    reportOf(asynchronousPlan({ ...recipe, args: { weights } })).devices.map((device) => [
      device.memory.versions,
      device.peak,
    ]);
  expect(versions('stash')).toEqual([300, 200, 100, 0].map((value) => [value, 400 + value]));
  expect(versions('vertical_sync')).toEqual([300, 300, 300, 300].map((value) => [value, 400 + value]));
  expect(versions('latest')).toEqual([0, 0, 0, 0].map((value) => [value, 400 + value]));
});

test('the steady state of a synchronous program is none', () => {
  const plan = asynchronousPlan({ name: '1f1b', stages: 2, microbatches: 4, iterations: 1 });
  expect(steadyOf(timelineOf(plan))).toBeUndefined();
  expect(steadyOf(run(asynchronousPlan({ name: 'pipedream', stages: 2 })).timeline)).toBeDefined();
});

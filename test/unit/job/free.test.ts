import type { Worker } from '../../../engine/job/worker.ts';
import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import { Turns } from '../../../engine/job/turns.ts';
import { workerOf } from '../../../engine/job/workers.ts';
import { runJob, type WaveJob } from '../../../engine/job/wsp.ts';
import { recipePlan, policy } from '../support/plans.ts';

const waves = 8;
// Whole ones for things that happen at one time.
const seconds = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.double({ min: 0.01, max: 5, noNaN: true }));
const costs = fc.integer({ min: 1, max: 4 }).chain((devices) =>
  fc.record({
    forward: fc.array(seconds, { minLength: devices, maxLength: devices }),
    backward: fc.array(seconds, { minLength: devices, maxLength: devices }),
    step: fc.constantFrom(0, 0.3),
    latency: fc.constantFrom(0, 0.1, 2),
    microbatches: fc.integer({ min: 1, max: 3 }),
  }),
);
const jobs = fc.record({
  workers: fc.array(costs, { minLength: 1, maxLength: 4 }),
  wave: fc.integer({ min: 1, max: 5 }),
  distance: fc.integer({ min: 0, max: 3 }),
  bytes: fc.integer({ min: 0, max: 5 }),
  link: fc.option(fc.record({ latency: fc.constantFrom(0, 0.7), duplex: fc.constantFrom('full' as const, 'half') })),
});

test('workers of known times and workers run in order of time give the same bits', () => {
  let known = 0;
  fc.assert(
    fc.property(jobs, ({ workers, wave, distance, bytes, link }) => {
      const made = workers.map(({ forward, backward, step, latency, microbatches }): Worker => {
        const plan = recipePlan({
          devices: forward.length,
          microbatches,
          schedule: policy('pipedream', { in_flight: wave }),
          forward,
          backwardInput: backward,
          backwardWeight: [0],
          optimizer: step,
          latency,
        });
        const worker = workerOf(plan, (waves + distance + 2) * wave);
        if (worker === undefined) throw new Error('no program');
        return { ...worker, bytes };
      });
      known += made.filter(({ free }) => free !== undefined).length;
      const job: WaveJob = {
        servers: 1,
        sync: { kind: 'wsp', distance },
        ...(link === null ? {} : { link: { bandwidth: 1, ...link } }),
      };
      const inTime = made.map(({ program, timing, entries }): Worker => ({ program, timing, entries, bytes }));
      const [one, other] = [made, inTime].map((several) => runJob(job, several, wave, waves));
      if (one === undefined || other === undefined) throw new Error('the workers never got there');
      expect(one.globalClock).toEqual(other.globalClock);
      one.workers.forEach(({ ends, ...times }, index) => {
        const { ends: expected, ...rest } = other.workers[index];
        expect(times).toEqual(rest);
        expected.forEach((end, slot) => {
          if (end >= 0) expect(ends[slot]).toBe(end);
        });
      });
    }),
    { numRuns: 200 },
  );
  expect(known).toBeGreaterThan(0);
});

test('the next turn is the earliest, of equal ones the first', () => {
  const changes = fc.array(fc.tuple(fc.nat(12), fc.oneof(fc.nat(5), fc.constant(Infinity))), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 13 }), changes, (parties, several) => {
      const turns = new Turns(parties);
      const times = Array.from({ length: parties }, () => Infinity);
      for (const [party, time] of several) {
        times[party % parties] = time;
        turns.set(party % parties, time);
        const least = Math.min(...times);
        expect(turns.time).toBe(least);
        if (least < Infinity) expect(turns.first).toBe(times.indexOf(least));
      }
    }),
  );
});

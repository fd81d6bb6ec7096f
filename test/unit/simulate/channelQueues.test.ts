import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { queuesForChannels, runChannelQueues } from '../../../engine/simulate/channelQueues.ts';
import { EarliestEvent } from '../../../engine/simulate/earliest.ts';
import { endQueue } from '../../../engine/simulate/endQueue.ts';
import { runInTime } from '../../../engine/simulate/queues.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { planOf } from '../../support/resolve.ts';
import { runnable } from '../support/cases.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { programOf } from '../support/programs.ts';

it('gives what the general method gives, whatever queues for whatever channel', () => {
  fc.assert(
    fc.property(
      runnable,
      fc.constantFrom('full', 'half', 'shared'),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
      ({ plan, program }, duplex, occupancy, releases) => {
        const { devices, microbatches } = program;
        const { routes } = recipePlan({
          ...{ devices, microbatches, duplex, occupancy, stages: program.stages },
          ...{ latency: 1, schedule: policy('1f1b') },
        });
        const queued = { ...plan, routes, edges: plan.edges.map((edge) => ({ ...edge, bytes: 1 })) };
        const timing = timingOf(queued, program);
        const release = timing.duration.map((_, row) => releases[row % 3]);
        for (const times of [timing, { ...timing, release }])
          expect(runChannelQueues(program, times)).toEqual(runInTime(program, times));
      },
    ),
    { numRuns: 150 },
  );
});

it('gives what the general method gives for slots of two operations, copies of stages and single times', () => {
  const schedules = ['dualpipe', 'chimera', 'torchgpipe', 'zb_h1', 'gpipe', 'eager_1f1b'].map(
    (name) => [name, 4] as const,
  );
  const chunked = ['dualpipe_v', 'interleaved_1f1b', 'zb_v', 'hanayo'].map((name) => [name, 8] as const);
  for (const [schedule, stages] of [...schedules, ...chunked]) {
    for (const link of ['half(1GB/s + 3us)', 'shared(1GB/s + 1us)', '900MB/s']) {
      const plan = planOf(`
model m { layer l[16] { forward = 2ms  backward = 5ms  output = 1.5MB } }
device d { memory = 1TiB }
cluster c { gpu[4] = d  link = ${link} }
pipeline train { model = m  devices = c  microbatches = 16  stages = balance(${stages})  schedule = ${schedule} }
`);
      const generated = generate(plan);
      if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
      const { program } = generated;
      const timing = timingOf(plan, program);
      expect(runChannelQueues(program, timing)).toEqual(runInTime(program, timing));
      const seconds = Float64Array.from(
        { length: timing.duration.length * program.microbatches },
        (_, index) => timing.duration[Math.trunc(index / program.microbatches)] * (1 + (index % 7) / 10),
      );
      const single = { seconds, layers: timing.duration, least: timing.duration, most: timing.duration };
      expect(runChannelQueues(program, { ...timing, single })).toEqual(runInTime(program, { ...timing, single }));
    }
  }
});

it('has the earliest event, of equal times the lowest device', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.tuple(fc.nat(8), fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Infinity))), { maxLength: 40 }),
      (devices, changes) => {
        const events = new EarliestEvent(devices);
        const times = Array.from({ length: devices }, () => Infinity);
        for (const [index, time] of changes) {
          times[index % devices] = time;
          events.set(index % devices, time);
          expect(events.time).toBe(Math.min(...times));
          if (events.time < Infinity) expect(events.device).toBe(times.indexOf(events.time));
        }
      },
    ),
  );
});

it('sends a copy of a stage only the microbatches that it runs', () => {
  // Stages that take turns in other numbers than the stage after them.
  for (const link of ['half(1GB/s + 3us)', 'shared(1GB/s + 1us)', '900MB/s']) {
    const plan = planOf(`
model m { layer l[4] { forward = 2ms  backward = 5ms  output = 3MB  weights = 1MiB } }
device d { memory = 1TiB }
cluster c { gpu[4] = d  link = ${link} }
pipeline train {
  model = m  devices = c  microbatches = 1  iterations = 24  schedule = pipedream
  stage first { layers = l[0]  on = gpu[0] }
  stage middle { layers = l[1..2]  on = gpu[1..2]  replicate = round_robin }
  stage last { layers = l[3]  on = gpu[3] }
}
`);
    const generated = generate(plan);
    if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
    const { program } = generated;
    expect([...new Set(program.copies?.every)]).toEqual([1, 2]);
    // Without the time of updates none of them waits for another copy, and this loop runs the rest.
    const timing = timingOf(plan, program, { freeStep: true });
    expect(queuesForChannels(program, timing)).toBe(true);
    const run = runChannelQueues(program, timing);
    expect(run?.arrival?.some((at) => at > 0)).toBe(true);
    expect(run).toEqual(runInTime(program, timing));
  }
});

it('has no arrival on a device of a microbatch that another copy runs', () => {
  const plan = planOf(`
schedule turns {
  on(s, j) = if(s == 0, mod(j, 2), mod(div(j, 2), 2))
  order = greedy(prefer = [B, F])
}
model m { layer l[2] { forward = 2ms  backward = 5ms  output = 3MB } }
device d { memory = 1TiB }
cluster c { gpu[2] = d  link = half(1GB/s + 3us) }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(2)  schedule = turns }
`);
  const generated = generate(plan);
  if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
  const { program } = generated;
  const timing = timingOf(plan, program);
  expect(queuesForChannels(program, timing)).toBe(true);
  // The second run begins with what the first one found out.
  for (const _ of [1, 2]) expect(runChannelQueues(program, timing)).toEqual(runInTime(program, timing));
});

it('takes ends out from the earliest to the latest, of equal ones the lowest device first', () => {
  const queue = endQueue(256);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 9 })), { maxLength: 300 }),
      (devices, steps) => {
        queue.clear(devices);
        const ends = new Map<number, number>();
        const take = (): void => {
          const first = Math.min(...ends.values());
          expect(queue.earliest()).toBe(first);
          if (first === Infinity) return;
          const lowest = Math.min(...[...ends].filter(([, end]) => end === first).map(([device]) => device));
          expect(queue.take()).toBe(lowest);
          ends.delete(lowest);
        };
        for (const [number, end] of steps) {
          const device = number % devices;
          // A device that runs something cannot start anything: take something out instead.
          if (ends.has(device)) take();
          else {
            queue.push(device, end);
            ends.set(device, end);
          }
        }
        while (ends.size > 0) take();
        take();
      },
    ),
  );
});

it('never runs what its own device makes for it later', () => {
  const program = programOf([['0F0', '0B0', '0F1', '0B1']], 1, 2, [0]);
  const late = programOf([['0F0', '0B1', '0F1', '0B0']], 1, 2, [0]);
  const plan = recipePlan({ devices: 1, microbatches: 2, schedule: policy('1f1b') });
  expect(runChannelQueues(program, timingOf(plan, program))).toBeDefined();
  expect(runChannelQueues(late, timingOf(plan, late))).toBeUndefined();
});

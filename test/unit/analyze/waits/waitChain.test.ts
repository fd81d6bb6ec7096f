import { expect, it } from 'vitest';
import type { Cause, Wait, WaitChain } from '../../../../engine/analyze/waits/chainTypes.ts';
import { waitChain } from '../../../../engine/analyze/waits/waitChain.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import {
  F,
  type Program,
  kindOf,
  letters,
  microbatchOf,
  operationName,
  stageOf,
} from '../../../../engine/values/program.ts';
import type { Timeline } from '../../../../engine/values/timeline.ts';
import { analyseExample } from '../../../support/analyse.ts';
import * as fc from '../../../support/property.ts';
import { runnable } from '../../support/cases.ts';
import { plainEnds } from '../../support/plainSimulator.ts';
import { policy, type Recipe, recipePlan } from '../../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../../support/programs.ts';
import { timelineOf, waitsOf } from './waits.ts';

/** Whole seconds add up without rounding; files have any seconds. */
function checkUnbroken(timeline: Timeline, wait: Wait, { causes, stop }: WaitChain, rounding = 0): void {
  let until = wait.to;
  for (const cause of causes) {
    expect(Math.abs(cause.to - until)).toBeLessThanOrEqual(rounding);
    expect(cause.from).toBeLessThanOrEqual(cause.to);
    until = cause.from;
  }
  const last = causes.at(-1);
  if (stop === 'device') {
    expect(last).toMatchObject({ kind: 'operation', device: wait.device });
    expect(last?.to).toBeLessThanOrEqual(wait.from + rounding);
    // It is the first that the chain meets.
    expect(causes.filter((cause) => cause.kind === 'operation' && cause.device === wait.device)).toHaveLength(1);
  } else {
    expect(stop).toBe('start');
    expect(until).toBeLessThanOrEqual(rounding);
  }
  const parts = causes.reduce((sum, cause) => sum + (cause.to - cause.from), 0);
  expect(Math.abs(parts - (wait.to - until))).toBeLessThanOrEqual(rounding * causes.length);
  expect(timeline.makespan).toBeGreaterThanOrEqual(wait.to);
}

const plainKey = (program: Program, position: number): string => {
  const word = program.order[position];
  return `${kindOf(program, word)}/${stageOf(program, word)}/${microbatchOf(program, word)}`;
};

/** Whether an operation needs the result of another one, by the plan's edges alone. */
function needs(plan: PipelinePlan, program: Program, position: number, other: number): boolean {
  const [word, made] = [program.order[position], program.order[other]];
  if (microbatchOf(program, word) !== microbatchOf(program, made)) return false;
  const [stage, from] = [stageOf(program, word), stageOf(program, made)];
  const [kind, madeBy] = [letters[kindOf(program, word)], letters[kindOf(program, made)]];
  const edge = (a: number, b: number) => plan.edges.some((each) => each.from === a && each.to === b);
  if (kind === 'F') return madeBy === 'F' && edge(from, stage);
  if (kind === 'W') return madeBy === 'I' && from === stage;
  return madeBy === 'F' ? from === stage : madeBy !== 'W' && edge(stage, from);
}

it('explains each wait by what ended exactly then, checked against a simulator that relaxes start times', () => {
  fc.assert(
    fc.property(runnable, ({ plan, program }) => {
      const timeline = timelineOf(plan, program);
      const ends = plainEnds(plan, program);
      for (const wait of waitsOf(timeline)) {
        const chain = waitChain(timeline, wait);
        checkUnbroken(timeline, wait, chain);
        let explained = wait.before;
        let transfer: Cause | undefined;
        for (const cause of chain.causes) {
          if (cause.kind === 'transfer') {
            expect(cause).toMatchObject({
              queued: 0,
              slowed: 0,
              ahead: false,
              to: cause.from + plan.routes[0].latency,
            });
            transfer = cause;
            continue;
          }
          if (cause.kind !== 'operation') continue;
          const { position } = cause;
          expect(cause.to).toBe(ends?.get(plainKey(program, position)));
          if (explained >= 0) {
            const remote = needs(plan, program, explained, position);
            const sameDevice = program.placement[stageOf(program, program.order[explained])] === cause.device;
            if (transfer !== undefined) expect(remote && transfer.kind === 'transfer').toBe(true);
            else expect(remote || (sameDevice && explained === position + 1)).toBe(true);
          }
          explained = position;
          transfer = undefined;
        }
      }
    }),
    { numRuns: 50 },
  );
});

it('names what really holds a device up: each second more of an operation in the chain delays the end of the wait', () => {
  fc.assert(
    fc.property(runnable, fc.nat(1000), ({ plan, program }, pick) => {
      const timeline = timelineOf(plan, program);
      const waits = waitsOf(timeline).filter(({ before }) => before >= 0);
      if (waits.length === 0) return;
      const wait = waits[pick % waits.length];
      const { causes, stop } = waitChain(timeline, wait);
      const ran = causes.flatMap((cause) => (cause.kind === 'operation' ? [cause.position] : []));
      const inside = stop === 'device' ? ran.slice(0, -1) : ran;
      if (inside.length === 0) return;
      const stage = stageOf(program, program.order[inside[pick % inside.length]]);
      const slower = { ...plan.stages[stage], forward: plan.stages[stage].forward + 1 };
      const changed = { ...plan, stages: plan.stages.map((each, index) => (index === stage ? slower : each)) };
      const forwards = ran.filter(
        (at) => kindOf(program, program.order[at]) === F && stageOf(program, program.order[at]) === stage,
      );
      const ends = plainEnds(changed, program);
      const before = ends?.get(plainKey(program, wait.before)) ?? NaN;
      const own = Number(
        stageOf(program, program.order[wait.before]) === stage && kindOf(program, program.order[wait.before]) === F,
      );
      const was = plainEnds(plan, program)?.get(plainKey(program, wait.before)) ?? NaN;
      expect(before - was).toBeGreaterThanOrEqual(forwards.length + own);
    }),
    { numRuns: 100 },
  );
});

const queueing: readonly Partial<Recipe>[] = [
  { occupancy: 3, duplex: 'shared' },
  { occupancy: 2, duplex: 'half' },
  { occupancy: 5, duplex: 'full' },
];

it.each(queueing)('follows a link that transfers queue for: %o', (links) => {
  let ahead = 0;
  fc.assert(
    fc.property(runnable, ({ plan: bare, program }) => {
      const { routes } = recipePlan({
        devices: program.devices,
        microbatches: 1,
        schedule: policy('1f1b'),
        latency: 1,
        ...links,
      });
      const plan = { ...bare, routes, edges: bare.edges.map((edge) => ({ ...edge, bytes: 1 })) };
      const timeline = timelineOf(plan, program);
      const { timing } = timeline;
      for (const wait of waitsOf(timeline)) {
        const chain = waitChain(timeline, wait);
        checkUnbroken(timeline, wait, chain);
        for (const [index, cause] of chain.causes.entries()) {
          if (cause.kind !== 'transfer') continue;
          expect(cause.slowed).toBe(0);
          expect(cause.to - cause.from).toBe((links.occupancy ?? 0) + (cause.ahead ? 0 : 1));
          const next = chain.causes.at(index + 1);
          if (cause.queued > 0) {
            ahead += 1;
            if (next?.kind !== 'transfer') throw new Error('nothing holds the link');
            expect(next.ahead).toBe(true);
            expect(timing.needChannel[next.need]).toBe(timing.needChannel[cause.need]);
          } else expect(next).toMatchObject({ kind: 'operation', position: cause.position });
        }
      }
    }),
    { numRuns: 30 },
  );
  expect(ahead).toBeGreaterThan(0);
});

it('is unbroken where sends and receives block', () => {
  let exchanges = 0;
  let ahead = 0;
  fc.assert(
    fc.property(runnable, fc.constantFrom('none', 'peer', 'all'), ({ plan: bare, program }, batched) => {
      const { routes } = recipePlan({
        devices: program.devices,
        microbatches: 1,
        schedule: policy('1f1b'),
        latency: 1,
        occupancy: 3,
        duplex: 'shared',
      });
      const edges = bare.edges.map((edge) => ({ ...edge, bytes: 1 }));
      const plan: PipelinePlan = { ...bare, routes, edges, transfer: { kind: 'rendezvous', batched } };
      let timeline: Timeline;
      try {
        timeline = timelineOf(plan, program);
      } catch {
        return;
      }
      for (const wait of waitsOf(timeline)) {
        const chain = waitChain(timeline, wait);
        checkUnbroken(timeline, wait, chain);
        for (const cause of chain.causes) {
          if (cause.kind !== 'transfer' || !cause.blocks) continue;
          // Exactly as long as the link takes: the exchange that decides, not another one of its group.
          expect(cause.to - cause.from).toBe(cause.ahead ? 3 : 4);
          exchanges += 1;
          ahead += Number(cause.ahead);
        }
      }
    }),
    { numRuns: 100 },
  );
  expect(exchanges).toBeGreaterThan(0);
  expect(ahead).toBeGreaterThan(0);
});

it.each([
  'quickstart.pipe',
  'nvlink-hops.pipe',
  'custom-schedule.pipe',
  'systems/cross_mesh.pipe',
  'systems/gradient_overlap.pipe',
  'systems/bpipe.pipe',
  'systems/rendezvous.pipe',
  'systems/pipedream.pipe',
  'systems/chimera.pipe',
  'systems/dualpipe_v.pipe',
])('explains every wait of %s', (name) => {
  for (const { run } of analyseExample(name).pipelines) {
    if (run === undefined) continue;
    for (const wait of waitsOf(run.timeline))
      checkUnbroken(run.timeline, wait, waitChain(run.timeline, wait), run.timeline.makespan * 1e-11);
  }
});

const chainNames = (timeline: Timeline, wait: Wait): string[] =>
  waitChain(timeline, wait).causes.map((cause) =>
    cause.kind === 'operation' ? operationName(timeline.program, timeline.program.order[cause.position]) : cause.kind,
  );

it('of 1F1B is the round trip of a microbatch', () => {
  const program = programOf(oneForwardOneBackward(3, 6), 3, 6, [0, 1, 2]);
  const plan = recipePlan({ devices: 3, microbatches: 6, schedule: policy('1f1b'), latency: 1 });
  const timeline = timelineOf(plan, program);
  const wait = waitsOf(timeline).find(({ device }) => device === 0);
  if (wait === undefined) throw new Error('no wait');
  expect(chainNames(timeline, wait)).toEqual([
    'transfer',
    '1B0',
    'transfer',
    '2B0',
    '2F0',
    'transfer',
    '1F0',
    'transfer',
    '0F0',
  ]);
});

it('at the end of the iteration goes through the step of the device that ends last', () => {
  const program = programOf(
    [
      ['0F0', '0B0'],
      ['1F0', '1B0'],
    ],
    2,
    1,
    [0, 1],
  );
  const plan = recipePlan({ devices: 2, microbatches: 1, schedule: policy('1f1b'), sync: 2, optimizer: 3 });
  const timeline = timelineOf(plan, program);
  const wait = waitsOf(timeline).find(({ device, before }) => device === 1 && before < 0);
  if (wait === undefined) throw new Error('no wait');
  expect(chainNames(timeline, wait)).toEqual(['step', 'sync', '0B0', '1B0']);
});

it('says where the device was busy until its result came, and follows the result', () => {
  const program = programOf(
    [
      ['0F0', '0F1'],
      ['1F0', '1F1'],
      ['2F0', '2F1'],
    ],
    3,
    2,
    [0, 1, 2],
  );
  // Without times for transfers, 0F1 and 1F0 end together: 1F1 could start neither earlier without the one nor without the other.
  const timeline = timelineOf(recipePlan({ devices: 3, microbatches: 2, schedule: policy('gpipe') }), program);
  const { causes } = waitChain(timeline, { device: 2, from: 0, to: 2, before: program.offsets[2] });
  expect(causes.map((cause) => cause.kind === 'operation' && cause.tied)).toEqual([false, false]);
  const slow = recipePlan({ devices: 3, microbatches: 2, schedule: policy('gpipe'), forward: [1, 1, 3] });
  const wait = { device: 1, from: 2, to: 0, before: program.offsets[1] + 1 };
  const [first] = waitChain(timelineOf(slow, program), wait).causes;
  expect(first).toMatchObject({ kind: 'operation', position: 1, tied: true });
  // 0F1 ends when 1F0 starts, but on another device.
  const far = recipePlan({ devices: 3, microbatches: 2, schedule: policy('gpipe'), latency: 1 });
  const late = { device: 1, from: 0, to: 2, before: program.offsets[1] };
  expect(waitChain(timelineOf(far, program), late).causes[0]).toMatchObject({ kind: 'transfer', to: 2, tied: false });
});

it('states how much longer a transfer takes because others share its links', () => {
  let slowed = 0;
  for (const { run } of analyseExample('systems/cross_mesh.pipe').pipelines) {
    if (run === undefined) continue;
    for (const wait of waitsOf(run.timeline))
      for (const cause of waitChain(run.timeline, wait).causes) {
        if (cause.kind !== 'transfer') continue;
        const alone = run.timeline.timing.needOccupancy[cause.need] + run.timeline.timing.needLatency[cause.need];
        expect(cause.to - cause.from - cause.slowed).toBeCloseTo(alone, 12);
        slowed += cause.slowed;
      }
  }
  expect(slowed).toBeGreaterThan(0);
});

it('takes no exchange apart that buckets of several devices share', () => {
  const program = programOf(
    [
      ['0F0', '0B0'],
      ['1F0', '1B0'],
    ],
    2,
    1,
    [0, 1],
  );
  const plan = recipePlan({ devices: 2, microbatches: 1, schedule: policy('1f1b'), sync: 2 });
  const timeline = timelineOf(plan, program);
  const shared = { ...timeline.timing, holders: Int32Array.of(0, 0) };
  const wait = { device: 1, from: timeline.exchanged[1], to: timeline.makespan, before: -1 };
  expect(waitChain({ ...timeline, timing: { ...shared, buckets: [] } }, wait).stop).toBe('unknown');
  expect(waitChain({ ...timeline, timing: shared }, wait).stop).toBe('device');
});

it('goes on from the copy of a stage that the others wait for', () => {
  const program = programOf(
    [
      ['0F0', '0B0'],
      ['1F0', '1B0'],
    ],
    2,
    1,
    [0, 1],
  );
  const bare = recipePlan({ devices: 2, microbatches: 1, schedule: policy('1f1b'), edges: [], forward: [1, 5] });
  const plain = timelineOf(bare, program);
  // Device 0 ends at 3 s and device 1 at 7 s; both exchange for 2 s from then on.
  const timeline: Timeline = {
    ...plain,
    timing: { ...plain.timing, holders: Int32Array.of(0, 0), sync: Float64Array.of(2, 2) },
    exchanged: Float64Array.of(9, 9),
    makespan: 9,
  };
  const { causes } = waitChain(timeline, { device: 2, from: 0, to: 9, before: -1 });
  expect(causes.slice(0, 2)).toMatchObject([
    { kind: 'sync', from: 7, to: 9 },
    { kind: 'operation', device: 1, to: 7 },
  ]);
});

it('queues transfers behind those of their route where routes share bandwidth, although one hop is the slowest of all', () => {
  const program = programOf(
    [
      ['0F0', '0F1'],
      ['1F0', '1F1'],
      ['2F0', '2F1'],
    ],
    3,
    2,
    [0, 1, 2],
  );
  const edges = [0, 1].map((from) => ({ from, to: 2, bytes: 1 }));
  const routes = [0, 1].map((from) => ({
    ...{ from, to: 2, bandwidth: 1, latency: 0.5, channel: 2 },
    hops: [
      { channel: from, bandwidth: 2, latency: 0.25 },
      { channel: 2, bandwidth: 1, latency: 0.25 },
    ],
  }));
  const plan = {
    ...recipePlan({ devices: 3, microbatches: 2, schedule: policy('gpipe'), edges }),
    routes,
  };
  const timeline = timelineOf(plan, program);
  expect(timeline.timing.flows).toBeDefined();
  // Both devices send at 1 s and, at half rate, until 3 s. Their second results are ready at 2 s and leave from 3 to 5 s.
  const { causes } = waitChain(timeline, { device: 2, from: 4.5, to: 5.5, before: program.offsets[2] + 1 });
  expect(causes.slice(0, 3)).toMatchObject([
    { kind: 'transfer', sender: 0, microbatch: 1, queued: 1, slowed: 1, from: 3, to: 5.5, ahead: false },
    { kind: 'transfer', sender: 0, microbatch: 0, queued: 0, slowed: 1, from: 1, to: 3, ahead: true },
    { kind: 'operation', device: 0, position: 0, from: 0, to: 1 },
  ]);
});

import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { B, W, operationName } from '../../../../engine/values/program.ts';
import { idleOf } from '../../../../engine/fill/intervals.ts';
import { endAt, startAt, stepAt } from '../../../../engine/values/timeline.ts';
import { fileOf, halfTime, runOf, type Shape } from './fixture.ts';
import { resolveText } from '../../../support/resolve.ts';

/** Policies on four devices: what is written, and stages. */
const policies = [
  ['gpipe', 4],
  ['1f1b', 4],
  ['eager_1f1b', 4],
  ['dapple', 4],
  ['bpipe', 4],
  ['torchgpipe', 4],
  ['interleaved_1f1b(2)', 8],
  ['breadth_first(2)', 8],
  ['hanayo(1)', 8],
  ['zb_h1', 4],
  ['zb_h2', 4],
  ['zb_auto', 4],
  ['search', 4],
  ['interleaved_zb(2)', 8],
  ['zb_v', 8],
  ['v_half', 8],
  ['v_min', 8],
  ['1f1b_v', 8],
  ['dualpipe_v', 8],
  ['seq1f1b(2)', 4],
  ['chimera', 4],
  ['dualpipe', 4],
] as const;
const schedule = fc.constantFrom(...policies);
/** With transfers that block, where these run. */
const transfers = schedule.chain(([name, stages]) =>
  fc
    .constantFrom(...(name === '1f1b' || name === 'gpipe' ? ['buffered', 'rendezvous(batched = true)'] : ['buffered']))
    .map((transfer) => ({ schedule: name, stages, transfer })),
);
const mebibytes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 16 });

describe('equal layers', () => {
  const [forward, backward, layers] = [4e-3, 8e-3, 4];
  const shape = fc.record({
    schedule: fc.constantFrom('gpipe', '1f1b', 'dapple'),
    microbatches: fc.integer({ min: 4, max: 9 }),
    data: fc.integer({ min: 2, max: 5 }),
    mebibytes: fc.integer({ min: 1, max: 600 }),
  });

  test('gradients: one layer’s, and what all exchanges but one are longer than backwards', () => {
    fc.assert(
      fc.property(shape, ({ mebibytes: one, ...rest }) => {
        const { run } = runOf({ ...rest, weights: [one], sync: 'overlap' });
        const exchange = 2 * halfTime(one, rest.data);
        const exposed = exchange + (layers - 1) * Math.max(0, exchange - backward);
        const computing = (rest.microbatches + 3) * layers * (forward + backward);
        expect(run.report.iteration).toBeCloseTo(computing + exposed, 9);
        for (const { sync } of run.report.devices) expect(sync.exposed).toBeCloseTo(exposed, 9);
      }),
      { numRuns: 30 },
    );
  });

  test('the state in parts: weights likewise before the first forward', () => {
    fc.assert(
      fc.property(
        shape,
        fc.constantFrom('zero1', 'distributed', 'fsdp, reshard = false'),
        ({ mebibytes: one, ...rest }, shard) => {
          const { run } = runOf({
            ...rest,
            weights: [one],
            sync: 'overlap',
            optimizer: `adam_mixed(shard = ${shard})`,
          });
          const part = halfTime(one, rest.data);
          const exposed = (beside: number) => part + (layers - 1) * Math.max(0, part - beside);
          const computing = (rest.microbatches + 3) * layers * (forward + backward);
          expect(run.report.iteration).toBeCloseTo(computing + exposed(forward) + exposed(backward), 9);
          expect(run.report.devices[0].sync.exposed).toBeCloseTo(exposed(forward) + exposed(backward), 9);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('under a split backward only weight gradients are left to hide behind', () => {
    for (const value of [16, 64, 256]) {
      const { run } = runOf({ schedule: 'zb_h1', weights: [value], sync: 'overlap' });
      const exchange = 2 * halfTime(value, 2);
      const weightGradient = 4e-3;
      for (const { sync } of run.report.devices)
        expect(sync.exposed).toBeCloseTo(exchange + (layers - 1) * Math.max(0, exchange - weightGradient), 9);
    }
  });

  test('recomputation of each layer comes between, that of a whole stage before all', () => {
    const exchange = 2 * halfTime(300, 2);
    const exposed = (recompute: string) =>
      runOf({ weights: [300], sync: 'overlap', recompute }).run.report.devices[0].sync.exposed;
    expect(exchange).toBeGreaterThan(12e-3);
    expect(exposed('full')).toBeCloseTo(layers * exchange - (layers - 1) * 12e-3, 9);
    expect(exposed('stage')).toBeCloseTo(layers * exchange - (layers - 1) * 8e-3, 9);
    // Ahead of the gradient it is no part of the backward.
    const ahead = runOf({ weights: [300], sync: 'overlap', recompute: 'full', schedule: '1f1b(recompute = ahead)' });
    for (const { sync } of ahead.run.report.devices.slice(0, 3))
      expect(sync.exposed).toBeCloseTo(layers * exchange - (layers - 1) * 8e-3, 9);
  });
});

test('each device sends its buckets one after the other as they are ready, under every policy', () => {
  fc.assert(
    fc.property(schedule, mebibytes, fc.constantFrom(0, 100, 1000), ([name, stages], weights, bucket) => {
      const { plan, run } = runOf({ schedule: name, stages, weights, sync: `overlap(bucket = ${bucket}MiB)` });
      const { timeline, program } = run;
      const cutOf = (stage: number) => program.copies?.stage[stage] ?? stage;
      const copied = program.copies !== undefined && program.copies.segment.every((value) => value < 0);
      // Copies of a stage are on two devices; both are ready when the later one is.
      const ready = new Map<string, { at: number; seconds: number }>();
      plan.stages.forEach((stage, index) => {
        if (stage.parameters === 0) return;
        const [end, length] = lastGradient(index);
        const layers = stage.layers.map((layer) => Number(layer.slice(1)));
        let held = 0;
        for (const [back, layer] of layers.toReversed().entries()) {
          held += weights[layer % weights.length];
          const before = layers.length - 1 - back;
          if (held < bucket && before > 0) continue;
          // Layers are equally long, so that all parts of a backward pass them at one pace.
          const at = end - (before / layers.length) * length;
          const key = `${cutOf(index)} ${before}`;
          const seconds = 2 * halfTime(held, copied ? 4 : 2);
          ready.set(key, { at: Math.max(at, ready.get(key)?.at ?? 0), seconds });
          held = 0;
        }
      });
      for (let device = 0; device < program.devices; device += 1) {
        const own = new Set(
          plan.stages.flatMap((_, index) => (plan.placement[index] === device ? [cutOf(index)] : [])),
        );
        const sorted = [...ready]
          .flatMap(([key, one]) => (own.has(Number(key.split(' ')[0])) ? [one] : []))
          .sort((one, other) => one.at - other.at);
        // A queue that never idles from its k-th arrival on ends with the sum of what arrives from then on: the latest such end.
        const ends = sorted.map(
          ({ at }, from) => at + sorted.slice(from).reduce((sum, { seconds }) => sum + seconds, 0),
        );
        expect(timeline.exchanged[device]).toBeCloseTo(Math.max(stepAt(timeline, device), ...ends), 9);
      }

      /** End and length of the last gradient of a stage's layers on its device, found over all operations. */
      function lastGradient(stage: number): readonly [number, number] {
        let found: readonly [number, number] = [-1, 0];
        program.order.forEach((word, at) => {
          const row = word >> program.shift;
          const kind = Math.trunc(row / program.stages);
          const other = row % program.stages;
          if ((kind !== B && kind !== W) || cutOf(other) !== cutOf(stage)) return;
          if (plan.placement[other] !== plan.placement[stage]) return;
          const end = endAt(timeline, at);
          if (end > found[0]) found = [end, end - startAt(timeline, at)];
        });
        return found;
      }
    }),
    { numRuns: 60 },
  );
});

describe('beside the last backward', () => {
  test('is never slower than after it, and saves at most the exchange', () => {
    fc.assert(
      fc.property(
        transfers,
        mebibytes,
        fc.constantFrom('overlap', 'overlap(bucket = 128MiB)'),
        (one, weights, sync) => {
          const shape: Shape = { ...one, weights };
          const end = runOf(shape).run.report;
          const overlap = runOf({ ...shape, sync }).run.report;
          const most = Math.max(...end.devices.map((device) => device.sync.time));
          // `zb_auto` and `search` look for an order anew, and may find a better one for another end.
          if (one.schedule !== 'zb_auto' && one.schedule !== 'search') {
            expect(overlap.iteration).toBeLessThanOrEqual(end.iteration * (1 + 1e-12));
            expect(end.iteration - overlap.iteration).toBeLessThanOrEqual(most + 1e-12);
          }
          const causes = Object.values(overlap.bubble.causes).reduce((sum, cause) => sum + cause, 0);
          expect(causes).toBeCloseTo(overlap.bubble.makespan, 9);
          expect(overlap.bubble.bound).toBeLessThanOrEqual(overlap.bubble.makespan + 1e-12);
          overlap.devices.forEach(({ sync: { bytes, time } }, device) => {
            expect(bytes).toBeCloseTo(end.devices[device].sync.bytes, 3);
            expect(time).toBeCloseTo(end.devices[device].sync.time, 12);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('weights that are gathered make an iteration longer by no more than they take', () => {
    fc.assert(
      fc.property(transfers, mebibytes, (one, weights) => {
        const shape: Shape = { ...one, weights, optimizer: 'adam_mixed(zero1)' };
        const none = runOf({ ...shape, data: 1, optimizer: 'adam_mixed' }).run.report;
        const end = runOf(shape).run.report;
        const overlap = runOf({ ...shape, sync: 'overlap' }).run.report;
        const most = Math.max(...end.devices.map((device) => device.sync.time));
        // Where stages have copies, there is an exchange without data ranks too.
        if (none.devices.every(({ sync }) => sync.time === 0)) {
          expect(overlap.iteration).toBeGreaterThanOrEqual(none.iteration * (1 - 1e-12));
          expect(overlap.iteration).toBeLessThanOrEqual(none.iteration + most + 1e-12);
        }
        const causes = Object.values(overlap.bubble.causes).reduce((sum, cause) => sum + cause, 0);
        expect(causes).toBeCloseTo(overlap.bubble.makespan, 9);
        expect(overlap.bubble.bound).toBeLessThanOrEqual(overlap.bubble.makespan + 1e-12);
      }),
      { numRuns: 20 },
    );
  });
});

test('a device computes, idles, or exchanges what is left and steps: nothing is counted twice', () => {
  fc.assert(
    fc.property(schedule, mebibytes, fc.constantFrom('', '(zero1)'), ([name, stages], weights, shard) => {
      const optimizer = shard === '' ? 'adam_mixed(step = 3ms)' : 'adam_mixed(zero1, step = 3ms)';
      const { run } = runOf({ schedule: name, stages, weights, sync: 'overlap', optimizer });
      const { timeline, program } = run;
      if (program.fused !== undefined) return;
      for (let device = 0; device < program.devices; device += 1) {
        const { from, to } = idleOf(timeline, device);
        const idle = to.reduce((sum, end, index) => sum + end - from[index], 0);
        const tail = timeline.exchanged[device] - stepAt(timeline, device) + timeline.timing.optimizer[device];
        expect(idle + timeline.busy[device] + tail).toBeCloseTo(timeline.makespan, 9);
        expect(timeline.timing.optimizer[device]).toBe(3e-3);
      }
    }),
    { numRuns: 40 },
  );
});

test('copies of a stage wait for the last of them, at the end as well as beside the backward', () => {
  // Device 0 and 3 of a bidirectional pipeline hold the first and the last stage.
  for (const sync of ['end', 'overlap']) {
    const { run } = runOf({ schedule: 'chimera', data: 1, sync, weights: [400, 1, 1, 1] });
    const { exchanged } = run.timeline;
    expect(exchanged[0]).toBeCloseTo(exchanged[3], 12);
    expect(exchanged[1]).toBeCloseTo(exchanged[2], 12);
    // The path that decides the iteration ends on the device that the others wait for.
    const { critical_path: path, iteration } = run.report;
    const held = (device: number) => run.report.devices[device].sync.exposed + stepAt(run.timeline, device);
    const last = [0, 1, 2, 3].find((device) => {
      const at = run.program.order[run.program.offsets[device + 1] - 1];
      return path.at(-1) === operationName(run.program, at) && Math.abs(held(device) - iteration) < 1e-12;
    });
    expect(last).toBeDefined();
    for (const device of [0, 3].includes(last ?? 0) ? [0, 3] : [1, 2])
      expect(stepAt(run.timeline, device)).toBeLessThanOrEqual(stepAt(run.timeline, last ?? 0));
  }
});

test('a plan with buckets survives JSON, and names each stage once', () => {
  const plan = resolveText(fileOf({ sync: 'overlap', schedule: 'interleaved_1f1b(2)', stages: 8 })).plan.pipelines[0];
  expect(JSON.parse(JSON.stringify(plan.step))).toEqual(plan.step);
  expect(plan.step.map(({ overlap = [] }) => overlap.map(({ stage }) => stage))).toEqual([
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
  ]);
  for (const { overlap = [] } of plan.step)
    for (const { buckets } of overlap) {
      expect(buckets.map(({ left }) => left.weight)).toEqual([0.5, 0]);
      expect(buckets.at(-1)?.left).toEqual({ recompute: 0, input: 0, weight: 0 });
    }
});

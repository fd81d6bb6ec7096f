import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { layer, near, run } from './run.ts';

const measured = 'block[12] { forward = 1ms  backward = 2ms  weights = 24MiB  activation = 1MiB  output = 1KiB }';
const MiB = 2 ** 20;

/** Twelve layers over p stages with so many replicas each. */
const replicated = (replicas: readonly number[], schedule: string) => {
  let next = 0;
  const each = 12 / replicas.length;
  const stages = replicas.map((count, index) => {
    const [first, last] = [next, next + count - 1];
    next += count;
    const turns = count > 1 ? '  replicate = round_robin' : '';
    return `block[${index * each}..${(index + 1) * each - 1}]  on = gpu[${first}..${last}]${turns}`;
  });
  return run({
    layers: [measured],
    cluster: `gpu[${next}] = gpu  link = 1000000TB/s`,
    stages,
    pipeline: { microbatches: 1, schedule },
  }).report;
};

describe('versions of the weights: the newest, and those that minibatches under way still need', () => {
  test('PipeDream: p − i at stage i, and only weights are there more than once', () => {
    for (const p of [1, 2, 3, 4, 6]) {
      const { devices, stages } = replicated(
        Array.from({ length: p }, () => 1),
        'pipedream',
      );
      for (const [i, { memory }] of devices.entries()) {
        expect(stages[i].versions).toBe(p - i);
        expect(memory.versions).toBe((p - i - 1) * (12 / p) * 24 * MiB);
        expect(memory.weights).toBe((12 / p) * 24 * MiB);
      }
    }
  });

  test('with replicas: ⌈Σ of replicas from i on / replicas of i⌉', () => {
    for (const replicas of [
      [2, 1, 1],
      [3, 1],
      [2, 2],
      [4, 2],
      [1, 2, 1],
      [4, 1, 1],
    ]) {
      const { stages } = replicated(replicas, 'pipedream');
      for (const stage of stages) {
        const i = Number(/^s(\d+)/.exec(stage.name)?.[1]);
        const from = replicas.slice(i).reduce((sum, replica) => sum + replica, 0);
        expect(stage.versions, `${replicas.join()} ${stage.name}`).toBe(Math.ceil(from / replicas[i]));
      }
    }
  });

  test.each(['gpipe', '1f1b', 'zb_h1', 'zb_h2', 'eager_1f1b'])('%s: one', (schedule) => {
    const { report } = run({
      layers: [measured],
      devices: 4,
      pipeline: { microbatches: 8, stages: 'balance(4)', schedule },
    });
    for (const [i, { versions }] of report.stages.entries()) {
      expect(versions).toBe(1);
      expect(report.devices[i].memory.versions).toBe(0);
    }
  });

  test('PipeDream-2BW: two, whatever the depth', () => {
    for (const p of [2, 3, 4, 6]) {
      const { report } = run({
        layers: [measured],
        devices: p,
        pipeline: { microbatches: p, stages: `balance(${p})`, schedule: 'pipedream_2bw' },
      });
      for (const { memory } of report.devices) expect(memory.versions).toBe((12 / p) * 24 * MiB);
      for (const { versions } of report.stages) expect(versions).toBe(2);
    }
  });
});

describe('room for messages', () => {
  test('one each way of s·b·h·2 / (t with sequence parallelism) / c; four for a device with chunks, however many', () => {
    fc.assert(
      fc.property(
        fc.record({
          s: fc.constantFrom(8, 32),
          b: fc.constantFrom(1, 3),
          t: fc.constantFrom(1, 2),
          sp: fc.boolean(),
          c: fc.constantFrom(1, 2),
          p: fc.integer({ min: 2, max: 4 }),
          v: fc.integer({ min: 1, max: 3 }),
        }),
        ({ s, b, t, sp, c, p, v }) => {
          const { report } = run({
            model: { sequence: s, micro_batch: b },
            layers: [layer(`block[${p * v}]`, 'transformer', { hidden: 32, heads: 4 })],
            devices: p * t * c,
            pipeline: {
              ...{ microbatches: 2 * p, stages: `balance(${p * v})`, tensor: t, context: c },
              schedule: v === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${v})`,
              ...(sp && t > 1 ? { sequence_parallel: true } : {}),
            },
          });
          const message = (s * b * 32 * 2) / (sp ? t : 1) / c;
          for (const [i, { memory }] of report.devices.entries()) {
            // The first stage of all receives no activations, the last no gradients.
            const received = v === 1 ? 2 - (i === 0 ? 1 : 0) - (i === p - 1 ? 1 : 0) : 4;
            expect(memory.buffers).toBe(received * message);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  /** Transformer layers of the width h, one for each stage, and the bytes of a message. */
  const [h, message] = [32, 8 * 32 * 2];
  const blocks = (count: number) => [layer(`block[${count}]`, 'transformer', { hidden: h, heads: 4 })];

  test('a group of g microbatches: g − p + 1 activations wait on the first device, as many gradients on the last', () => {
    for (const [p, g] of [
      [2, 2],
      [2, 5],
      [4, 6],
    ]) {
      const { report } = run({
        model: { sequence: 8, micro_batch: 1 },
        layers: blocks(3 * p),
        devices: p,
        pipeline: {
          microbatches: 2 * g,
          stages: `balance(${3 * p})`,
          schedule: `interleaved_1f1b(chunks = 3, group = ${g})`,
        },
      });
      for (const [i, { memory }] of report.devices.entries()) {
        const more = i === 0 || i === p - 1 ? g - p : 0;
        expect(memory.buffers, `${p} devices, groups of ${g}, device ${i}`).toBe((4 + more) * message);
      }
    }
  });

  test('unlike messages share the room of the largest', () => {
    const sizes = [3, 7, 5, 2, 4, 9];
    const { report } = run({
      layers: sizes.map(
        (size, i) => `l${i} { forward = 1ms  backward = 2ms  weights = 1MiB  activation = 1MiB  output = ${size}MiB }`,
      ),
      devices: 2,
      pipeline: {
        microbatches: 4,
        stages: 'split(1, 1, 1, 1, 1, 1)',
        schedule: 'interleaved_1f1b(chunks = 3)',
      },
    });
    // Stage i receives sizes[i − 1] and sends sizes[i]; device 0 has stages 0, 2, 4, device 1 the others.
    const MiB = 2 ** 20;
    expect(report.devices.map(({ memory }) => memory.buffers / MiB)).toEqual([
      2 * Math.max(sizes[1], sizes[3]) + 2 * Math.max(sizes[0], sizes[2], sizes[4]),
      2 * Math.max(sizes[0], sizes[2], sizes[4]) + 2 * Math.max(sizes[1], sizes[3]),
    ]);
  });

  test('`receive = all`, as PyTorch: each stage has buffers for all m microbatches, and keeps what it sends until the backward', () => {
    for (const [p, v, m] of [
      [2, 1, 6],
      [3, 2, 6],
    ]) {
      const held = (transfer: string) =>
        run({
          model: { sequence: 8, micro_batch: 1 },
          layers: blocks(p * v),
          devices: 2 * p,
          pipeline: {
            ...{ microbatches: m, data: 2, stages: `balance(${p * v})`, transfer },
            schedule: v === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${v})`,
          },
        });
      const [all, next] = [held('buffered(receive = all)'), held('buffered(receive = next)')];
      for (const [i, { memory }] of all.report.devices.entries()) {
        const received = 2 * v - (i === 0 ? 1 : 0) - (i === p - 1 ? 1 : 0);
        expect(memory.buffers, `${p} · ${v}, device ${i}`).toBe(received * m * message);
      }
      for (const [stage, { activation }] of all.plan.stages.entries()) {
        const last = stage === p * v - 1;
        expect(activation - next.plan.stages[stage].activation).toBe(last ? 0 : message);
      }
    }
  });
});

describe('a tied embedding on the first and the last stage', () => {
  test('both hold V·h/t, and reduce its gradient over the two: 2α + S/B each step', () => {
    fc.assert(
      fc.property(
        fc.record({
          p: fc.integer({ min: 2, max: 4 }),
          t: fc.constantFrom(1, 2, 4),
          rows: fc.integer({ min: 1, max: 400 }),
          d: fc.constantFrom(1, 2),
          tied: fc.boolean(),
        }),
        ({ p, t, rows, d, tied }) => {
          const [h, V] = [32, 4 * rows];
          const { report } = run({
            model: { sequence: 8 },
            layers: [
              layer('embed', 'embedding', { vocab: V, hidden: h }),
              layer(`block[${p}]`, 'transformer', { hidden: h, heads: 4 }),
              layer('head', 'lm_head', { vocab: V, hidden: h, tied }),
            ],
            cluster: `gpu[${p * t * d}] = gpu  link = 1GB/s + 5us`,
            stages: Array.from(
              { length: p },
              (_, i) => `${i === 0 ? 'embed, ' : ''}block[${i}]${i === p - 1 ? ', head' : ''}`,
            ),
            pipeline: { microbatches: 4, schedule: '1f1b', tensor: t, data: d, optimizer: 'megatron_bf16' },
          });
          const [alpha, B, table] = [5e-6, 1e9, (V * h) / t];
          const block = (12 * h ** 2 + 7 * h) / t + 6 * h;
          for (const [i, { sync, memory }] of report.devices.entries()) {
            const end = i === 0 || i === p - 1;
            const own = block + (end ? table : 0) + (i === p - 1 ? 2 * h : 0);
            expect(memory.weights).toSatisfy((found: number) => near(found, 2 * own));
            const ofData = d === 1 ? 0 : 2 * (d - 1) * alpha + ((2 * (d - 1)) / d) * ((4 * own) / B);
            const ofTable = tied && end ? 2 * alpha + (4 * table) / B : 0;
            expect(sync.time).toSatisfy((found: number) => near(found, ofData + ofTable));
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { dimensions, layer, near, run } from './run.ts';

/** Ranks of each of p stages of n layers, and m microbatches. */
const meshes = fc
  .record({
    t: fc.constantFrom(1, 2, 4),
    sp: fc.boolean(),
    c: fc.constantFrom(1, 2, 4),
    d: fc.constantFrom(1, 2, 3),
    p: fc.integer({ min: 1, max: 3 }),
    n: fc.integer({ min: 1, max: 3 }),
    m: fc.integer({ min: 1, max: 4 }),
    s: fc.constantFrom(16, 64),
    b: fc.constantFrom(1, 2),
  })
  .map(({ sp, t, ...one }) => ({ ...one, t, sp: sp && t > 1 }));

interface Mesh {
  readonly t: number;
  readonly sp: boolean;
  readonly c: number;
  readonly d: number;
  readonly p: number;
  readonly n: number;
  readonly m: number;
  readonly s: number;
  readonly b: number;
}

const reportOf = (
  { t, sp, c, d, p, n, m, s, b }: Mesh,
  args: Readonly<Record<string, number | boolean>>,
  keys: Readonly<Record<string, number | boolean | string>> = {},
) =>
  run({
    model: { sequence: s, micro_batch: b },
    layers: [layer(`block[${p * n}]`, 'transformer', args)],
    devices: t * c * d * p,
    pipeline: {
      ...{ microbatches: m, stages: `balance(${p})`, schedule: '1f1b', tensor: t, context: c, data: d },
      ...(sp ? { sequence_parallel: true } : {}),
      ...keys,
    },
  }).report;

describe('bytes that a device sends in one iteration', () => {
  test('tensor ranks: 4 all-reduces of s·b·h/c in 16 bits for each layer and microbatch; as many bytes with sequence parallelism', () => {
    // Inputs that are kept in parts are gathered once more for the weight gradient, beside the input gradient's product
    // (arXiv:2205.05198, section 4.2.2): these two gathers are not among the four and four.
    fc.assert(
      fc.property(dimensions, meshes, ({ h, a, kv, f }, mesh) => {
        const { t, c, n, m, s, b } = mesh;
        const { stages } = reportOf(mesh, { hidden: h, heads: a, kv_heads: kv, ffn: f });
        const closed = m * n * 4 * ((2 * (t - 1)) / t) * ((2 * s * b * h) / c);
        for (const { traffic } of stages)
          expect(traffic?.tensor?.bytes ?? 0).toSatisfy((found: number) => near(found, closed));
      }),
      { numRuns: 30 },
    );
  });

  test('full recomputation runs what the forward exchanges again: 6 for 4, 4 blocks for 3', () => {
    fc.assert(
      fc.property(dimensions, meshes, ({ h, a }, mesh) => {
        const { t, c, n, m, s, b } = mesh;
        const { stages } = reportOf(mesh, { hidden: h, heads: a }, { recompute: 'full' });
        const ofTensor = m * n * 6 * ((2 * (t - 1)) / t) * ((2 * s * b * h) / c);
        const ofContext = m * n * 4 * (c - 1) * ((4 * s * b * h) / c / t);
        for (const { traffic } of stages) {
          expect(traffic?.tensor?.bytes ?? 0).toSatisfy((found: number) => near(found, ofTensor));
          expect(traffic?.context?.bytes ?? 0).toSatisfy((found: number) => near(found, ofContext));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('context ranks: c − 1 blocks of 2·(s/c)·b·kv·hd in 16 bits for each layer in the forward, twice that in the backward', () => {
    fc.assert(
      fc.property(dimensions, meshes, ({ h, a, kv, hd }, mesh) => {
        const { t, c, n, m, s, b } = mesh;
        const { stages } = reportOf(mesh, { hidden: h, heads: a, kv_heads: kv });
        const block = (2 * 2 * (s / c) * b * kv * hd) / t;
        for (const { traffic } of stages)
          expect(traffic?.context?.bytes ?? 0).toSatisfy((found: number) => near(found, 3 * m * n * (c - 1) * block));
      }),
      { numRuns: 30 },
    );
  });

  test('expert ranks: 2 all-to-alls forward and 2 backward of k·s·b·h/(t·c) in 16 bits', () => {
    fc.assert(
      fc.property(
        dimensions,
        meshes.filter(({ t, sp }) => t === 1 || sp),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        ({ h, a }, mesh, k, whole) => {
          const { t, c, d, n, m, s, b } = mesh;
          const [e, etp] = [c * d, whole ? 1 : t];
          const args = { hidden: h, heads: a, experts: 24, experts_per_token: k, expert_ffn: 8 };
          const { stages } = reportOf(mesh, args, { expert: e, expert_tensor: etp });
          const closed = m * n * 4 * ((e - 1) / e) * ((2 * k * s * b * h) / (t * c));
          for (const { traffic } of stages)
            expect(traffic?.expert?.bytes ?? 0).toSatisfy((found: number) => near(found, closed));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('stages: s·b·h in 16 bits over c (and t with sequence parallelism) for each boundary and microbatch, each way', () => {
    fc.assert(
      fc.property(dimensions, meshes, ({ h, a }, mesh) => {
        const { t, sp, c, p, m, s, b } = mesh;
        const { links } = reportOf(mesh, { hidden: h, heads: a });
        expect(links).toHaveLength(2 * (p - 1));
        for (const { bytes } of links)
          expect(bytes).toSatisfy((found: number) => near(found, (m * s * b * h * 2) / (sp ? t : 1) / c));
      }),
      { numRuns: 30 },
    );
  });

  test('interleaved stages send v times as much, and once less over the way from the last device to the first', () => {
    fc.assert(
      fc.property(meshes, fc.integer({ min: 2, max: 3 }), (made, v) => {
        const p = Math.max(2, made.p);
        const mesh = { ...made, p, m: 2 * p, n: v, d: 1, c: 1, t: 1, sp: false };
        const schedule = { stages: `balance(${p * v})`, schedule: `interleaved_1f1b(chunks = ${v})` };
        const { links } = reportOf(mesh, { hidden: 32, heads: 4 }, schedule);
        const message = mesh.m * mesh.s * mesh.b * 32 * 2;
        const sum = links.reduce((all, { bytes }) => all + bytes, 0);
        expect(sum).toBe(2 * (p * v - 1) * message);
        const between = (from: number, to: number) =>
          links.find((link) => link.from === `gpu[${from}]` && link.to === `gpu[${to}]`)?.bytes;
        // Over two devices the way on and the way around are one.
        if (p > 2)
          for (let i = 0; i < p; i += 1) {
            const crossings = i === p - 1 ? v - 1 : v;
            expect(between(i, (i + 1) % p)).toBe(crossings * message);
            expect(between((i + 1) % p, i)).toBe(crossings * message);
          }
      }),
      { numRuns: 20 },
    );
  });
});

describe('gradients and weights of Ψ′ parameters over n = d·c ranks: bytes of a device in one iteration', () => {
  const rows: readonly (readonly [string, string, (m: number) => number, (m: number) => number])[] = [
    // An all-reduce is a scatter and a gather: 2Ψ′ elements. Beside it, what each microbatch moves.
    ['all-reduce of fp32 gradients', 'none', () => 2 * 4, () => 0],
    ['fp32 gradients scattered, bf16 weights gathered', 'zero1', () => 4 + 2, () => 0],
    ['the same by Megatron-LM’s name', 'distributed', () => 4 + 2, () => 0],
    ['gradients scattered after each backward, weights gathered once', 'zero2', () => 2, (m) => 4 * m],
    ['3Ψ′ a microbatch: weights gathered twice, gradients scattered', 'zero3', () => 0, (m) => (2 + 2 + 4) * m],
    ['kept gathered: once an iteration', 'zero3, reshard = false', () => 4 + 2, () => 0],
  ];
  test.each(rows)('%s', (_name, shard, atEnd, each) => {
    fc.assert(
      fc.property(dimensions, meshes, ({ h, a }, mesh) => {
        const { t, c, d, n, m } = mesh;
        const { devices, stages } = reportOf(
          mesh,
          { hidden: h, heads: a },
          { optimizer: `megatron_bf16(shard = ${shard})` },
        );
        const share = (d * c - 1) / (d * c);
        const parameters = n * ((12 * h ** 2 + 7 * h) / t + 6 * h);
        for (const [i, { sync }] of devices.entries()) {
          expect(sync.bytes).toSatisfy((found: number) => near(found, atEnd(m) * share * parameters));
          expect(stages[i].traffic?.weights?.bytes ?? 0).toSatisfy((found: number) =>
            near(found, each(m) * share * parameters),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  test('in shard groups of g: over g ranks as above, and an all-reduce of each part over n/g groups once an iteration', () => {
    for (const [d, g] of [
      [4, 2],
      [6, 3],
      [8, 4],
      [8, 2],
    ])
      for (const m of [1, 3]) {
        const mesh = { ...{ t: 1, sp: false, c: 1, p: 1, n: 2, s: 16, b: 1 }, d, m };
        const [h, a] = [32, 4];
        const parameters = 2 * (12 * h ** 2 + 13 * h);
        const among = ((2 * (d / g - 1)) / (d / g)) * ((4 * parameters) / g);
        const within = ((g - 1) / g) * parameters;
        const ofShard = (shard: string) => {
          const keys = { optimizer: `megatron_bf16(shard = ${shard}, over = ${g})` };
          const { devices, stages } = reportOf(mesh, { hidden: h, heads: a }, keys);
          return [devices[0].sync.bytes, stages[0].traffic?.weights?.bytes ?? 0];
        };
        for (const [shard, atEnd, each] of [
          ['zero1', 4 + 2, 0],
          ['zero2', 2, 4 * m],
          ['zero3', 0, 8 * m],
        ] as const) {
          const [ofSync, ofStage] = ofShard(shard);
          expect(ofSync).toBeCloseTo(atEnd * within + among, 3);
          expect(ofStage).toBeCloseTo(each * within, 3);
        }
      }
  });

  test('of experts only over the ranks that hold the same ones: t·c·d/(etp·e)', () => {
    fc.assert(
      fc.property(
        meshes.filter(({ t, sp }) => t === 1 || sp),
        fc.boolean(),
        fc.boolean(),
        (mesh, whole, all) => {
          const { t, c, d, n } = mesh;
          const [h, a, fe, E, etp] = [32, 4, 8, 12, whole ? 1 : t];
          const e = all ? (t * c * d) / etp : c * d;
          // Twelve experts do not spread over every number of ranks.
          if (E % e !== 0) return;
          const args = { hidden: h, heads: a, experts: E, experts_per_token: 2, expert_ffn: fe, bias: false };
          const keys = { optimizer: 'megatron_bf16', expert: e, expert_tensor: etp };
          const { devices } = reportOf(mesh, args, keys);
          const ring = (ranks: number) => (2 * (ranks - 1)) / ranks;
          const dense = (4 * h * h) / t + 4 * h + h * E;
          const experts = ((E / e) * 2 * h * fe) / etp;
          const closed = 4 * n * (ring(d * c) * dense + ring((t * c * d) / (etp * e)) * experts);
          for (const { sync } of devices) expect(sync.bytes).toSatisfy((found: number) => near(found, closed));
        },
      ),
      { numRuns: 30 },
    );
  });
});

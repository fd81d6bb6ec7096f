import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { cost } from '../settings.ts';
import { dimensions, layer, run } from './run.ts';

type Arguments = Readonly<Record<string, number | boolean | string>>;
const llama = { bias: false, norm: 'rmsnorm', gated: true } as const;

/** Parts of a layer as differences of layers: what a layer has more of is that part. */
const parametersOf = (args: Arguments): number => cost('transformer', args).parameters;

const experts = fc.record({
  E: fc.integer({ min: 1, max: 64 }),
  fe: fc.integer({ min: 1, max: 99 }),
  shared: fc.integer({ min: 0, max: 3 }),
});
const latent = fc.record({
  ql: fc.integer({ min: 1, max: 300 }),
  kl: fc.integer({ min: 1, max: 300 }),
  dn: fc.integer({ min: 1, max: 64 }),
  dr: fc.integer({ min: 1, max: 64 }),
  dv: fc.integer({ min: 1, max: 64 }),
});

/** Rows: name, closed form by dimensions, and the engine's figure for the same. */
const rows: readonly (readonly [string, (one: Dimensions) => number, (one: Dimensions) => number])[] = [
  ['GPT-2 layer: 12h² + 13h', ({ h }) => 12 * h ** 2 + 13 * h, ({ h, a }) => parametersOf({ hidden: h, heads: a })],
  [
    'GPT-2 layer part by part: qkv 3h² + 3h, proj h² + h, fc1 hf + f, fc2 fh + h, norms 4h',
    ({ h, f }) => 3 * h ** 2 + 3 * h + (h ** 2 + h) + (h * f + f) + (f * h + h) + 4 * h,
    ({ h, a, f }) => parametersOf({ hidden: h, heads: a, ffn: f }),
  ],
  [
    'Llama layer: h·nh·hd + 2·h·kv·hd + nh·hd·h + 3hf + 2h',
    ({ h, a, kv, hd, f }) => h * a * hd + 2 * h * kv * hd + a * hd * h + 3 * h * f + 2 * h,
    ({ h, a, kv, f }) => parametersOf({ hidden: h, heads: a, kv_heads: kv, ffn: f, ...llama }),
  ],
  [
    'Qwen2 biases: nh·hd + 2·kv·hd more',
    ({ a, kv, hd }) => a * hd + 2 * kv * hd,
    ({ h, a, kv }) =>
      parametersOf({ hidden: h, heads: a, kv_heads: kv, ...llama, qkv_bias: true }) -
      parametersOf({ hidden: h, heads: a, kv_heads: kv, ...llama }),
  ],
  [
    'Qwen3 norms of queries and keys: 2·hd more, with nh·hd ≠ h',
    ({ h, a, kv, hd }) => 2 * h * a * (hd + 3) + 2 * h * kv * (hd + 3) + 2 * (hd + 3) + 12 * h ** 2 + 2 * h,
    ({ h, a, kv, hd }) =>
      parametersOf({ hidden: h, heads: a, kv_heads: kv, head_dim: hd + 3, ...llama, qk_norm: true }),
  ],
  [
    'SwiGLU MLP 3hf against GELU MLP 2hf: hf more',
    ({ h, f }) => h * f,
    ({ h, a, f }) =>
      parametersOf({ hidden: h, heads: a, ffn: f, ...llama }) -
      parametersOf({ hidden: h, heads: a, ffn: f, ...llama, gated: false }),
  ],
  [
    'GELU MLP with biases: f + h more, beside qkv 3h and proj h',
    ({ h, f }) => f + h + 4 * h,
    ({ h, a, f }) =>
      parametersOf({ hidden: h, heads: a, ffn: f }) - parametersOf({ hidden: h, heads: a, ffn: f, bias: false }),
  ],
  [
    'RMSNorm h each, LayerNorm 2h: two of a layer',
    ({ h }) => 2 * h,
    ({ h, a }) => parametersOf({ hidden: h, heads: a }) - parametersOf({ hidden: h, heads: a, norm: 'rmsnorm' }),
  ],
];
interface Dimensions {
  readonly h: number;
  readonly a: number;
  readonly kv: number;
  readonly hd: number;
  readonly f: number;
}

describe('parameters of a layer', () => {
  test.each(rows)('%s', (_name, closed, engine) => {
    fc.assert(
      fc.property(dimensions, (one) => {
        expect(engine(one)).toBe(closed(one));
      }),
    );
  });

  test('mixture of experts: router hE (+ E with a correction) + E·3·h·fe + shared·3·h·fe in place of 3hf', () => {
    fc.assert(
      fc.property(dimensions, experts, fc.boolean(), ({ h, a, kv, f }, { E, fe, shared }, correction) => {
        const base = { hidden: h, heads: a, kv_heads: kv, ffn: f, ...llama };
        const mixed = { ...base, experts: E, experts_per_token: 1, expert_ffn: fe, shared_experts: shared };
        const closed = h * E + (correction ? E : 0) + E * 3 * h * fe + shared * 3 * h * fe - 3 * h * f;
        expect(parametersOf({ ...mixed, router_bias: correction }) - parametersOf(base)).toBe(closed);
      }),
    );
  });

  test('latent attention: h·ql + ql + ql·nh·(dn + dr) + h·(kl + dr) + kl + kl·nh·(dn + dv) + nh·dv·h', () => {
    fc.assert(
      fc.property(dimensions, latent, ({ h, a, f }, { ql, kl, dn, dr, dv }) => {
        const args = { kv_lora_rank: kl, qk_nope_head_dim: dn, qk_rope_head_dim: dr, v_head_dim: dv };
        const one = { hidden: h, heads: a, ffn: f, ...llama, ...args };
        const shared = h * (kl + dr) + kl + kl * a * (dn + dv) + a * dv * h + 3 * h * f + 2 * h;
        expect(parametersOf({ ...one, q_lora_rank: ql })).toBe(h * ql + ql + ql * a * (dn + dr) + shared);
        expect(parametersOf(one)).toBe(h * a * (dn + dr) + shared);
      }),
    );
  });
});

describe('parameters of a pipeline are those of its stages', () => {
  const wholeOf = (layers: readonly string[], devices: number): number =>
    run({
      model: { sequence: 16 },
      layers,
      devices,
      pipeline: { microbatches: 1, stages: `balance(${devices})`, schedule: 'gpipe' },
    }).report.stages.reduce((sum, { parameters }) => sum + parameters, 0);

  test('GPT-2: V·h + n_positions·h + L(12h² + 13h) + 2h, the head tied', () => {
    fc.assert(
      fc.property(
        dimensions,
        fc.record({ V: fc.integer({ min: 1, max: 9999 }), n: fc.nat(99), L: fc.integer({ min: 2, max: 5 }) }),
        ({ h, a }, { V, n, L }) => {
          const layers = [
            layer('embed', 'embedding', { vocab: V, hidden: h, positions: n }),
            layer(`block[${L}]`, 'transformer', { hidden: h, heads: a }),
            layer('head', 'lm_head', { vocab: V, hidden: h, tied: true }),
          ];
          expect(wholeOf(layers, 2)).toBe(V * h + n * h + L * (12 * h ** 2 + 13 * h) + 2 * h);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('embedding V·h, head V·h unless tied, last norm h', () => {
    fc.assert(
      fc.property(dimensions, fc.integer({ min: 1, max: 9999 }), fc.boolean(), ({ h, a, f, kv }, V, tied) => {
        const layers = [
          layer('embed', 'embedding', { vocab: V, hidden: h }),
          layer('block[3]', 'transformer', { hidden: h, heads: a, kv_heads: kv, ffn: f, ...llama }),
          layer('head', 'lm_head', { vocab: V, hidden: h, tied, norm: 'rmsnorm' }),
        ];
        const block = (2 + (2 * kv) / a) * h ** 2 + 3 * h * f + 2 * h;
        expect(wholeOf(layers, 3)).toBeCloseTo(V * h * (tied ? 1 : 2) + h + 3 * block, 3);
      }),
      { numRuns: 20 },
    );
  });

  // Narayanan et al., arXiv:2104.04473, table 1: heads, hidden, layers, and pipeline stages of each run.
  test.each([
    [1.7, 24, 2304, 24, 1],
    [3.6, 32, 3072, 30, 1],
    [7.5, 32, 4096, 36, 1],
    [18.4, 48, 6144, 40, 1],
    [39.1, 64, 8192, 48, 2],
    [76.1, 80, 10240, 60, 4],
    [145.6, 96, 12288, 80, 8],
    [310.1, 128, 16384, 96, 16],
    [529.6, 128, 20480, 105, 35],
    [1008.0, 160, 25600, 128, 64],
  ])('%d B: P = 12lh²(1 + 13/(12h) + (V + s)/(12lh)) over the stages', (billions, a, h, l, p) => {
    const [V, s] = [51200, 2048];
    const found = wholeOf(
      [
        layer('embed', 'embedding', { vocab: V, hidden: h, positions: s }),
        layer(`block[${l}]`, 'transformer', { hidden: h, heads: a }),
        layer('head', 'lm_head', { vocab: V, hidden: h, tied: true, norm: 'none' }),
      ],
      p,
    );
    expect(found / (12 * l * h ** 2 * (1 + 13 / (12 * h) + (V + s) / (12 * l * h)))).toBeCloseTo(1, 12);
    expect((found / 1e9).toFixed(1)).toBe(billions.toFixed(1));
  });
});

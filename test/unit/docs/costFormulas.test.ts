/** Formulas of the pages of costs, read there and evaluated, against what the engine counts. */
import { describe, expect, test } from 'vitest';
import { parts } from '../../../engine/costs/layerPart.ts';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';
import type { LayerSetting, ShapeCost } from '../../../engine/costs/types.ts';
import { valueOf } from './formula.ts';
import { textOf } from './pages.ts';

const [s, b, c, t] = [64, 3, 2, 4];
const [h, a, k, d, f, w] = [40, 16, 8, 6, 120, 24];
const [q, latent, nope, rope, v] = [20, 10, 5, 3, 7];
const [E, chosen, capacity, e] = [16, 3, 1.5, 2];
const symbols = {
  ...{ s, b, t, h, a, k, d, f, w, V: 1000, E, e, j: chosen * capacity },
  ...{ N: (s * b) / c, u: t, d_q: q, d_c: latent, d_n: nope, d_r: rope, d_v: v, f_e: w },
};

const setting: LayerSetting = {
  ...{ sequence: s, microBatch: b, precision: 'bf16', tensor: t, sequenceParallel: true, context: c },
  ...{ expert: 1, expertTensor: t, recompute: 'none' },
};
const alone: LayerSetting = { ...setting, tensor: 1, expertTensor: 1, sequenceParallel: false, context: 1 };

const cost = (shape: string, args: ShapeArguments, at: LayerSetting = setting): ShapeCost => {
  const found = findShape(shape);
  if (found === undefined) throw new Error(shape);
  return found.cost(args, at);
};
const gpt: ShapeArguments = { hidden: h, heads: a, kv_heads: k, head_dim: d, ffn: f };
const bare: ShapeArguments = { ...gpt, bias: false };
const gated: ShapeArguments = { ...bare, gated: true };
const flash: ShapeArguments = { ...bare, flash: true, dropout: false };
const mla: ShapeArguments = {
  ...{ hidden: h, heads: a, ffn: f, bias: false, q_lora_rank: q, kv_lora_rank: latent },
  ...{ qk_nope_head_dim: nope, qk_rope_head_dim: rope, v_head_dim: v },
};
const experts: ShapeArguments = { ...bare, experts: E, experts_per_token: chosen, capacity, expert_ffn: w };
const words: ShapeArguments = { vocab: symbols.V, hidden: h };

const parameters = (args: ShapeArguments): number => cost('transformer', args, alone).parameters;
/** Bytes of a part for each token. */
const part = (name: keyof typeof parts, args: ShapeArguments): number =>
  (cost('transformer', args).activationParts?.[parts[name]] ?? 0) / symbols.N;
const core = (args: ShapeArguments): number => cost('transformer', args, alone).coreFlops / (s * b);
const sent = (over: 'tensor' | 'context' | 'expert', args: ShapeArguments, more: Partial<LayerSetting> = {}): number =>
  cost('transformer', args, { ...setting, ...more }).collectives.findLast((collective) => collective.over === over)
    ?.bytes ?? NaN;
const norms = (width: number): number => 2 * 2 * width;

/** A mixer with a state: `a` heads in `k` groups, blocks of `l` tokens. */
const [kernel, width, block] = [4, 5, 16];
type Mixer = 'mamba2' | 'delta_net' | 'kimi_delta' | 'lightning';
const mixed = (mixer: Mixer): ShapeArguments => ({
  ...{ hidden: h, heads: a, head_dim: d, ffn: f, bias: false, mixer, state: width, groups: k, kernel, block },
});
const mixedSymbols = { ...symbols, d_s: width, d_m: 2 * k * width + a * d, l: block, c, b };
/** Parameters of its products: all but the MLP, two norms and what the table has as others. */
const products = (mixer: Mixer, others: number): number => parameters(mixed(mixer)) - 2 * h * f - norms(h) - others;
const state = (mixer: Mixer): number => core(mixed(mixer));
const { d_m } = mixedSymbols;

type Row = readonly [formula: string, value: () => number];
const pages: Readonly<Record<string, readonly Row[]>> = {
  'parameters-and-flops': [
    [
      String.raw`h \cdot a \cdot d + 2 \cdot h \cdot k \cdot d + a \cdot d \cdot h`,
      () => parameters(bare) - 2 * h * f - norms(h),
    ],
    [
      String.raw`a \cdot d + 2 \cdot k \cdot d + h`,
      () => parameters({ ...gpt, qkv_bias: true }) - parameters({ ...bare }) - f - h,
    ],
    [String.raw`2 \cdot h \cdot f`, () => parameters(bare) - parameters({ ...bare, ffn: 2 * f }) + 4 * h * f],
    [String.raw`3 \cdot h \cdot f`, () => parameters({ ...gated, ffn: 2 * f }) - parameters(gated)],
    [
      String.raw`2 \cdot f + h`,
      () => parameters({ ...gated, bias: true, qkv_bias: false, out_bias: false }) - parameters(gated),
    ],
    [String.raw`2 \cdot d`, () => parameters({ ...bare, qk_norm: true }) - parameters(bare)],
    [
      String.raw`h \cdot d_q + d_q + d_q \cdot a \cdot (d_n + d_r) + h \cdot (d_c + d_r) + d_c + d_c \cdot a \cdot (d_n + d_v) + a \cdot d_v \cdot h`,
      () => parameters(mla) - 2 * h * f - norms(h),
    ],
    [String.raw`12 \cdot h^2 + 13 \cdot h`, () => parameters({ hidden: h, heads: 8 })],
    [String.raw`4 \cdot s \cdot a \cdot d`, () => core({ ...bare, causal: false })],
    [String.raw`2 \cdot s \cdot a \cdot d`, () => core(bare)],
    [String.raw`4 \cdot (w - w^2 / (2 \cdot s)) \cdot a \cdot d`, () => core({ ...bare, window: w })],
    [String.raw`2 \cdot s \cdot a \cdot (d_n + d_r + d_v)`, () => core({ ...mla, causal: false })],
    [
      String.raw`4 \cdot h^2 + 2 \cdot h \cdot V`,
      () =>
        (cost('mtp', { ...bare, ...words }, alone).linearFlops - cost('transformer', bare, alone).linearFlops) /
        (s * b),
    ],
    [String.raw`2 \cdot h \cdot V`, () => cost('lm_head', words, alone).linearFlops / (s * b)],
    [
      String.raw`h \cdot (d_m + a \cdot d + a)`,
      () => products('mamba2', (kernel + 1) * d_m + a * d + 3 * a) - a * d * h,
    ],
    [
      String.raw`h \cdot (d_m + a \cdot d + 2 \cdot a)`,
      () => products('delta_net', kernel * d_m + d + 2 * a) - a * d * h,
    ],
    [
      String.raw`2 \cdot h \cdot d + d \cdot (a \cdot d_s + a \cdot d)`,
      () => products('kimi_delta', kernel * d_m + d + a * width + a) - h * (d_m + a) - a * d * h,
    ],
    [String.raw`h \cdot (d_m + a \cdot d)`, () => products('lightning', a * d) - a * d * h],
    [String.raw`k \cdot l \cdot d_s + a \cdot (l \cdot d + 4 \cdot d_s \cdot d)`, () => state('mamba2')],
    [String.raw`a \cdot (l \cdot (3 \cdot d_s + 2 \cdot d) + l^2 / 3 + 6 \cdot d_s \cdot d)`, () => state('delta_net')],
  ],
  activations: [
    [String.raw`2 \cdot 2 \cdot h / u`, () => part('norms', gpt)],
    [String.raw`2 \cdot 2 \cdot h / u`, () => part('linearInputs', gpt)],
    [String.raw`2 \cdot (a + 2 \cdot k) \cdot d / t`, () => part('qkv', gpt)],
    [String.raw`2 \cdot a \cdot s / t`, () => part('scores', { ...gpt, dropout: false })],
    [String.raw`5 \cdot a \cdot s / t`, () => part('scores', gpt)],
    [String.raw`4 \cdot a / t`, () => part('sums', flash)],
    [String.raw`2 \cdot a \cdot d / t`, () => part('attended', gpt)],
    [String.raw`2 \cdot h / u`, () => part('masks', gpt)],
    [String.raw`4 \cdot f / t`, () => part('mlp', gpt)],
    [String.raw`6 \cdot f / t`, () => part('mlp', gated)],
    [String.raw`4 \cdot (d_q + d_c) / u`, () => part('compressed', mla)],
    [String.raw`2 \cdot a \cdot (2 \cdot (d_n + d_r) + d_v) / t`, () => part('qkv', mla)],
    [String.raw`2 \cdot a \cdot d_v / t`, () => part('attended', mla)],
    [String.raw`4 \cdot E / u`, () => part('routing', experts)],
    [String.raw`2 \cdot h \cdot j`, () => part('copies', experts)],
    [String.raw`N \cdot h / u`, () => cost('embedding', words).activation - 8 * symbols.N],
    [String.raw`2 \cdot N \cdot h / u`, () => cost('lm_head', words).activation / 2],
    [String.raw`2 \cdot N \cdot h / u`, () => cost('transformer', gpt, { ...setting, recompute: 'full' }).activation],
    [String.raw`6 \cdot N \cdot V / t`, () => cost('lm_head', words).workspace],
    [
      String.raw`2 \cdot N \cdot h`,
      () => cost('lm_head', { ...words, loss: 'chunked(8)' }).activation - cost('lm_head', words).activation,
    ],
    [
      String.raw`2 \cdot f / t`,
      () =>
        cost('transformer', { ...gated, swiglu: 'recompute', flash: true }, { ...setting, context: 1 }).workspace /
        s /
        b,
    ],
    [String.raw`2 \cdot a \cdot s / t`, () => cost('transformer', gpt, { ...setting, context: 1 }).workspace / s / b],
    // Beyond the input and the output of the activation.
    [String.raw`2 \cdot f_e / t`, () => part('experts', experts) / symbols.j - (4 * w) / t],
  ],
  time: [
    [String.raw`2 \cdot 2 \cdot N \cdot h`, () => cost('embedding', words).traffic],
    [
      String.raw`2 \cdot N \cdot V / t`,
      () => {
        const { traffic, localParameters, activation } = cost('lm_head', words);
        return traffic - 2 * localParameters - activation;
      },
    ],
    [
      String.raw`5 \cdot 2 \cdot N \cdot h / u + 2 \cdot 2 \cdot N \cdot h`,
      () => {
        const [whole, layer, head] = [
          cost('mtp', { ...gpt, ...words }),
          cost('transformer', gpt),
          cost('lm_head', words),
        ];
        return whole.traffic - layer.traffic - head.traffic - (2 * 2 * h * h) / t;
      },
    ],
  ],
  parallelism: [
    [String.raw`2 \cdot N \cdot h`, () => sent('tensor', bare)],
    [String.raw`4 \cdot N \cdot k \cdot d / t`, () => sent('context', bare)],
    [String.raw`2 \cdot N \cdot a \cdot (d_n + d_r + d_v) / t`, () => sent('context', mla)],
    [String.raw`2 \cdot j \cdot N \cdot h / t`, () => sent('expert', experts, { expert: e })],
    [String.raw`2 \cdot j \cdot N \cdot h / t`, () => sent('expert', experts, { expert: e * t, expertTensor: 1 })],
    [String.raw`2 \cdot j \cdot N \cdot h`, () => sent('tensor', experts, { expert: e })],
    [String.raw`4 \cdot c \cdot b \cdot a \cdot d_s \cdot d / t`, () => sent('context', mixed('mamba2'))],
  ],
};

describe.each(Object.entries(pages))('the page %s', (page, rows) => {
  const text = textOf(`docs/costs/${page}.md`).replaceAll(/\s+/g, ' ');
  const formulas = rows.map(([formula, value]) => ({ formula, value }));
  test.each(formulas)('$formula', ({ formula, value }) => {
    expect(text).toContain(`$${formula}$`);
    expect(valueOf(formula, mixedSymbols) / value()).toBeCloseTo(1, 12);
  });
});

test('formulas are read as they are written', () => {
  expect(valueOf(String.raw`4 \cdot (w - w^2 / (2 \cdot s)) \cdot a / t`, { w: 4, s: 8, a: 3, t: 2 })).toBe(18);
  expect(valueOf(String.raw`\frac{2 \cdot (n - 1)}{n} \cdot \text{data}`, { n: 4, data: 8 })).toBe(12);
  expect(valueOf(String.raw`\max(d_q, \min(\alpha, 3)) + 1`, { d_q: 2, [String.raw`\alpha`]: 5 })).toBe(4);
  expect(valueOf(String.raw`2 \cdot \lfloor \log_2 q \rfloor`, { q: 7 })).toBe(4);
  for (const wrong of ['', String.raw`2 \cdot`, '(a', 'a b', 'z', '2 % a', '2a'])
    expect(() => valueOf(wrong, { a: 1, b: 1 })).toThrow();
});

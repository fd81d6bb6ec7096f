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
  ...{ N: (s * b) / c, u: t, q_lora_rank: q, kv_lora_rank: latent },
};
/** On the pages of latent attention letters stand for its own widths. */
const ofLatent = { ...symbols, q, c: latent, n: nope, r: rope, v };

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

type Row = readonly [formula: string, value: () => number, symbols?: Readonly<Record<string, number>>];
const pages: Readonly<Record<string, readonly Row[]>> = {
  'parameters-and-flops': [
    ['h·a·d + 2·h·k·d + a·d·h', () => parameters(bare) - 2 * h * f - norms(h)],
    ['a·d + 2·k·d + h', () => parameters({ ...gpt, qkv_bias: true }) - parameters({ ...bare }) - f - h],
    ['2·h·f', () => parameters(bare) - parameters({ ...bare, ffn: 2 * f }) + 4 * h * f],
    ['3·h·f', () => parameters({ ...gated, ffn: 2 * f }) - parameters(gated)],
    ['2·f + h', () => parameters({ ...gated, bias: true, qkv_bias: false, out_bias: false }) - parameters(gated)],
    ['2·d', () => parameters({ ...bare, qk_norm: true }) - parameters(bare)],
    [
      'h·q + q + q·a·(n + r) + h·(c + r) + c + c·a·(n + v) + a·v·h',
      () => parameters(mla) - 2 * h * f - norms(h),
      ofLatent,
    ],
    ['12·h² + 13·h', () => parameters({ hidden: h, heads: 8 })],
    ['4·s·a·d', () => core({ ...bare, causal: false })],
    ['2·s·a·d', () => core(bare)],
    ['4·(w − w² / 2s)·a·d', () => core({ ...bare, window: w })],
    ['2·s·a·(n + r + v)', () => core({ ...mla, causal: false }), ofLatent],
    [
      '4·h² + 2·h·V',
      () =>
        (cost('mtp', { ...bare, ...words }, alone).linearFlops - cost('transformer', bare, alone).linearFlops) /
        (s * b),
    ],
    ['2·h·V', () => cost('lm_head', words, alone).linearFlops / (s * b)],
  ],
  activations: [
    ['2 · 2·h / u', () => part('norms', gpt)],
    ['2 · 2·h / u', () => part('linearInputs', gpt)],
    ['2·(a + 2·k)·d / t', () => part('qkv', gpt)],
    ['2·a·s / t', () => part('scores', { ...gpt, dropout: false })],
    ['5·a·s / t', () => part('scores', gpt)],
    ['4·a / t', () => part('sums', flash)],
    ['2·a·d / t', () => part('attended', gpt)],
    ['2 · h / u', () => part('masks', gpt)],
    ['4·f / t', () => part('mlp', gpt)],
    ['6·f / t', () => part('mlp', gated)],
    ['4·(`q_lora_rank` + `kv_lora_rank`) / u', () => part('compressed', mla)],
    ['2·a·(2·(n + r) + v) / t', () => part('qkv', mla), ofLatent],
    ['2·a·v / t', () => part('attended', mla), ofLatent],
    ['4·E / u', () => part('routing', experts)],
    ['2·h·j', () => part('copies', experts)],
    ['N·h / u', () => cost('embedding', words).activation - 8 * symbols.N],
    ['2·N·h / u', () => cost('lm_head', words).activation / 2],
    ['2·N·h / u', () => cost('transformer', gpt, { ...setting, recompute: 'full' }).activation],
    ['6·N·V / t', () => cost('lm_head', words).workspace],
    ['2·N·h', () => cost('lm_head', { ...words, loss: 'chunked(8)' }).activation - cost('lm_head', words).activation],
    [
      '2·f / t',
      () =>
        cost('transformer', { ...gated, swiglu: 'recompute', flash: true }, { ...setting, context: 1 }).workspace /
        s /
        b,
    ],
    ['2·a·s / t', () => cost('transformer', gpt, { ...setting, context: 1 }).workspace / s / b],
    // Beyond the input and the output of the activation.
    ['2·`expert_ffn` / t', () => part('experts', experts) / symbols.j - (4 * w) / t, { ...symbols, expert_ffn: w }],
  ],
  time: [
    ['2 · 2·N·h', () => cost('embedding', words).traffic],
    [
      '2·N·V / t',
      () => {
        const { traffic, localParameters, activation } = cost('lm_head', words);
        return traffic - 2 * localParameters - activation;
      },
    ],
    [
      '5 · 2·N·h / u + 2 · 2·N·h',
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
    ['2·N·h', () => sent('tensor', bare)],
    ['4·N·k·d / t', () => sent('context', bare)],
    ['2·N·a·(n + r + v) / t', () => sent('context', mla), ofLatent],
    ['2·j·N·h / t', () => sent('expert', experts, { expert: e })],
    ['2·j·N·h / t', () => sent('expert', experts, { expert: e * t, expertTensor: 1 })],
    ['2·j·N·h', () => sent('tensor', experts, { expert: e })],
  ],
};

describe.each(Object.entries(pages))('the page %s', (page, rows) => {
  const text = textOf(`docs/costs/${page}.md`).replaceAll(/\s+/g, ' ');
  const formulas = rows.map(([formula, value, values = symbols]) => ({ formula, value, values }));
  test.each(formulas)('$formula', ({ formula, value, values }) => {
    expect(text).toContain(formula);
    expect(valueOf(formula, values) / value()).toBeCloseTo(1, 12);
  });
});

test('formulas are read as they are written', () => {
  expect(valueOf('4·(w − w² / 2s)·a / t', { w: 4, s: 8, a: 3, t: 2 })).toBe(18);
  expect(valueOf('2(n − 1) / n · `data`', { n: 4, data: 8 })).toBe(12);
  for (const wrong of ['', '2·', '(a', 'a b', 'z', '2 % a']) expect(() => valueOf(wrong, { a: 1, b: 1 })).toThrow();
});

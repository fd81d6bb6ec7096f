import { describe, expect, it } from 'vitest';
import type { ShapeArguments } from '../../../engine/costs/shapes.ts';
import { sumStage } from '../../../engine/costs/stage.ts';
import { costUnder, packedBytes } from '../../../engine/costs/training.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import { transformer } from '../../../engine/costs/transformer.ts';
import type { LayerSetting, RecomputeMode } from '../../../engine/costs/types.ts';
import { cost, device, setting, tensorRing } from './settings.ts';

type Layers = readonly (readonly [count: number, shape: string, args: ShapeArguments])[];
const parametersOf = (layers: Layers): number =>
  layers.reduce((sum, [count, shape, args]) => sum + count * cost(shape, args).parameters, 0);

const plain = { gated: true, bias: false, norm: 'rmsnorm' };
const clip = { hidden: 1024, heads: 16, causal: false };
const vision = { hidden: 1280, heads: 16, ffn: 5120, causal: false, qkv_bias: false, out_bias: false };
const llama = { hidden: 4096, heads: 32, ffn: 11008, ...plain };
const mllama = { hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, ...plain };
const t5 = { hidden: 1024, heads: 128, head_dim: 128, ffn: 65536, bias: false, norm: 'rmsnorm' };

/** CLIP ViT-L/14 at 336 × 336: 24 × 24 patches and a class token; norms before and behind the layers. */
const clipTower: Layers = [
  [1, 'patch_embedding', { patch: 14, hidden: 1024, bias: false, class_tokens: 1, positions: 577, norm: 'layernorm' }],
  [24, 'transformer', clip],
  [1, 'norm', { hidden: 1024 }],
];

/** Totals of the models as `transformers` 5.18 builds them from the published configurations. */
const towers: readonly (readonly [name: string, total: number, layers: Layers])[] = [
  ['CLIP ViT-L/14-336', 303_507_456, clipTower],
  [
    'SigLIP so400m/14-384 without its pooling head',
    428_225_600 - 15_238_352,
    [
      [1, 'patch_embedding', { patch: 14, hidden: 1152, positions: 729 }],
      [27, 'transformer', { hidden: 1152, heads: 16, ffn: 4304, causal: false }],
      [1, 'norm', { hidden: 1152 }],
    ],
  ],
  [
    'LLaVA 1.5 7B',
    7_063_427_072,
    [
      ...clipTower,
      [1, 'linear', { inputs: 1024, outputs: 4096 }],
      [1, 'linear', { inputs: 4096, outputs: 4096 }],
      [1, 'embedding', { vocab: 32064, hidden: 4096 }],
      [32, 'transformer', llama],
      [1, 'lm_head', { vocab: 32064, hidden: 4096, norm: 'rmsnorm' }],
    ],
  ],
  [
    'Qwen2-VL 7B',
    8_291_375_616,
    [
      [1, 'patch_embedding', { patch: 14, hidden: 1280, frames: 2, bias: false }],
      [32, 'transformer', { hidden: 1280, heads: 16, causal: false }],
      [1, 'norm', { hidden: 1280 }],
      [1, 'linear', { inputs: 5120, outputs: 5120 }],
      [1, 'linear', { inputs: 5120, outputs: 3584 }],
      [1, 'embedding', { vocab: 152064, hidden: 3584 }],
      [28, 'transformer', { hidden: 3584, heads: 28, kv_heads: 4, ffn: 18944, qkv_bias: true, ...plain }],
      [1, 'lm_head', { vocab: 152064, hidden: 3584, norm: 'rmsnorm' }],
    ],
  ],
  [
    'Llama 3.2 11B Vision',
    10_670_220_835,
    [
      // Positions of 1601 tokens, and of 9 arrangements of 4 tiles: of their tokens, and of a tile before and behind the layers.
      [
        1,
        'patch_embedding',
        {
          ...{ patch: 14, hidden: 1280, bias: false, class_tokens: 1, norm: 'layernorm', scales: 3 },
          positions: 1601 + 9 * 4 * 1601 + 2 * 9 * 4,
        },
      ],
      [32, 'transformer', vision],
      [1, 'norm', { hidden: 1280 }],
      [8, 'transformer', { ...vision, branch_scale: 'number' }],
      [1, 'linear', { inputs: 7680, outputs: 4096 }],
      [1, 'embedding', { vocab: 128264, hidden: 4096 }],
      [32, 'transformer', mllama],
      [8, 'transformer', { ...mllama, cross: 6404, self_attention: false, qk_norm: true, branch_scale: 'number' }],
      [1, 'lm_head', { vocab: 128256, hidden: 4096, norm: 'rmsnorm' }],
    ],
  ],
  [
    'T5 11B',
    11_307_321_344,
    [
      [1, 'embedding', { vocab: 32128, hidden: 1024 }],
      [1, 'transformer', { ...t5, causal: false, relative_positions: 32 }],
      [23, 'transformer', { ...t5, causal: false }],
      [1, 'norm', { hidden: 1024, norm: 'rmsnorm' }],
      [1, 'embedding', { vocab: 32128, hidden: 1024, tied: true }],
      [1, 'transformer', { ...t5, cross: 512, relative_positions: 32 }],
      [23, 'transformer', { ...t5, cross: 512 }],
      [1, 'lm_head', { vocab: 32128, hidden: 1024, norm: 'rmsnorm', tied: true }],
    ],
  ],
  [
    'InternViT 6B 448px V1.5',
    5_536_496_000,
    [
      [1, 'patch_embedding', { patch: 14, hidden: 3200, class_tokens: 1, positions: 1025 }],
      [
        45,
        'transformer',
        {
          ...{ hidden: 3200, heads: 25, ffn: 12800, causal: false, norm: 'rmsnorm', qkv_bias: false },
          ...{ qk_norm: true, qk_norm_whole: true, branch_scale: 'vector' },
        },
      ],
    ],
  ],
];

describe('parameters of models with several towers', () => {
  it.each(towers)('%s has %d', (_, total, layers) => expect(parametersOf(layers)).toBe(total));
});

/** A layer of s tokens that attends to r others, of another width: heads a of width d, k of them for keys and values. */
const w = { s: 96, r: 160, b: 2, h: 256, o: 192, a: 8, k: 4, d: 24, f: 512 };
const crossing: ShapeArguments = {
  ...{ hidden: w.h, heads: w.a, kv_heads: w.k, head_dim: w.d, ffn: w.f, bias: false, norm: 'rmsnorm' },
  ...{ cross: w.r, cross_hidden: w.o, flash: true, dropout: false },
};
const at = (over: Partial<LayerSetting> = {}) => ({ sequence: w.s, microBatch: w.b, ...over });
const both = (args: ShapeArguments = {}, over: Partial<LayerSetting> = {}) =>
  cost('transformer', { ...crossing, ...args }, at(over));
const only = (args: ShapeArguments = {}, over: Partial<LayerSetting> = {}) =>
  both({ self_attention: false, ...args }, over);
const { cross: _cross, cross_hidden: _width, ...withoutCross } = crossing;
const self = (over: Partial<LayerSetting> = {}) => cost('transformer', withoutCross, at(over));

describe('cross-attention (Vaswani et al., arXiv:1706.03762, section 3.2.3)', () => {
  const { s, r, b, h, o, a, k, d, f } = w;
  const weights = 2 * h * a * d + 2 * o * k * d;
  const [tokens, others] = [s * b, r * b];

  it('has queries of its tokens, keys and values of the others, and a norm', () => {
    expect(both().parameters - self().parameters).toBe(weights + h);
    expect(only().parameters).toBe(weights + 2 * h * f + 2 * h);
    expect(only({ bias: true }).parameters - only().parameters).toBe((a + 2 * k) * d + h + f + h);
    expect(only({ qkv_bias: true }).parameters - only().parameters).toBe((a + 2 * k) * d);
    expect(only({ qk_norm: true }).parameters - only().parameters).toBe(2 * d);
    expect(only({ qk_norm: true, qk_norm_whole: true }).parameters - only().parameters).toBe((a + k) * d);
  });

  it('multiplies keys and values for the other tokens, and each query with all keys', () => {
    const linear = 2 * tokens * 2 * h * a * d + 2 * others * 2 * o * k * d;
    expect(both().linearFlops - self().linearFlops).toBe(linear);
    // Never causal: 4·r·a·d for each of its tokens, whatever the layer's own attention is.
    expect(both().coreFlops - self().coreFlops).toBe(4 * r * a * d * tokens);
    expect(only().coreFlops).toBe(4 * r * a * d * tokens);
    expect(only({}, { documents: [32, 64] }).coreFlops).toBe(4 * r * a * d * tokens);
    expect(only({ causal: false }).coreFlops).toBe(4 * r * a * d * tokens);
    expect(both({ window: 16 }).coreFlops - cost('transformer', { ...withoutCross, window: 16 }, at()).coreFlops).toBe(
      4 * r * a * d * tokens,
    );
  });

  it('keeps the input of its norm and product, the other tokens, queries, keys, values and its result', () => {
    const kept = tokens * (2 * 2 * h + 2 * a * d + 2 * a * d + 4 * a) + others * (2 * o + 2 * 2 * k * d);
    expect(both().activation - self().activation).toBe(kept);
    expect(both().crossInput).toBe(2 * o * others);
    expect(both().activationParts?.['input of cross-attention']).toBe(2 * o * others);
    // Scores of r keys without FlashAttention: probabilities, mask and what it leaves; masks of the output too.
    const stored = both({ flash: false, dropout: true }).activation - self().activation;
    const own =
      cost('transformer', { ...withoutCross, flash: false, dropout: true }, at()).activation - self().activation;
    expect(stored - own).toBe(kept + tokens * (5 * a * r - 4 * a + h));
    const normed = only({ qk_norm: true }).activation - only().activation;
    expect(normed).toBe(2 * (tokens * a * d + others * k * d));
  });

  it('leaves W its inputs and the gradients of its outputs', () => {
    const left = tokens * (2 * h + 2 * a * d + 2 * a * d + 2 * h) + others * (2 * o + 2 * 2 * k * d);
    expect(both().activationForWeight - self().activationForWeight).toBe(left);
  });

  it('full recomputation keeps both inputs', () => {
    const full = both({}, { recompute: 'full' });
    expect(full.activation).toBe(2 * h * tokens + 2 * o * others);
    expect(full.crossInput).toBe(2 * o * others);
    expect(full.activation + full.recomputed).toBe(both().activation);
    expect(full.recomputeFlops).toBe(both().linearFlops + both().coreFlops);
    const split = { tensor: 2, sequenceParallel: true, recompute: 'full' } as const;
    expect(both({}, split).activation).toBe(full.activation / 2);
    const byOperation = both({}, { recompute: 'operations' });
    expect(byOperation.crossInput).toBe(2 * o * others);
    expect(byOperation.activationParts?.['input of cross-attention']).toBe(2 * o * others);
  });

  it('recomputes both cores as one module', () => {
    const stored = { flash: false };
    const module: RecomputeMode = 'modules(core_attention)';
    const [none, again] = [both(stored), both(stored, { recompute: module })];
    expect(none.activation - again.activation).toBe(2 * a * (s + r) * tokens);
    expect(again.recomputeFlops).toBe(none.coreFlops);
    // A ring of two passes half of the keys and values of each again.
    const rings = both(stored, { recompute: module, context: 2 }).repeats?.collectives.map(({ bytes }) => bytes);
    expect(rings).toEqual([s, r].map((keys) => (2 * 2 * k * d * keys * b) / 2));
  });

  it.each<RecomputeMode>(['none', 'full'])('stages hold the other tokens once under %s', (recompute) => {
    const here = setting(at({ recompute }));
    const layer = timeOf(both({}, { recompute }), here, device());
    const stage = sumStage([layer, layer, layer], recompute);
    expect(stage.activation).toBe(3 * layer.activation - 2 * 2 * o * others);
    expect(Object.values(stage.activationParts).reduce((sum, part) => sum + part, 0)).toBe(stage.activation);
  });

  it('copies in fp8 are each layer’s', () => {
    expect(both({}, { precision: 'fp8', stored: { recipe: 'current', input: 1 } }).crossInput).toBeUndefined();
    expect(
      both({}, { precision: 'fp8', stored: { recipe: 'current', input: 1 } }).activationParts?.[
        'input of cross-attention'
      ],
    ).toBe(o * others);
  });

  it('is split by heads over tensor ranks, which share the other tokens or add their gradients up', () => {
    const [one, two] = [only(), only({}, { tensor: 2 })];
    expect(two.parameters).toBe(one.parameters);
    expect(two.localParameters).toBe((weights + 2 * h * f) / 2 + 2 * h);
    expect(two.linearFlops).toBe(one.linearFlops / 2);
    expect(two.coreFlops).toBe(one.coreFlops / 2);
    const of = (over: Partial<LayerSetting>) =>
      both({}, over).collectives.slice(self(over).collectives.length / 2, -self(over).collectives.length / 2);
    const [input, other] = [2 * h * tokens, 2 * o * others];
    const each = { over: 'tensor' };
    expect(of({ tensor: 2 })).toEqual([
      { ...each, pattern: 'all_reduce', bytes: input, forward: 1, backward: 1 },
      { ...each, pattern: 'all_reduce', bytes: other, forward: 0, backward: 1 },
    ]);
    expect(of({ tensor: 2, sequenceParallel: true })).toEqual([
      { ...each, pattern: 'all_gather', bytes: input, forward: 1, backward: 1 },
      { ...each, pattern: 'reduce_scatter', bytes: input, forward: 1, backward: 1 },
      { ...each, pattern: 'all_gather', bytes: other, forward: 1, backward: 0 },
      { ...each, pattern: 'reduce_scatter', bytes: other, forward: 0, backward: 1 },
    ]);
    expect(both({}, { tensor: 2, sequenceParallel: true }).crossInput).toBe(other / 2);
  });

  describe('to tokens behind which nothing trains', () => {
    const frozen = { attendedFrozen: true } as const;
    // K = X·Wk and V = X·Wv. Wk and Wv have a gradient, Xᵀ·dK and Xᵀ·dV; dX = dK·Wkᵀ + dV·Wvᵀ is asked for by nobody.
    const keysAndValues = 2 * others * 2 * o * k * d;

    it('has W of keys and values, and no I', () => {
      const [trained, here] = [both(), both({}, frozen)].map((each) => timeOf(each, setting(at()), device()));
      const products = both().linearFlops;
      const core = both().coreFlops;
      expect([here.forward, here.backwardWeight]).toEqual([products + core, products]);
      expect(trained.backwardInput).toBe(products + 2 * core);
      expect(here.backwardInput).toBe(products + 2 * core - keysAndValues);
      expect(here.backwardFlops).toBe(2 * products + 2 * core - keysAndValues);
      expect(trained.backwardFlops).toBeUndefined();
      expect(self(frozen).linearFlops).toBe(self().linearFlops);
      expect(timeOf(self(frozen), setting(at()), device()).backwardInput).toBe(
        self().linearFlops + 2 * self().coreFlops,
      );
    });

    it.each([
      ['by kernel', { efficiencyBySize: [{ least: 0, share: 1 }] }],
      ['with a cache for tiles', { efficiencyBySize: [{ least: 0, share: 1 }], cache: 1e6 }],
    ])('has one product less in I, %s', (_, over) => {
      const on = device(over);
      const [trained, here] = [both(), both({}, frozen)].map((each) => timeOf(each, setting(at()), on));
      expect(trained.backwardInput - here.backwardInput).toBe(keysAndValues);
      expect([here.forward, here.backwardWeight]).toEqual([trained.forward, trained.backwardWeight]);
    });

    it('moves no more bytes for tiles of that product', () => {
      const on = device({ compute: 0, bandwidth: 1, cache: 1 });
      const [trained, here] = [both(), both({}, frozen)].map((each) => timeOf(each, setting(at()), on));
      expect(here.backwardInput).toBeLessThan(trained.backwardInput);
      expect(here.backwardWeight).toBe(trained.backwardWeight);
    });

    it('adds up no gradient over tensor ranks', () => {
      const patterns = (over: Partial<LayerSetting>) =>
        only({}, over)
          .collectives.filter(({ bytes }) => bytes === 2 * o * others)
          .map(({ pattern }) => pattern);
      expect(patterns({ tensor: 2, ...frozen })).toEqual([]);
      expect(patterns({ tensor: 2, sequenceParallel: true, ...frozen })).toEqual(['all_gather']);
    });
  });

  it('exchanges queries, results, and keys and values of the other tower by all-to-all', () => {
    const bytes = only({}, { context: 2, contextExchange: 'all_to_all' })
      .collectives.filter(({ over, pattern }) => over === 'context' && pattern === 'all_to_all')
      .map((collective) => collective.bytes);
    const [own, other] = [(2 * a * d * b * s) / 2, (2 * k * d * b * r) / 2];
    expect(bytes).toEqual([own, other, other, own]);
  });

  it('passes blocks of the other keys and values around a ring of context ranks', () => {
    const two = only({}, { context: 2 });
    expect(two.coreFlops).toBe(only().coreFlops / 2);
    expect(two.collectives).toEqual([
      { over: 'context', pattern: 'ring', bytes: (2 * 2 * k * d * others) / 2, forward: 1, backward: 2 },
    ]);
  });

  it('has the FLOPs of its kernels, with or without stored scores', () => {
    for (const flash of [true, false])
      for (const over of [{}, { tensor: 2 }, { context: 2 }]) {
        const found = both({ flash, qk_norm: true, dropout: !flash }, over);
        const flops = found.kernels().reduce((sum, kernel) => sum + kernel.count * kernel.flops, 0);
        expect(flops).toBeCloseTo(found.linearFlops + found.coreFlops, 3);
      }
  });

  it('moves queries, results and sums of its tokens, keys and values of the others', () => {
    const cores = (flash: boolean) =>
      only({ flash })
        .kernels()
        .filter(({ part }) => part === 'core')
        .map(({ bytes }) => bytes);
    const [queries, keys, scores] = [2 * a * d * tokens, 2 * k * d * others, 2 * a * r * tokens];
    expect(cores(true)).toEqual([2 * queries + 2 * keys + 4 * a * tokens]);
    expect(cores(false)).toEqual([queries + keys + scores, 2 * scores, scores + keys + queries]);
  });

  it('runs each fused core at the efficiency of its number of keys', () => {
    const shares = [
      { least: 0, share: 0.25 },
      { least: 100, share: 0.5 },
    ];
    // Heads as wide as those of the table; a causal token meets 48 of its 96, and all 160 of the others.
    const wide = { head_dim: 128, heads: 2, kv_heads: 2 };
    const speed = { compute: 1, forward: shares, backward: shares };
    const found = both(wide);
    const time = timeOf(found, setting(at()), device({ attention: speed }));
    const [ownCore, otherCore] = [2 * s * 2 * 128 * tokens, 4 * r * 2 * 128 * tokens];
    expect(found.coreFlops).toBe(ownCore + otherCore);
    expect(time.forward).toBeCloseTo(found.linearFlops + ownCore / 0.25 + otherCore / 0.5, 3);
  });

  it('has adapters on the products of both towers', () => {
    const lora = { rank: 4, dropout: false, packed: false };
    const adapted = costUnder(
      transformer,
      { ...crossing, self_attention: false },
      setting(at({ training: { trains: { ...lora, targets: ['q', 'k', 'v', 'o'] }, upstream: true } })),
    );
    const [ofQuery, ofOthers] = [4 * (h + a * d), 2 * 4 * (o + k * d)];
    expect(adapted.trainable).toBe(2 * ofQuery + ofOthers);
    expect(adapted.linearFlops - only().linearFlops).toBe(2 * (tokens * 2 * ofQuery + others * ofOthers));
    expect(adapted.activationParts?.['input of cross-attention']).toBe(2 * o * others);
    expect(adapted.activationParts?.['adapters']).toBe(2 * 4 * (2 * tokens + 2 * others));
    const packed = costUnder(
      transformer,
      { ...crossing, self_attention: false },
      setting(at({ training: { trains: { ...lora, packed: true }, upstream: true } })),
    );
    expect(packed.frozen?.packed).toBe(weights + 2 * h * f);
    expect(packed.unpacking).toBe((packedBytes + 2) * (weights + 2 * h * f));
  });

  it('refuses what does not go together', () => {
    const check = (args: ShapeArguments) => transformer.check?.({ hidden: 64, heads: 8, ...args });
    expect(check({ cross_hidden: 32 })).toBe('cross_hidden needs cross');
    expect(check({ self_attention: false })).toBe('self_attention needs cross');
    expect(check({ self_attention: true })).toBeUndefined();
    expect(check({ qk_norm_whole: true })).toBe('qk_norm_whole needs `qk_norm = true`');
    const latent = { kv_lora_rank: 16, qk_nope_head_dim: 8, qk_rope_head_dim: 8, v_head_dim: 8 };
    expect(check({ ...latent, cross: 12 })).toContain('cross');
  });
});

describe('branches with learned factors, and biases by relative position', () => {
  const scaled = (branch_scale: string, over: Partial<LayerSetting> = {}) => both({ branch_scale }, over);
  it('keep the output of each branch for the gradient of its factor', () => {
    expect(scaled('number').parameters - both().parameters).toBe(3);
    expect(scaled('vector').parameters - both().parameters).toBe(3 * w.h);
    const kept = 3 * 2 * w.h * w.s * w.b;
    for (const word of ['number', 'vector']) expect(scaled(word).activation - both().activation).toBe(kept);
    const split = { tensor: 2, sequenceParallel: true };
    expect(scaled('vector', split).activation - both({}, split).activation).toBe(kept / 2);
    const frozen: Partial<LayerSetting> = { training: { trains: 'nothing', upstream: true } };
    expect(scaled('vector', frozen).activation).toBe(both({}, frozen).activation);
  });
  it('are one number for each bucket and head, spread over all pairs of tokens', () => {
    const found = both({ relative_positions: 32 }, { tensor: 2 });
    const usual = both({}, { tensor: 2 });
    expect(found.parameters - usual.parameters).toBe(32 * w.a);
    expect(found.localParameters - usual.localParameters).toBe((32 * w.a) / 2);
    expect(found.workspace - usual.workspace).toBe((2 * w.a * w.s ** 2) / 2);
  });
});

describe('the first and last layers of a vision tower', () => {
  const args = { patch: 14, hidden: 64, class_tokens: 1, positions: 17, norm: 'layernorm' };
  const over = { sequence: 17, microBatch: 3 };
  const matrix = 3 * 14 ** 2 * 64;
  it('multiplies the pixels of each patch; a class token has none', () => {
    const found = cost('patch_embedding', args, over);
    expect(found.parameters).toBe(matrix + 64 + 64 + 17 * 64 + 2 * 64);
    expect(found.linearFlops).toBeCloseTo(2 * 16 * 3 * matrix, 6);
    expect(found.activation).toBeCloseTo(2 * 3 * (16 * 3 * 14 ** 2 + 17 * 64), 6);
    expect(found.activationForWeight).toBeCloseTo(2 * 3 * (16 * 3 * 14 ** 2 + 17 * 64), 6);
    expect(found.output).toBe(2 * 3 * 17 * 64);
    expect(cost('patch_embedding', { ...args, frames: 2 }, over).linearFlops).toBeCloseTo(2 * found.linearFlops, 6);
    expect(cost('patch_embedding', { ...args, channels: 1 }, over).linearFlops).toBeCloseTo(found.linearFlops / 3, 6);
  });
  it('is whole on every tensor rank, or split along the tokens', () => {
    const one = cost('patch_embedding', args, over);
    const whole = cost('patch_embedding', args, { ...over, tensor: 4 });
    expect(whole).toMatchObject({ localParameters: one.parameters, linearFlops: one.linearFlops, collectives: [] });
    expect(whole.spareFlops).toBeCloseTo((one.linearFlops * 3) / 4, 6);
    const split = cost('patch_embedding', args, { ...over, tensor: 4, sequenceParallel: true });
    expect(split.linearFlops).toBeCloseTo(one.linearFlops / 4, 6);
    expect([split.output, split.spareFlops]).toEqual([one.output / 4, undefined]);
  });
  it('a norm moves its tokens, and twice as many bytes in its backward', () => {
    const found = cost('norm', { hidden: 64 }, over);
    const bytes = 2 * 3 * 17 * 64;
    expect(found).toMatchObject({
      parameters: 128,
      linearFlops: 0,
      traffic: 2 * bytes,
      activation: bytes,
      output: bytes,
    });
    expect(cost('norm', { hidden: 64, norm: 'rmsnorm' }, over).parameters).toBe(64);
    const time = timeOf(found, setting(over), device({ bandwidth: 1, ...tensorRing(1) }));
    expect(time).toMatchObject({ forward: 2 * bytes, backwardInput: 4 * bytes, backwardWeight: 0 });
    expect(cost('norm', { hidden: 64 }, { ...over, tensor: 2, sequenceParallel: true }).output).toBe(bytes / 2);
  });
});

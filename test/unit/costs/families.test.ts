import { describe, expect, it } from 'vitest';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { cost, device, setting } from './settings.ts';

const sequence = 2048;
const llama = { hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, bias: false, norm: 'rmsnorm' };
const plain = { ...llama, flash: true, dropout: false };
const problem = (shape: string, args: ShapeArguments, tensor = 1) =>
  findShape(shape)?.check?.(args, setting({ tensor }));

describe('gated MLPs', () => {
  it.each([
    ['recompute', 27],
    ['fused', 34],
    ['eager', 41],
  ])('Llama-3-8B with swiglu = %s keeps %dsbh', (swiglu, coefficient) => {
    const { activation, workspace } = cost('transformer', { ...plain, swiglu });
    expect((activation / sequence - 4 * 32) / 4096).toBe(coefficient);
    // What the backward makes again is there while the layer runs.
    expect(workspace).toBe(swiglu === 'recompute' ? 2 * sequence * 14336 : 0);
  });
});

describe('attention', () => {
  it('a window counts each key within it, token by token', () => {
    const [s, window] = [512, 128];
    // A causal token i of s meets i + 1/2 keys on average over its tile, as s / 2 for all; beyond the window, as many as it has.
    let keys = 0;
    for (let token = 0; token < s; token += 1) keys += Math.min(token + 0.5, window);
    const expected = (2 * keys * 32 * 128 * 2) / s;
    expect(cost('transformer', { ...plain, window }, { sequence: s }).coreFlops / s).toBeCloseTo(expected, 6);
    expect(cost('transformer', { ...plain, window: 4096 }, { sequence: s }).coreFlops).toBe(
      cost('transformer', plain, { sequence: s }).coreFlops,
    );
  });
  it('a chunk counts the keys before a token inside it, token by token', () => {
    const chunk = 200;
    for (const s of [100, 400, 512]) {
      let keys = 0;
      for (let token = 0; token < s; token += 1) keys += (token % chunk) + 0.5;
      const one = cost('transformer', { ...plain, chunk }, { sequence: s });
      expect(one.coreFlops).toBeCloseTo(2 * keys * 32 * 128 * 2, 3);
      expect(one.fused?.keys).toBeCloseTo(keys / s, 9);
    }
    const whole = cost('transformer', plain, { sequence: 512 });
    expect(cost('transformer', { ...plain, chunk: 512 }, { sequence: 512 })).toEqual({
      ...whole,
      kernels: expect.anything(),
    });
    expect(problem('transformer', { ...plain, chunk, window: 4 })).toContain('not both');
    expect(problem('transformer', { ...plain, chunk, causal: false })).toBe('chunk needs `causal = true`');
  });
  it('a sink is a number for each head, split with the heads', () => {
    const [bare, sinks] = [plain, { ...plain, sinks: true }].map((args) => cost('transformer', args, { tensor: 4 }));
    expect([sinks.parameters - bare.parameters, sinks.localParameters - bare.localParameters]).toEqual([32, 8]);
    expect([sinks.coreFlops, sinks.activation]).toEqual([bare.coreFlops, bare.activation]);
    expect(problem('transformer', { ...latent, sinks: true })).toContain('sinks has no effect');
  });
  it('norms after attention and MLP keep what these return; norms of both sides twice as much', () => {
    const at = (norm_place: string, over: Partial<LayerSetting> = {}) =>
      cost('transformer', { ...plain, norm_place }, { ...over });
    const [before, after, both] = ['before', 'after', 'both'].map((place) => at(place));
    expect(before).toMatchObject({ activation: cost('transformer', plain).activation });
    expect([after.parameters, after.activation]).toEqual([before.parameters, before.activation]);
    expect(both.parameters - before.parameters).toBe(2 * 4096);
    expect(both.activation - before.activation).toBe(sequence * 2 * 2 * 4096);
    expect(both.kernels().length - after.kernels().length).toBe(2);
    // Sequence parallelism gives each rank its share of these tokens.
    const split = { tensor: 4, sequenceParallel: true };
    expect(at('both', split).activation - at('before', split).activation).toBe(sequence * 2 * 2 * 1024);
    // Only norms before a product are made again to save its input.
    const again = { recompute: 'modules(mlp)' } as const;
    const freed = ['before', 'after', 'both'].map((place) => at(place).activation - at(place, again).activation);
    expect(freed[0] - freed[1]).toBe(sequence * 2 * 4096);
    expect(freed[2]).toBe(freed[0]);
  });
  it('biases apart: attention of Llama with attention_bias, MLP without', () => {
    const of = (args: ShapeArguments) => cost('transformer', args).parameters - cost('transformer', plain).parameters;
    expect(of({ ...plain, qkv_bias: true })).toBe((32 + 16) * 128);
    expect(of({ ...plain, qkv_bias: true, out_bias: true })).toBe((32 + 16) * 128 + 4096);
    expect(of({ ...plain, bias: true, qkv_bias: false, out_bias: false })).toBe(2 * 14336 + 4096);
  });
  it('norms of query and key heads keep their input', () => {
    const kept = cost('transformer', { ...plain, qk_norm: true }).activation - cost('transformer', plain).activation;
    expect(kept).toBe(2 * sequence * (32 + 8) * 128);
  });
});

/** DeepSeek-V3 (arXiv:2412.19437, section 4.2). */
const latent = {
  ...{ hidden: 7168, heads: 128, kv_lora_rank: 512, q_lora_rank: 1536, ffn: 18432 },
  ...{ qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128 },
  ...{ gated: true, bias: false, norm: 'rmsnorm', flash: true, dropout: false },
};
const experts = { experts: 256, experts_per_token: 8, expert_ffn: 2048, shared_experts: 1, router_bias: true };

describe('latent attention', () => {
  it('has the products of its definition, and a core of two widths', () => {
    const weights =
      7168 * 1536 +
      1536 * 128 * 192 +
      7168 * (512 + 64) +
      512 * 128 * (128 + 128) +
      128 * 128 * 7168 +
      3 * 7168 * 18432;
    const one = cost('transformer', latent);
    expect(one.linearFlops).toBe(2 * sequence * weights);
    expect(one.parameters).toBe(weights + 1536 + 512 + 2 * 7168);
    expect(one.coreFlops).toBe(sequence * sequence * 128 * (192 + 128));
    expect(cost('transformer', { ...latent, causal: false }).coreFlops).toBe(2 * one.coreFlops);
  });
  it('is whole in its compression on every tensor rank, split in the rest', () => {
    const [one, eight] = [cost('transformer', latent), cost('transformer', latent, { tensor: 8 })];
    const compress = 7168 * (1536 + 512 + 64);
    const vectors = 1536 + 512 + 2 * 7168;
    expect(eight.localParameters).toBe((one.parameters - compress - vectors) / 8 + compress + vectors);
    expect(eight.linearFlops / (2 * sequence)).toBe((one.linearFlops / (2 * sequence) - compress) / 8 + compress);
    const parallel = cost('transformer', latent, { tensor: 8, sequenceParallel: true });
    expect(parallel.linearFlops).toBe(one.linearFlops / 8);
    expect(parallel.activation).toBe(one.activation / 8);
  });
  it('refuses what it lacks or excludes', () => {
    const { v_head_dim: _, ...lacking } = latent;
    expect(problem('transformer', lacking)).toContain('v_head_dim');
    expect(problem('transformer', { ...latent, kv_heads: 8 })).toContain('kv_heads');
    expect(problem('transformer', { ...plain, v_head_dim: 64 })).toContain('kv_lora_rank');
    expect(problem('transformer', latent, 3)).toContain('128 heads');
  });
});

describe('a mixture of experts', () => {
  const layer = { ...latent, ...experts };
  it('runs router, chosen and shared experts: 2hE + (k + shared)·6·h·f', () => {
    const attention = cost('transformer', latent).linearFlops / sequence - 6 * 7168 * 18432;
    const flops = cost('transformer', layer).linearFlops / sequence;
    expect(flops).toBe(attention + 2 * 7168 * 256 + 9 * 6 * 7168 * 2048);
  });
  it('keeps a copy of each token for each expert it goes to, and what the experts make of it', () => {
    const dense = cost('transformer', latent).activation / sequence - 3 * 2 * 18432;
    const kept = cost('transformer', layer).activation / sequence;
    expect(kept).toBe(dense + 4 * 256 + 2 * 8 * 7168 + 9 * 3 * 2 * 2048);
  });
  it('is a dense layer where one expert of the same width does all, router and copies aside', () => {
    const [one, dense] = [{ ...plain, experts: 1, experts_per_token: 1 }, plain].map((args) =>
      cost('transformer', args),
    );
    expect(one.parameters - dense.parameters).toBe(4096);
    expect(one.linearFlops - dense.linearFlops).toBe(2 * sequence * 4096);
    expect(one.activation - dense.activation).toBe(sequence * (4 + 2 * 4096));
  });
  it('splits the width of every expert over tensor ranks', () => {
    const [all, part] = [cost('transformer', layer), cost('transformer', layer, { tensor: 4 })];
    const ofExperts = 257 * 3 * 7168 * 2048;
    const other = (args: { localParameters: number }, share: number) => args.localParameters - ofExperts / share;
    expect(other(part, 4)).toBeLessThan(other(all, 1));
    expect(all.localParameters).toBe(all.parameters);
  });
  it('a gate of shared experts is one column, and keeps what it multiplies', () => {
    const [bare, gated] = [layer, { ...layer, shared_gate: true }].map((args) => cost('transformer', args));
    expect(gated.parameters - bare.parameters).toBe(7168);
    expect(gated.linearFlops - bare.linearFlops).toBe(2 * sequence * 7168);
    expect(gated.activation - bare.activation).toBe(2 * sequence * (7168 + 1));
    expect(problem('transformer', { ...layer, shared_experts: 0, shared_gate: true })).toContain('shared_experts');
  });
  it('refuses what does not fit', () => {
    expect(problem('transformer', { ...plain, experts: 4 })).toContain('experts_per_token');
    expect(problem('transformer', { ...plain, experts: 4, experts_per_token: 5 })).toContain('more than experts 4');
    expect(problem('transformer', { ...plain, expert_ffn: 4 })).toContain('needs experts');
  });
});

describe('multi-token prediction', () => {
  const args = { vocab: 129280, ...latent, ...experts };
  it('is a layer, 2h² and three norms; embedding and head belong to the model', () => {
    const layer = cost('transformer', { ...latent, ...experts });
    const depth = cost('mtp', args);
    expect(depth.parameters).toBe(layer.parameters + 2 * 7168 ** 2 + 3 * 7168);
    expect(depth.localParameters).toBe(depth.parameters + 129280 * 7168);
    // "One more layer + 2·2h·h + 2hV" a token.
    expect((depth.linearFlops - layer.linearFlops) / sequence).toBe(2 * 2 * 7168 ** 2 + 2 * 7168 * 129280);
  });
  it('recomputes its layer, not its logits', () => {
    const run = (recompute: 'none' | 'full') =>
      timeOf(cost('mtp', args, { recompute }), setting({ recompute }), device());
    expect(run('full').recompute).toBe(
      cost('transformer', { ...latent, ...experts }).linearFlops + cost('mtp', args).coreFlops,
    );
    expect(run('none').recompute).toBe(0);
  });
});

describe('convolutions', () => {
  // VGG-16 (arXiv:1409.1556, configuration D): channels in and out, and the size of the image.
  const layers = [
    ...[
      [3, 64, 224],
      [64, 64, 224],
      [64, 128, 112],
      [128, 128, 112],
      [128, 256, 56],
      [256, 256, 56],
      [256, 256, 56],
    ],
    ...[
      [256, 512, 28],
      [512, 512, 28],
      [512, 512, 28],
      [512, 512, 14],
      [512, 512, 14],
      [512, 512, 14],
    ],
  ].map(([inputs, outputs, height]) => cost('conv2d', { inputs, outputs, height }, { sequence: 1 }));
  const dense = [
    [25088, 4096],
    [4096, 4096],
    [4096, 1000],
  ].map(([inputs, outputs]) => cost('linear', { inputs, outputs }, { sequence: 1 }));
  it('VGG-16: 138,357,544 parameters, 15.47 billion multiply-adds', () => {
    const sum = (of: (one: (typeof layers)[number]) => number) =>
      [...layers, ...dense].reduce((all, shapeCost) => all + of(shapeCost), 0);
    expect(sum((shapeCost) => shapeCost.parameters)).toBe(138_357_544);
    expect(sum((shapeCost) => shapeCost.linearFlops) / 2 / 1e9).toBeCloseTo(15.47, 2);
  });
  it('strides, groups and paddings', () => {
    // The first layer of ResNet-50: 7 × 7 windows at stride 2 make 112 × 112 of 224 × 224; 118 M multiply-adds.
    const first = cost('conv2d', { inputs: 3, outputs: 64, height: 224, kernel: 7, stride: 2, bias: false });
    expect(first).toMatchObject({ parameters: 9408, linearFlops: 2 * 118_013_952, output: 2 * 112 * 112 * 64 });
    const depthwise = cost('conv2d', { inputs: 32, outputs: 32, height: 8, groups: 32, bias: false });
    expect(depthwise).toMatchObject({ parameters: 9 * 32, linearFlops: 2 * 9 * 32 * 64 });
    expect(problem('conv2d', { inputs: 3, outputs: 4, height: 4, groups: 2 })).toContain('groups 2');
    expect(problem('conv2d', { inputs: 3, outputs: 4, height: 2, kernel: 5, padding: 0 })).toContain('larger');
  });
});

describe('layers without weights, and by their amounts', () => {
  it('the two products of an attention are its core', () => {
    const [rows, columns] = [sequence, sequence];
    const scores = cost('matmul', { rows, inner: 128, columns, batch: 32 });
    const values = cost('matmul', { rows, inner: columns, columns: 128, batch: 32 });
    const core = cost('transformer', { ...plain, causal: false }).coreFlops;
    expect(scores.coreFlops + values.coreFlops).toBe(core);
    const time = timeOf(scores, setting(), device());
    expect(time).toMatchObject({ backwardInput: 2 * time.forward, backwardWeight: 0, weights: 0 });
    expect(problem('matmul', { rows: 1, inner: 1, columns: 1, batch: 3 }, 2)).toContain('2 tensor ranks');
  });
  it('a layer of its own amounts; without parameters its backward is input gradient', () => {
    const args = { flops: 300, traffic: 40, activation: 7, output: 5, workspace: 3 };
    const [bare, trained] = [args, { ...args, params: 10 }].map((one) =>
      timeOf(cost('custom', one), setting(), device({ compute: 100 })),
    );
    expect(bare).toMatchObject({
      forward: 3,
      backwardInput: 6,
      backwardWeight: 0,
      activation: 7,
      output: 5,
      workspace: 3,
    });
    expect(trained).toMatchObject({ forward: 3, backwardInput: 3, backwardWeight: 3, weights: 20, parameters: 10 });
    const moved = timeOf(cost('custom', { traffic: 40 }), setting(), device({ bandwidth: 20 }));
    expect(moved).toMatchObject({ forward: 2, backwardInput: 4, backwardWeight: 0 });
    expect(problem('custom', {})).toContain('no time');
  });
});

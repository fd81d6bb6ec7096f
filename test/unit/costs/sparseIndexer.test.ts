/** DeepSeek Sparse Attention: an indexer chooses the keys of latent attention. */
import { describe, expect, it } from 'vitest';
import { findShape } from '../../../engine/costs/shapes.ts';
import { withPrediction } from '../../../engine/formats/huggingFace/model.ts';
import { readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { setting } from './settings.ts';

/** DeepSeek-V3.2-Exp, `config.json`. */
const config = {
  ...{ model_type: 'deepseek_v32', num_hidden_layers: 61, hidden_size: 7168, num_attention_heads: 128 },
  ...{ num_key_value_heads: 128, intermediate_size: 18432, vocab_size: 129280, tie_word_embeddings: false },
  ...{ q_lora_rank: 1536, kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128 },
  ...{ n_routed_experts: 256, n_shared_experts: 1, num_experts_per_tok: 8, moe_intermediate_size: 2048 },
  ...{ first_k_dense_replace: 3, moe_layer_freq: 1, num_nextn_predict_layers: 1 },
  ...{ index_n_heads: 64, index_head_dim: 128, index_topk: 2048 },
};
const read = () => {
  const found = readConfiguration(JSON.stringify(config));
  if ('faults' in found) throw new Error(found.faults.map(({ message }) => message).join());
  return found;
};
const total = (layers: ReturnType<typeof withPrediction>): number =>
  layers.reduce(
    (sum, { shape, args, count = 1 }) => sum + count * (findShape(shape)?.cost(args, setting()).parameters ?? NaN),
    0,
  );

const [h, a, q, c, n, r, v, heads, d] = [256, 8, 96, 64, 32, 16, 32, 4, 24];
const base = {
  ...{ hidden: h, heads: a, q_lora_rank: q, kv_lora_rank: c, qk_nope_head_dim: n, qk_rope_head_dim: r, v_head_dim: v },
  ...{ bias: false, norm: 'rmsnorm', dropout: false, flash: true },
};
const [s, k] = [512, 64];
const sparse = { ...base, index_topk: k, index_heads: heads, index_head_dim: d };
const costOf = (args: object, more: Partial<LayerSetting> = {}) => {
  const shape = findShape('transformer');
  if (shape === undefined) throw new Error('no transformer');
  return shape.cost({ ...args }, setting({ sequence: s, microBatch: 1, ...more }));
};
/** Keys that a token meets on average: all before it, or those of a window. */
const [all, met] = [s / 2, k - k ** 2 / (2 * s)];
const products = 2 * (q * heads * d + h * (d + heads));
const scores = all * 2 * heads * d;
const target = met * 2 * a * (c + r);

describe('parameters', () => {
  it('are q·a·d + h·d + h·a and a norm more than those of latent attention', () => {
    expect(costOf(sparse).parameters - costOf(base).parameters).toBe(q * heads * d + h * d + h * heads + 2 * d);
  });

  it('are the stored weights of DeepSeek-V3.2, whose prediction has an embedding and a head again', () => {
    const again = 2 * 129280 * 7168;
    expect(total(withPrediction(read())) + again).toBe(685_355_329_792);
  });

  it('are what the checkpoint of DeepSeek-V3.2-Exp has more than DeepSeek-V3, with the scales of blocks of 128 × 128', () => {
    const each = 1536 * 64 * 128 + 7168 * 128 + 7168 * 64 + 2 * 128;
    const scales = (8192 / 128) * (1536 / 128) + 7168 / 128;
    expect(62 * (each + scales)).toBe(685_396_921_376 - 684_531_386_000);
  });
});

describe('FLOPs of a forward', () => {
  it('have the products of the indexer, its scores of all keys, and a core of the chosen keys on compressed vectors', () => {
    const [with_, without] = [costOf(sparse), costOf(base)];
    expect(with_.linearFlops - without.linearFlops).toBeCloseTo(s * (products + scores + target), 3);
    expect(with_.coreFlops).toBeCloseTo(s * met * (2 * a * (c + r + c) + 2 * heads * d), 3);
    expect(without.coreFlops).toBeCloseTo(s * all * 2 * a * (n + r + v), 3);
  });

  it('of a short sequence meet all keys', () => {
    const short = costOf(sparse, { sequence: 32 });
    expect(short.coreFlops).toBeCloseTo(32 * 16 * (2 * a * (c + r + c) + 2 * heads * d), 3);
  });

  it('are repeated on tensor ranks, but for heads of the layer', () => {
    const four = costOf(sparse, { tensor: 4 });
    const plain = costOf(base, { tensor: 4 });
    expect(four.linearFlops - plain.linearFlops).toBeCloseTo(s * (products + scores + target / 4), 3);
    expect((four.spareFlops ?? 0) - (plain.spareFlops ?? 0)).toBeCloseTo(s * (products + scores) * (3 / 4), 3);
  });

  it('have no input gradient, and scores no weight gradient either', () => {
    const cost = costOf(sparse);
    expect(cost.inputlessFlops).toBeCloseTo(s * (products + scores + target), 3);
    expect(cost.forwardOnlyFlops).toBeCloseTo(s * (scores + target), 3);
    const kernels = cost.kernels();
    const sum = (list: typeof kernels): number => list.reduce((all_, { flops, count }) => all_ + flops * count, 0);
    expect(sum(kernels)).toBeCloseTo(cost.linearFlops + cost.coreFlops, 0);
    expect(sum(kernels.filter(({ inputless }) => inputless === true))).toBeCloseTo(cost.inputlessFlops ?? NaN, 0);
    expect(sum(kernels.filter(({ frozen }) => frozen === true))).toBeCloseTo(cost.forwardOnlyFlops ?? NaN, 0);
  });
});

describe('what a forward keeps', () => {
  const parts = (args: object, more: Partial<LayerSetting> = {}) => costOf(args, more).activationParts ?? {};
  it('is queries of the indexer, its key before and behind the norm, weights, and numbers of keys in 4 bytes', () => {
    expect(parts(sparse)['indexer']).toBeCloseTo(s * (2 * (heads * d + 2 * d + heads) + 4 * k), 6);
  });
  it('is one key for all heads, queries before and behind their product, and results on compressed vectors', () => {
    expect(parts(sparse)['queries, keys, values']).toBeCloseTo(s * 2 * (a * (n + c + r) + c + r), 6);
    const more = (parts(sparse)['attention output'] ?? 0) - (parts(base)['attention output'] ?? 0);
    expect(more).toBeCloseTo(s * 2 * a * c, 6);
  });
  it('has gathered inputs under sequence parallelism', () => {
    const ranks = { tensor: 4, sequenceParallel: true };
    const more = (parts(sparse, ranks)['linear inputs'] ?? 0) - (parts(base, ranks)['linear inputs'] ?? 0);
    expect(more).toBeCloseTo(s * 2 * (h + q), 6);
  });
});

describe('exchanges', () => {
  const of = (more: Partial<LayerSetting>) =>
    costOf(sparse, more)
      .collectives.filter(({ over, pattern }) => over === 'context' || pattern === 'all_reduce')
      .map(({ over, pattern, bytes, forward, backward }) => [over, pattern, bytes, forward, backward]);
  it('gather the keys of the other context ranks, and add what tensor ranks give the chosen keys', () => {
    const tokens = s / 2;
    expect(of({ context: 2 })).toEqual([
      ['context', 'all_gather', tokens * 2 * 2 * (c + r), 1, 1],
      ['context', 'all_gather', tokens * 2 * 2 * d, 1, 1],
    ]);
    expect(of({ tensor: 4, sequenceParallel: true })).toEqual([['tensor', 'all_reduce', s * 4 * k, 1, 0]]);
  });
});

it('needs all of its widths, compressed queries and a fused kernel', () => {
  const check = (args: object) => findShape('transformer')?.check?.({ ...args });
  expect(check(sparse)).toBeUndefined();
  expect(check({ ...sparse, flash: false })).toContain('flash = true');
  const without = (name: string) => Object.fromEntries(Object.entries(sparse).filter(([key]) => key !== name));
  expect(check(without('index_heads'))).toBe('index_topk needs index_heads');
  expect(check(without('q_lora_rank'))).toBe('index_topk needs q_lora_rank');
  expect(check({ hidden: 64, heads: 4, index_topk: 8 })).toBe('index_topk needs kv_lora_rank');
  expect(check({ ...sparse, window: 4 })).toBe('window has no effect with index_topk');
});

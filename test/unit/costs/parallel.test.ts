import { describe, expect, it } from 'vitest';
import { sentBytes } from '../../../engine/costs/collectives.ts';
import { timeOf } from '../../../engine/costs/time.ts';
import type { GroupName, LayerSetting } from '../../../engine/costs/types.ts';
import { withShards } from '../../../engine/costs/shardTraffic.ts';
import { cost, device, setting } from './settings.ts';

const llama = {
  ...{ hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, gated: true, bias: false },
  ...{ norm: 'rmsnorm', flash: true, dropout: false },
};
const moe = { ...llama, experts: 64, experts_per_token: 6, expert_ffn: 1408, shared_experts: 2 };
const sequence = 8192;

/** Bytes that one rank sends in a forward and in a backward of one microbatch. */
function sent(group: GroupName, args: Parameters<typeof cost>[1], over: Partial<LayerSetting>) {
  const at = setting({ sequence, ...over });
  const all = cost('transformer', args, at).collectives.filter((collective) => collective.over === group);
  const sum = (pass: 'forward' | 'backward') =>
    all.reduce((total, collective) => total + collective[pass] * sentBytes(collective, at[group]), 0);
  return [sum('forward'), sum('backward')];
}

describe('traffic of a layer and microbatch on one rank', () => {
  const b = 2;
  const tensorBytes = 2 * b * sequence * 4096;

  it('tensor: 2 + 2 all-reduces of s·b·h, and the same bytes with sequence parallelism', () => {
    const reduce = ((2 * 7) / 8) * tensorBytes;
    for (const sequenceParallel of [false, true])
      expect(sent('tensor', llama, { tensor: 8, sequenceParallel, microBatch: b })).toEqual([2 * reduce, 2 * reduce]);
  });

  it('context: keys and values of s/c tokens, c − 1 times; twice that in the backward', () => {
    for (const [context, tensor] of [
      [4, 1],
      [8, 4],
      [2, 16],
    ]) {
      // A rank has at least one of the eight key and value heads.
      const heads = Math.max(1, 8 / tensor);
      const block = (2 * 2 * b * sequence * heads * 128) / context;
      const [forward, backward] = sent('context', llama, { context, tensor, microBatch: b });
      expect(forward).toBe((context - 1) * block);
      expect(backward).toBe(2 * forward);
    }
  });

  it('context by all-to-all: (c − 1) / c of queries, keys, values and results of s/c tokens, there and back', () => {
    for (const [context, tensor] of [
      [4, 1],
      [2, 4],
    ]) {
      const exchanged = sent('context', llama, { context, contextExchange: 'all_to_all', tensor, microBatch: b });
      // DeepSpeed Ulysses (arXiv:2309.14509, section 3.2): 3 · N · h + N · h elements of N / c tokens, fewer with grouped heads.
      const elements = ((b * sequence) / context) * (2 * 32 + 2 * 8) * (128 / tensor);
      const bytes = (2 * elements * (context - 1)) / context;
      expect(exchanged).toEqual([bytes, bytes]);
    }
    const { kv_heads: _heads, ...rest } = llama;
    const latent = {
      ...{ ...rest, hidden: 512, heads: 8, kv_lora_rank: 64 },
      ...{ qk_nope_head_dim: 32, qk_rope_head_dim: 16, v_head_dim: 24 },
    };
    const [forward] = sent('context', latent, { context: 4, contextExchange: 'all_to_all' });
    expect(forward).toBe((3 / 4) * 2 * (sequence / 4) * 8 * (2 * (32 + 16) + 2 * 24));
  });

  it('context, gathered: keys and values of the other ranks, and scatters of their gradients', () => {
    for (const [context, tensor] of [
      [4, 1],
      [2, 4],
    ]) {
      const over = { context, contextExchange: 'all_gather', tensor, microBatch: b } as const;
      // Keys and values of a rank, in 16 bits, from each of the others.
      const others = (context - 1) * 2 * 2 * ((b * sequence) / context) * (8 / tensor) * 128;
      // Transformer Engine gathers them again in the backward, autograd of PyTorch has kept them.
      expect(sent('context', llama, over)).toEqual([others, 2 * others]);
      expect(sent('context', llama, { ...over, wholeInputs: true })).toEqual([others, others]);
    }
  });

  it('expert: tokens to their experts and back, two all-to-alls each way', () => {
    for (const [expert, tensor, context] of [
      [8, 1, 1],
      [16, 4, 1],
      [4, 2, 4],
    ]) {
      const over = { expert, tensor, context, sequenceParallel: tensor > 1, microBatch: b };
      const bytes = (6 * tensorBytes) / (tensor * context);
      const each = 2 * bytes * ((expert - 1) / expert);
      expect(sent('expert', moe, over)).toEqual([each, each]);
      // Capacity pads what is sent.
      expect(sent('expert', { ...moe, capacity: 1.25 }, over)).toEqual([1.25 * each, 1.25 * each]);
    }
  });

  it('tensor ranks that split experts gather their tokens; those that do not, exchange nothing for them', () => {
    const over = { tensor: 4, sequenceParallel: true, expert: 8, microBatch: b };
    const part = 3 / 4;
    // Attention and the shared experts: a gather and a scatter of s·b·h each; the routed ones of six copies.
    const [whole] = sent('tensor', moe, over);
    expect(whole).toBeCloseTo(part * 2 * (2 * tensorBytes + 6 * tensorBytes), 3);
    const [apart] = sent('tensor', moe, { ...over, expertTensor: 1 });
    expect(apart).toBeCloseTo(part * 2 * (2 * tensorBytes), 3);
  });
});

describe('what ranks hold and compute', () => {
  it('context ranks divide FLOPs, activations, output and logits; weights stay', () => {
    for (const [shape, args] of [
      ['transformer', llama],
      ['embedding', { vocab: 128256, hidden: 4096 }],
      ['lm_head', { vocab: 128256, hidden: 4096 }],
      ['mtp', { ...llama, vocab: 128256 }],
    ] as const) {
      const [whole, part] = [1, 4].map((context) => cost(shape, args, { sequence, context }));
      for (const figure of ['linearFlops', 'coreFlops', 'activation', 'activationForWeight', 'output'] as const)
        expect(part[figure], `${shape} ${figure}`).toBeCloseTo(whole[figure] / 4, 3);
      expect(part.localParameters).toBe(whole.localParameters);
    }
    const [whole, part] = [1, 4].map((context) =>
      cost('lm_head', { vocab: 128256, hidden: 4096 }, { sequence, context }),
    );
    expect(part.workspace).toBe(whole.workspace / 4);
  });

  it('a ring of context ranks has room for two blocks of keys and values', () => {
    const part = cost('transformer', llama, { sequence, context: 4 });
    expect(part.workspace).toBe(2 * 2 * 2 * (sequence / 4) * 8 * 128);
  });

  it('an all-to-all of context ranks has room for what arrives, and its core meets all keys at once', () => {
    const args = { sequence, context: 4 };
    const [around, across] = ([undefined, 'all_to_all'] as const).map((way) =>
      cost('transformer', llama, { ...args, ...(way && { contextExchange: way }) }),
    );
    expect(across.workspace).toBe(2 * (sequence / 4) * (2 * 32 + 2 * 8) * 128);
    for (const figure of ['coreFlops', 'linearFlops', 'activation', 'output'] as const)
      expect(across[figure]).toBe(around[figure]);
    expect(across.fused?.keys).toBe(sequence / 2);
    expect(around.fused?.keys).toBe(sequence / 2 / 4);
    const core = (made: typeof across) => made.kernels().filter(({ part }) => part === 'core');
    expect(core(across).map(({ count, flops }) => count * flops)).toEqual(
      core(around).map(({ count, flops }) => count * flops),
    );
    expect(core(across)[0].count).toBe(1);
  });

  it('gathered keys and values stay where autograd keeps them, until the layer is recomputed', () => {
    const over = { sequence, context: 4, contextExchange: 'all_gather' } as const;
    const all = 2 * 2 * sequence * 8 * 128;
    const made = (more: Parameters<typeof cost>[2]) => cost('transformer', llama, { ...over, ...more });
    const [again, kept] = [made({}), made({ wholeInputs: true })];
    expect(again.activation).toBe(cost('transformer', llama, { sequence, context: 4 }).activation);
    expect(kept.activation - again.activation).toBe((3 / 4) * all);
    expect(kept.activationParts?.['gathered keys and values']).toBe((3 / 4) * all);
    // What arrives a second time, and the gradients of all keys and values.
    expect([again.workspace, kept.workspace]).toEqual([2 * all, all]);
    for (const recompute of ['full', 'operations'] as const) {
      const [without, whole] = [made({ recompute }), made({ recompute, wholeInputs: true })];
      expect(whole.activation).toBe(without.activation);
      expect(whole.recomputed - without.recomputed).toBe((3 / 4) * all);
      const repeated = (whole.repeats?.collectives ?? []).filter(({ over: group }) => group === 'context');
      if (recompute === 'operations')
        expect(repeated.map(({ pattern, bytes }) => [pattern, bytes])).toEqual([
          ['all_gather', all / 2],
          ['all_gather', all / 2],
        ]);
    }
    // One kernel meets the keys of whole sequences.
    expect(kept.fused?.keys).toBe(sequence / 2);
  });

  it('expert ranks divide experts and nothing else', () => {
    const expertWeights = 3 * 4096 * 1408;
    const [whole, part] = [1, 8].map((expert) => cost('transformer', moe, { sequence, expert }));
    expect(whole.expertParameters).toBe(64 * expertWeights);
    expect(part.expertParameters).toBe(8 * expertWeights);
    expect(whole.localParameters - part.localParameters).toBe(56 * expertWeights);
    expect(part.parameters).toBe(whole.parameters);
    // Tokens are spread evenly: as many leave as arrive.
    for (const figure of ['linearFlops', 'activation', 'output'] as const) expect(part[figure]).toBe(whole[figure]);
  });

  it('work on experts is the same whether tensor ranks split each or hold some of them', () => {
    const over = { sequence, tensor: 4, sequenceParallel: true, expert: 8 };
    const [split, apart] = [4, 1].map((expertTensor) => cost('transformer', moe, { ...over, expertTensor }));
    expect(apart.linearFlops).toBeCloseTo(split.linearFlops, 0);
    // Copies of tokens are gathered, or each rank's own.
    expect(split.activationParts?.['inputs of experts']).toBe(4 * (apart.activationParts?.['inputs of experts'] ?? 0));
    expect(apart.activationParts?.['experts']).toBeCloseTo(split.activationParts?.['experts'] ?? 0, 3);
  });
});

describe('exposed or hidden', () => {
  const ring = (bandwidth: number) => ({ bandwidth, latency: 0 });
  const rings = { tensor: ring(1e9), context: ring(1e9), expert: ring(1e9) };

  it('context traffic hides behind the core of all blocks but the last, and what is more is exposed', () => {
    const at = setting({ sequence, context: 4 });
    const made = cost('transformer', llama, at);
    const bytes = sent('context', llama, { context: 4 });
    const alone = device({ compute: 1e12 });
    const core = made.coreFlops / 1e12;
    for (const [rate, share] of [
      [1e9, 1],
      [1e12, 1],
      [1e9, 0],
      [4e9, 0.5],
      // Each block takes longer than the core of one: all of it waits but for three of the four cores.
      [bytes[0] / (2 * core), 1],
    ]) {
      const overlap = { tensor: 0, context: share, expert: 0 };
      const layer = timeOf(made, at, { ...alone, rings: { ...rings, context: ring(rate) }, overlap });
      const base = timeOf({ ...made, collectives: [] }, at, alone);
      const [there, back] = [bytes[0] / rate, bytes[1] / rate];
      expect(layer.forward - base.forward).toBeCloseTo(there - Math.min(share * there, (3 / 4) * core), 9);
      expect(layer.backwardInput - base.backwardInput).toBeCloseTo(
        back - Math.min(share * back, (3 / 4) * 2 * core),
        9,
      );
      expect(layer.backwardWeight).toBe(base.backwardWeight);
      const { bytes: all, time, exposed } = layer.traffic?.context ?? { bytes: 0, time: 0, exposed: 0 };
      expect(all).toBe(bytes[0] + bytes[1]);
      expect(time).toBeCloseTo(there + back, 9);
      expect(exposed).toBeCloseTo(layer.forward - base.forward + layer.backwardInput - base.backwardInput, 9);
    }
  });

  it('of gathered keys and values nothing hides: the core waits for both, and two gathers have their latencies', () => {
    const over = { context: 4, contextExchange: 'all_gather', wholeInputs: true } as const;
    const at = setting({ sequence, ...over });
    const made = cost('transformer', llama, at);
    const [bytes] = sent('context', llama, over);
    const late = { ...rings, context: { bandwidth: 1e9, latency: 1e-3 } };
    const alone = device({ compute: 1e12, rings: late, overlap: { tensor: 0, context: 1, expert: 0 } });
    const [layer, base] = [timeOf(made, at, alone), timeOf({ ...made, collectives: [] }, at, alone)];
    expect(layer.forward - base.forward).toBeCloseTo(bytes / 1e9 + 2 * 3 * 1e-3, 9);
    expect(layer.backwardInput - base.backwardInput).toBeCloseTo(bytes / 1e9 + 2 * 3 * 1e-3, 9);
    expect(layer.traffic?.context?.exposed).toBeCloseTo(layer.traffic?.context?.time ?? 0, 9);
  });

  it('of an all-to-all of context ranks nothing hides: the core waits for it, and it for the core', () => {
    const at = setting({ sequence, context: 4, contextExchange: 'all_to_all' });
    const made = cost('transformer', llama, at);
    const [bytes] = sent('context', llama, { context: 4, contextExchange: 'all_to_all' });
    const alone = device({ compute: 1e12, rings, overlap: { tensor: 0, context: 1, expert: 0 } });
    const [layer, base] = [timeOf(made, at, alone), timeOf({ ...made, collectives: [] }, at, alone)];
    expect(layer.forward - base.forward).toBeCloseTo(bytes / 1e9, 9);
    expect(layer.backwardInput - base.backwardInput).toBeCloseTo(bytes / 1e9, 9);
    expect(layer.traffic?.context?.exposed).toBeCloseTo((2 * bytes) / 1e9, 9);
  });

  it('never hides more than there is to compute, whatever the shares', () => {
    const at = setting({ sequence, tensor: 4, sequenceParallel: true, context: 2, expert: 8, expertTensor: 4 });
    const made = cost('transformer', moe, at);
    const slow = device({ compute: 1e15, rings, overlap: { tensor: 1, context: 1, expert: 1 } });
    const layer = timeOf(made, at, slow);
    const base = timeOf({ ...made, collectives: [] }, at, slow);
    const all = Object.values(layer.traffic ?? {}).reduce((sum, groupTraffic) => sum + groupTraffic.time, 0);
    expect(layer.forward + layer.backwardInput).toBeGreaterThanOrEqual(all);
    expect(layer.forward + layer.backwardInput).toBeLessThanOrEqual(all + base.forward + base.backwardInput);
  });
});

describe('weights and gradients in parts', () => {
  const layer = timeOf(cost('transformer', moe, { sequence }), setting({ sequence }), device({ compute: 1e15 }));
  const rule = {
    ...{ weights: true, gradients: true, weightBytes: 2, gradientBytes: 4 },
    dense: { ranks: 8, ring: { bandwidth: 1e9, latency: 1e-6 } },
    experts: { ranks: 2, ring: { bandwidth: 2e9, latency: 2e-6 } },
  };

  it('move 3 Ψ′ elements a microbatch: two gathers of weights, one scatter of gradients', () => {
    const made = withShards(layer, rule);
    const [own, experts] = [layer.localParameters - layer.expertParameters, layer.expertParameters];
    expect(made.traffic?.weights?.bytes).toBeCloseTo((2 * 2 + 4) * ((7 / 8) * own + experts / 2), 0);
    const gather = 7 * (1e-6 + (2 * own) / 8 / 1e9) + (2e-6 + experts / 2e9);
    expect(made.forward).toBeCloseTo(Math.max(layer.forward, gather), 12);
    const scatter = 7 * (1e-6 + (4 * own) / 8 / 1e9) + (2e-6 + (2 * experts) / 2e9);
    expect(made.backwardInput + made.backwardWeight).toBeCloseTo(
      Math.max(layer.backwardInput + layer.backwardWeight, gather + scatter),
      12,
    );
  });

  it('run during all passes of a backward, recomputation included', () => {
    // Passes of 3, 2 and 4 s, a gather of g and a scatter of s seconds.
    const passes = { ...layer, recompute: 3, backwardInput: 2, backwardWeight: 4, forward: 3, expertParameters: 0 };
    const moving = (gather: number, scatter: number) => {
      const [weightBytes, gradientBytes] = [gather, scatter].map((seconds) => (seconds * 2e9) / layer.localParameters);
      const ring = { bandwidth: 1e9, latency: 0 };
      const dense = { ranks: 2, ring };
      const made = withShards(passes, { ...rule, dense, experts: dense, weightBytes, gradientBytes });
      return [made.forward, made.backwardInput, made.backwardWeight].map((seconds) => Number(seconds.toFixed(9)));
    };
    expect(moving(3, 6)).toEqual([3, 2, 4]);
    expect(moving(4, 6)).toEqual([4, 2, 5]);
    expect(moving(8, 3)).toEqual([8, 4, 4]);
    expect(moving(8, 6)).toEqual([8, 5, 6]);
  });

  it('cost nothing that computing hides', () => {
    const fast = {
      ...rule,
      dense: { ranks: 8, ring: { bandwidth: 1e15, latency: 0 } },
      experts: { ranks: 1, ring: rule.dense.ring },
    };
    const made = withShards(layer, fast);
    expect([made.forward, made.backwardInput, made.backwardWeight]).toEqual([
      layer.forward,
      layer.backwardInput,
      layer.backwardWeight,
    ]);
    expect(made.traffic?.weights?.exposed).toBe(0);
  });
});

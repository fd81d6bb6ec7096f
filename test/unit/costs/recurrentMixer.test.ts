/** Mixers with a state in the place of attention: parameters, FLOPs and bytes by hand. */
import { describe, expect, it, test } from 'vitest';
import { findShape, type ShapeArguments } from '../../../engine/costs/shapes.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { cost, setting } from './settings.ts';

const sequence = 2048;
const of = (args: ShapeArguments, over: Partial<LayerSetting> = {}) => cost('transformer', args, over);
const problem = (args: ShapeArguments, tensor = 1) => findShape('transformer')?.check?.(args, setting({ tensor }));
const lean = { bias: false, norm: 'rmsnorm', flash: true, dropout: false };

/** Mamba-2 2.7B: 64 layers, d_model 2560, expand 2, heads of 64, state 128, one group (arXiv:2405.21060, section 9). */
const mamba = { hidden: 2560, heads: 80, head_dim: 64, state: 128, groups: 1, mixer: 'mamba2', mlp: false, ...lean };
/** Qwen3-Next 80B-A3B: 32 heads of values, 16 of keys, each 128 wide. */
const delta = { hidden: 2048, heads: 32, head_dim: 128, groups: 16, mixer: 'delta_net', mlp: false, ...lean };
/** Kimi Linear 48B-A3B (arXiv:2510.26692): 32 heads of 128. */
const kimi = { hidden: 2304, heads: 32, head_dim: 128, mixer: 'kimi_delta', mlp: false, ...lean };
/** MiniMax-01 (arXiv:2501.08313): 64 heads of 128. */
const lightning = { hidden: 6144, heads: 64, head_dim: 128, mixer: 'lightning', mlp: false, ...lean };

describe('parameters, tensor by tensor as the models of transformers have them', () => {
  it.each([
    // in_proj, conv1d and its bias, A_log, D, dt_bias, norm, out_proj; and the norm of the layer.
    ['Mamba-2', mamba, 10576 * 2560 + 5376 * 4 + 5376 + 3 * 80 + 5120 + 5120 * 2560 + 2560],
    // in_proj_qkvz, in_proj_ba, conv1d, A_log, dt_bias, norm, out_proj.
    ['gated delta net', delta, 12288 * 2048 + 64 * 2048 + 8192 * 4 + 2 * 32 + 128 + 4096 * 2048 + 2048],
    // q, k, v, conv1d, dt_bias, A_log, f_a, f_b, b, g_a, g_b, o_norm, o.
    [
      'Kimi delta attention',
      kimi,
      3 * 4096 * 2304 + 12288 * 4 + 4096 + 32 + 2 * (128 * 2304 + 4096 * 128) + 32 * 2304 + 128 + 4096 * 2304 + 2304,
    ],
    // qkv_proj, output_gate, norm, out_proj.
    ['lightning attention', lightning, 3 * 8192 * 6144 + 8192 * 6144 + 8192 + 8192 * 6144 + 6144],
  ])('%s', (_, args, parameters) => expect(of(args).parameters).toBe(parameters));

  it('Mamba-2 2.7B has 2,702,599,680', () => {
    const embedding = cost('embedding', { vocab: 50288, hidden: 2560 }).parameters;
    const head = cost('lm_head', { vocab: 50288, hidden: 2560, tied: true, norm: 'rmsnorm' }).parameters;
    expect(64 * of(mamba).parameters + embedding + head).toBe(2_702_599_680);
  });

  it('MLP and mixture come behind it as behind attention', () => {
    const { mlp: _, ...rest } = delta;
    const mixture = { gated: true, experts: 512, experts_per_token: 10, expert_ffn: 512 };
    const both = of({ ...rest, ...mixture });
    const alone = of({ hidden: 2048, heads: 32, mixer: 'none', ...mixture, ...lean });
    expect(both.parameters).toBe(of(delta).parameters + alone.parameters);
    expect(both.linearFlops).toBe(of(delta).linearFlops + alone.linearFlops);
    expect(both.activation).toBeCloseTo(of(delta).activation + alone.activation, 3);
  });
});

describe('FLOPs', () => {
  test('of products are 2 × their weights, and do not depend on the sequence', () => {
    const weights = 10576 * 2560 + 5376 * 4 + 5120 * 2560;
    for (const s of [1024, 65536]) expect(of(mamba, { sequence: s }).linearFlops / s).toBe(2 * weights);
    expect(of(delta).linearFlops / sequence).toBe(2 * ((12288 + 64) * 2048 + 8192 * 4 + 4096 * 2048));
  });

  test('of the state, block by block: products counted one by one', () => {
    // Of each pair of tokens of a block the earlier counts, half of the block on average.
    const blocks = (block: number, ofPair: number, ofToken: number) => {
      let flops = 0;
      for (let token = 0; token < sequence; token += 1) flops += 2 * ofPair * ((token % block) + 0.5) + 2 * ofToken;
      return flops;
    };
    const [n, p] = [128, 64];
    expect(of(mamba).coreFlops).toBeCloseTo(blocks(256, n + 80 * p, 80 * 2 * n * p), 0);
    const d = 128;
    const inverse = (32 * sequence * 64 ** 2) / 3;
    expect(of(delta).coreFlops).toBeCloseTo(blocks(64, 32 * 5 * d, 32 * 3 * d * d) + inverse, 0);
    expect(of({ ...delta, block: 32 }).coreFlops).toBeLessThan(of(delta).coreFlops);
    expect(of(lightning).coreFlops).toBeCloseTo(blocks(256, 64 * 2 * d, 64 * 2 * d * d), 0);
    // A sequence that is shorter than a block is one.
    expect(of(mamba, { sequence: 64 }).coreFlops).toBeCloseTo(64 * (64 * n + 80 * (64 * p + 4 * n * p)), 3);
  });

  test('grow with the sequence, where those of attention grow with its square', () => {
    const growth = (args: ShapeArguments) =>
      of(args, { sequence: 65536 }).coreFlops / of(args, { sequence: 4096 }).coreFlops;
    expect(growth(mamba)).toBe(16);
    expect(growth({ hidden: 2560, heads: 20, mlp: false, ...lean })).toBe(256);
  });
});

describe('bytes', () => {
  test('kept: inputs, all that the first product makes, the result and what the last product reads', () => {
    // Norm input and linear input, z x B C dt, result, and the gated result.
    expect(of(mamba).activation / sequence).toBe(2 * (2 * 2560 + 10576 + 2 * 5120));
    // And convolved queries, keys and values, and a triangle of 64 tokens for each head.
    expect(of(delta).activation / sequence).toBe(2 * (2 * 2048 + 12352 + 8192 + 64 * 32 + 2 * 4096));
    expect(of(lightning).activation / sequence).toBe(2 * (2 * 6144 + 4 * 8192 + 3 * 8192 + 2 * 8192));
  });

  test('states in fp32 are there while the layer runs, one for each block', () => {
    expect(of(mamba).workspace).toBe((sequence / 256) * 4 * 80 * 64 * 128);
    expect(of(delta).workspace).toBe((sequence / 64) * 4 * 32 * 128 * 128);
  });
});

describe('ranks', () => {
  test('tensor ranks split heads; a rank has a whole group, and the norm of a head', () => {
    const one = of(mamba);
    const eight = of(mamba, { tensor: 8 });
    // B and C of the only group are on each of eight ranks.
    const group = 2 * 128 * (2560 + 4 + 1);
    expect(eight.localParameters).toBe((one.parameters - 2560 - group) / 8 + group + 2560);
    expect(eight.coreFlops * 8).toBe(one.coreFlops + 7 * sequence * 256 * 128);
    const split = of(delta, { tensor: 16 });
    expect(split.localParameters).toBe((of(delta).parameters - 128 - 2048) / 16 + 128 + 2048);
    expect(of(kimi, { tensor: 8, sequenceParallel: true }).linearFlops * 8).toBe(of(kimi).linearFlops);
    expect(of(mamba, { tensor: 4 }).collectives).toMatchObject([{ over: 'tensor', pattern: 'all_reduce' }]);
  });

  test('context ranks gather the states of a sequence, or exchange heads for tokens', () => {
    const gathered = of(delta, { context: 4, microBatch: 3 }).collectives;
    expect(gathered).toEqual([
      { over: 'context', pattern: 'all_gather', bytes: 4 * 3 * 4 * 32 * 128 * 128, forward: 1, backward: 1 },
    ]);
    const exchanged = of(delta, { context: 4, contextExchange: 'all_to_all' }).collectives;
    expect(exchanged.map(({ pattern, bytes }) => [pattern, bytes])).toEqual([
      ['all_to_all', (2 * 12352 * sequence) / 4],
      ['all_to_all', (2 * 4096 * sequence) / 4],
    ]);
    expect(of(delta, { context: 4 }).coreFlops).toBe(of(delta).coreFlops / 4);
  });

  test('kernels have all FLOPs', () => {
    for (const args of [mamba, delta, kimi, lightning])
      for (const over of [{}, { tensor: 4 }, { tensor: 4, sequenceParallel: true }, { context: 2 }]) {
        const layer = of(args, over);
        const flops = layer.kernels().reduce((sum, kernel) => sum + kernel.count * kernel.flops, 0);
        expect(flops / (layer.linearFlops + layer.coreFlops)).toBeCloseTo(1, 9);
      }
  });
});

test('a gate of attention is a product as wide as the queries', () => {
  const plain = { hidden: 2048, heads: 16, kv_heads: 2, head_dim: 256, ffn: 512, ...lean };
  const [bare, gated] = [plain, { ...plain, output_gate: true }].map((args) => of(args));
  expect(gated.parameters - bare.parameters).toBe(2048 * 4096);
  expect(gated.linearFlops - bare.linearFlops).toBe(2 * sequence * 2048 * 4096);
  // The gate, and its product with the result.
  expect(gated.activation - bare.activation).toBe(2 * sequence * 2 * 4096);
});

describe('what cannot be', () => {
  it.each([
    [{ ...mamba, kv_heads: 2 }, 'kv_heads has no effect with mixer mamba2'],
    [{ ...mamba, groups: 3 }, 'heads 80 is not a multiple of groups 3'],
    [{ ...mamba, causal: false }, 'mixer mamba2 needs `causal = true`'],
    [{ ...mamba, ffn: 64 }, 'ffn has no effect with `mlp = false`'],
    [{ hidden: 64, heads: 4, state: 8 }, 'state needs a mixer with a state'],
    [{ hidden: 64, heads: 4, mixer: 'none', mlp: false }, 'a layer without a mixer needs its MLP'],
    [{ hidden: 64, heads: 4, mixer: 'none', window: 3 }, 'window has no effect with mixer none'],
    [{ hidden: 65, heads: 4, mixer: 'lightning' }, 'hidden 65 is not a multiple of heads 4; set head_dim'],
  ])('%j', (args, message) => expect(problem(args)).toBe(message));
  test('splits of heads and groups', () => {
    expect(problem(mamba, 3)).toBe('80 heads cannot be split over 3 tensor ranks');
    expect(problem({ ...delta, groups: 4 }, 32)).toBeUndefined();
  });
});

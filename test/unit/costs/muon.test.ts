/** Muon: its products of matrices and what ranks exchange for them. */
import { describe, expect, it } from 'vitest';
import { newtonSchulzKernels } from '../../../engine/costs/optimizer/newtonSchulz.ts';
import { findShape, shapes } from '../../../engine/costs/shapes.ts';
import type { ShapeArguments } from '../../../engine/costs/shapes.ts';
import { planOf } from '../../support/resolve.ts';
import { setting } from './settings.ts';

const flops = (rows: number, columns: number, steps = 5): number =>
  newtonSchulzKernels({ rows, columns, count: 1 }, steps).reduce((sum, kernel) => sum + kernel.count * kernel.flops, 0);

describe('Newton–Schulz steps of a matrix', () => {
  it('are 4·n²·m + 2·n³ FLOPs each, whichever side is longer', () => {
    // X·Xᵀ: 2 · 3 · 5 · 3. Its square: 2 · 3 · 3 · 3. Its product with X: 2 · 3 · 3 · 5.
    expect(flops(3, 5, 1)).toBe(90 + 54 + 90);
    expect(flops(5, 3, 1)).toBe(234);
    expect(flops(4096, 14336)).toBe(5 * (4 * 4096 ** 2 * 14336 + 2 * 4096 ** 3));
  });

  it('are under 0.7 % of a training step of Llama 3.1 405B, as Jordan says of it', () => {
    // 16 million tokens a batch, at most 6·n·m·hidden · 5 / 6 FLOPs: T·m / B = 5 · 16384 / 16e6 = 0.5 %.
    const [h, f, kv] = [16384, 53248, 1024];
    const layer = 2 * flops(h, h) + 2 * flops(h, kv) + 3 * flops(h, f);
    const weights = 2 * h * h + 2 * h * kv + 3 * h * f;
    expect(layer / (6 * weights * 16e6)).toBeLessThan(0.007);
    expect(layer / (6 * weights * 16e6)).toBeGreaterThan(0.002);
  });
});

describe('matrices of a layer', () => {
  const numbers = (args: ShapeArguments, shape = 'transformer'): number =>
    (findShape(shape)?.matrices?.(args) ?? []).reduce((sum, one) => sum + one.rows * one.columns * one.count, 0);
  const bare = { bias: false, norm: 'rmsnorm', gated: true, dropout: false } as const;
  const rest = (args: ShapeArguments, shape = 'transformer'): number =>
    (findShape(shape)?.cost(args, setting()).parameters ?? NaN) - numbers(args, shape);

  it('are queries, keys, values, projection, gate, up and down, each by itself', () => {
    const llama = { hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, ...bare };
    expect(findShape('transformer')?.matrices?.(llama)).toEqual([
      { rows: 4096, columns: 4096, count: 2 },
      { rows: 4096, columns: 1024, count: 2 },
      { rows: 4096, columns: 14336, count: 3 },
    ]);
  });

  it.each<readonly [string, ShapeArguments, number]>([
    ['Llama: two norms', { hidden: 512, heads: 8, kv_heads: 2, ffn: 1536, ...bare }, 2 * 512],
    ['GPT: biases and two norms', { hidden: 512, heads: 8 }, 13 * 512],
    ['an output gate', { hidden: 512, heads: 8, output_gate: true, ...bare }, 2 * 512],
    [
      'experts, with a bias of the router',
      { hidden: 64, heads: 4, experts: 8, experts_per_token: 2, shared_experts: 2, router_bias: true, ...bare },
      2 * 64 + 8,
    ],
    [
      'latent attention: two more norms',
      {
        ...{ hidden: 256, heads: 4, q_lora_rank: 96, kv_lora_rank: 64, qk_nope_head_dim: 32, qk_rope_head_dim: 16 },
        ...{ v_head_dim: 32, ...bare },
      },
      2 * 256 + 96 + 64,
    ],
    // Convolution of 4 tokens and its bias, three numbers of a head, the norm of all heads.
    [
      'Mamba-2',
      { hidden: 256, heads: 8, head_dim: 64, groups: 2, state: 32, mixer: 'mamba2', mlp: false, ...bare, gated: false },
      256 + 5 * (2 * 2 * 32 + 512) + 3 * 8 + 512,
    ],
    // Two numbers of a head, the decay of each element of a key, the norm of one head.
    [
      'Kimi delta attention',
      { hidden: 256, heads: 4, head_dim: 64, mixer: 'kimi_delta', mlp: false, ...bare, gated: false },
      256 + 4 * 3 * 256 + 4 + 256 + 64,
    ],
    ['cross-attention', { hidden: 128, heads: 4, cross: 64, cross_hidden: 96, ...bare }, 3 * 128],
  ])('%s: all parameters but vectors', (_, args, vectors) => {
    const { gated, ...others } = args;
    expect(rest(gated === true ? args : others)).toBe(vectors);
  });

  it('linear layers and predictions have some, embeddings, heads and convolutions none', () => {
    expect(rest({ inputs: 32, outputs: 64 }, 'linear')).toBe(64);
    const layer = { hidden: 64, heads: 4, ...bare };
    expect(numbers({ ...layer, vocab: 100 }, 'mtp')).toBe(numbers(layer) + 2 * 64 ** 2);
    expect(shapes.filter(({ matrices }) => matrices !== undefined).map(({ name }) => name)).toEqual([
      'transformer',
      'mtp',
      'linear',
    ]);
  });
});

describe('the step of an update with Muon', () => {
  const [hidden, compute, link] = [1024, 1e12, 1e9];
  /** Products at half of the peak, which moving bytes never exceeds here; the link has no latency. */
  const step = (
    optimizer: string,
    { mesh = 'data = 1', layer = 'transformer(hidden = 1024, heads = 16)', gpus = 4, precision = 'bf16' } = {},
  ) =>
    planOf(`
model m { sequence = 1024  micro_batch = 1  precision = ${precision}  layer block[2] = ${layer} }
device g { memory = 80GiB  compute = ${compute}FLOPS  compute(fp8) = ${2 * compute}FLOPS  efficiency = 50% }
cluster c { gpu[${gpus}] = g  link = ${link}B/s }
pipeline p { model = m  devices = c  ${mesh}  microbatches = 2  stages = balance(1)  schedule = 1f1b  optimizer = ${optimizer} }`)
      .step[0];
  const time = (rows: number, columns: number): number => flops(rows, columns) / (compute / 2);
  /** Of a layer: q, k, v and o, then up and down. */
  const layer = 4 * time(hidden, hidden) + 2 * time(hidden, 4 * hidden);
  const matrices = 12 * hidden ** 2;

  it('takes its products in bf16, on each data rank if the state is whole', () => {
    for (const mesh of ['data = 1', 'data = 4']) expect(step('muon', { mesh }).optimizer).toBeCloseTo(2 * layer, 9);
    expect(step('muon', { precision: 'fp8' }).optimizer).toBeCloseTo(2 * layer, 9);
    expect(step('adamw').optimizer).toBe(0);
    expect(step('muon(step = 2ms)').optimizer).toBe(0.002);
    expect(step('muon(newton_schulz = 10)').optimizer).toBeCloseTo(4 * layer, 9);
  });

  it('is shared by ranks that split the state, but none is faster than one matrix', () => {
    for (const shard of ['zero1', 'distributed', 'zero2', 'fsdp'])
      expect(step(`muon(shard = ${shard})`, { mesh: 'data = 4' }).optimizer).toBeCloseTo((2 * layer) / 4, 9);
    expect(step('muon(shard = zero1, over = 2)', { mesh: 'data = 4' }).optimizer).toBeCloseTo(layer, 9);
    // Two layers have four matrices of 1024 × 4096: 16 ranks could not share one.
    expect(step('muon(shard = zero1)', { mesh: 'data = 16', gpus: 16 }).optimizer).toBeCloseTo(
      time(hidden, 4 * hidden),
      9,
    );
  });

  it('gathers momenta over tensor ranks in fp32: 4 bytes of what the other ranks have', () => {
    const gathered = (2 * 4 * matrices) / 2 / link;
    expect(step('muon', { mesh: 'tensor = 2' }).optimizer).toBeCloseTo(2 * layer + gathered, 9);
    expect(step('muon(shard = zero1)', { mesh: 'tensor = 2  data = 2' }).optimizer).toBeCloseTo(
      (2 * layer + gathered) / 2,
      9,
    );
  });

  it('sends rows of matrices to their owners and back under fsdp, and nothing more under zero1', () => {
    const plain = step('adamw(shard = fsdp)', { mesh: 'data = 4' });
    const fsdp = step('muon(shard = fsdp)', { mesh: 'data = 4' });
    // A rank has a quarter of the rows, and sends three quarters of it, in fp32, twice.
    const sent = 2 * 4 * (2 * matrices) * (1 / 4) * (3 / 4);
    expect(fsdp.sync - plain.sync).toBeCloseTo(sent / link, 9);
    expect((fsdp.bytes ?? 0) - (plain.bytes ?? 0)).toBeCloseTo(sent, 3);
    expect(step('muon(shard = zero1)', { mesh: 'data = 4' }).sync).toBe(
      step('adamw(shard = zero1)', { mesh: 'data = 4' }).sync,
    );
  });

  it('leaves frozen layers alone', () => {
    const text = 'transformer(hidden = 1024, heads = 16)  frozen = block[0]';
    expect(step('muon', { layer: text }).optimizer).toBeCloseTo(layer, 9);
  });

  it('has experts of its own ranks only', () => {
    const mixture = 'transformer(hidden = 1024, heads = 16, experts = 8, experts_per_token = 2, ffn = 512)';
    const expected = (experts: number): number =>
      2 * (4 * time(hidden, hidden) + time(hidden, 8) + 2 * experts * time(hidden, 512));
    expect(step('muon', { mesh: 'data = 4', layer: mixture }).optimizer).toBeCloseTo(expected(8), 9);
    expect(step('muon', { mesh: 'data = 4  expert = 4', layer: mixture }).optimizer).toBeCloseTo(expected(2), 9);
    // Of two ranks that hold the same two experts, each does half.
    expect(step('muon(shard = zero1)', { mesh: 'data = 4  expert = 2', layer: mixture }).optimizer).toBeCloseTo(
      (2 * (4 * time(hidden, hidden) + time(hidden, 8))) / 4 + (2 * 2 * 4 * time(hidden, 512)) / 2,
      9,
    );
  });
});

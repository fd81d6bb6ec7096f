/** Experts that some of the tensor ranks split. */
import { describe, expect, it } from 'vitest';
import { exchange } from '../../../engine/costs/collectives.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { planOf } from '../../support/resolve.ts';
import { cost } from './settings.ts';

const [h, j, f, experts, s, t] = [64, 2, 96, 8, 32, 8];
const args = { hidden: h, heads: 8, experts, experts_per_token: j, expert_ffn: f, bias: false, dropout: false };
const under = (expertTensor: number, more: Partial<LayerSetting> = {}) =>
  cost('transformer', args, { sequence: s, tensor: t, sequenceParallel: true, expertTensor, ...more });

describe('with x of t tensor ranks on each expert', () => {
  it.each([1, 2, 4, 8])('x = %d: a rank has 1 / x of each expert, and copies of x parts of the sequence', (x) => {
    const found = under(x);
    expect(found.expertParameters).toBe((experts * 2 * h * f) / x);
    const { 'inputs of experts': copies, experts: inside } = found.activationParts ?? {};
    expect(copies).toBe((s * j * 2 * h * x) / t);
    // Up and its activation, and the result that the gradient of the routing probabilities reads: f / x wide each.
    expect(inside).toBe((s * j * 3 * 2 * f) / t);
  });

  it.each([2, 4])('x = %d: x neighbours gather j·N·h·x / t copies and scatter the sums, each way', (x) => {
    const some = under(x).collectives.filter(({ ranks }) => ranks === x);
    const each = { over: 'tensor', ranks: x, bytes: (s * j * 2 * h * x) / t, forward: 1, backward: 1 };
    expect(some).toEqual([
      { ...each, pattern: 'all_gather' },
      { ...each, pattern: 'reduce_scatter' },
    ]);
  });

  it('and expert ranks send j·N·h / t whatever x is', () => {
    for (const x of [1, 2, 4, 8])
      expect(under(x, { expert: 4 }).collectives.filter(({ over }) => over === 'expert')).toEqual([
        { over: 'expert', pattern: 'all_to_all', bytes: (s * j * 2 * h) / t, forward: 2, backward: 2 },
      ]);
  });

  it('a gather of x neighbours takes x − 1 steps', () => {
    const ring = { bandwidth: 1e9, latency: 1e-6 };
    const gather = { over: 'tensor', pattern: 'all_gather', ranks: 2, bytes: 1e6, forward: 1, backward: 0 } as const;
    const found = exchange(
      [gather],
      'forward',
      { tensor: t, context: 1, expert: 1 },
      {
        rings: { tensor: ring, context: ring, expert: ring },
        overlap: { tensor: 0, context: 0, expert: 0 },
      },
      { all: 0, core: 0 },
    );
    expect(found.exposed).toBeCloseTo(1e-6 + 0.5e6 / 1e9, 12);
    expect(found.traffic.tensor?.bytes).toBe(0.5e6);
  });
});

it('a plan takes any divisor, and its experts are on the ranks that are left', () => {
  const text = (x: number): string => `
model m { sequence = 64  layer block[2] = transformer(hidden = 64, heads = 8, experts = 8, experts_per_token = 2, expert_ffn = 96, bias = false) }
device g { memory = 80GiB  compute = 1TFLOPS }
cluster c { gpu[16] = g  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  stages = balance(1)  schedule = 1f1b  optimizer = megatron_bf16(shard = distributed)
  tensor = 8  sequence_parallel = true  data = 2  expert = 4  expert_tensor = ${x} }`;
  const memory = [1, 2, 4].map((x) => planOf(text(x)).stages[0].optimizer);
  // 2·8 ranks / (4·x) hold the same experts and share their state: a rank has the same part of it whatever x is.
  expect(memory[1]).toBeCloseTo(memory[0], 6);
  expect(memory[2]).toBeCloseTo(memory[0], 6);
});

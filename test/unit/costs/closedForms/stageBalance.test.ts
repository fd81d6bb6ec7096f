import { describe, expect, test } from 'vitest';
import { layer, run } from './run.ts';

describe('the head in layers', () => {
  // Forward FLOPs (at 8192 tokens for Llama, 4096 for Qwen, 1024 for GPT-2) and parameters, worked out from the configurations.
  test.each([
    ['llama3_8b', 8192, 4096, 32, 8, 14336, 128256, 2.09, 2.41],
    ['llama3_70b', 8192, 8192, 64, 8, 28672, 128256, 1.14, 1.23],
    ['llama3_405b', 8192, 16384, 128, 8, 53248, 128256, 0.63, 0.66],
    ['qwen2_5_7b', 4096, 3584, 28, 4, 18944, 152064, 2.2, 2.34],
    ['gpt2', 1024, 768, 12, 12, 3072, 50257, 4.91, 5.45],
  ] as const)('%s at %i tokens', (name, s, h, a, kv, f, V, ofFlops, ofParameters) => {
    const gpt = name === 'gpt2';
    const products = 2 * h * h * (1 + kv / a) + (gpt ? 2 : 3) * h * f;
    expect((2 * h * V) / (2 * products + 2 * s * h)).toBeCloseTo(ofFlops, 2);
    const shape = gpt
      ? { hidden: h, heads: a }
      : {
          ...{ hidden: h, heads: a, kv_heads: kv, ffn: f, gated: true, bias: false },
          ...{ norm: 'rmsnorm', flash: true, dropout: false, qkv_bias: name === 'qwen2_5_7b' },
        };
    const { plan } = run({
      model: { sequence: s },
      layers: [
        layer('embed', 'embedding', { vocab: V, hidden: h }),
        layer('block[4]', 'transformer', shape),
        layer('head', 'lm_head', { vocab: V, hidden: h, tied: gpt, norm: gpt ? 'layernorm' : 'rmsnorm' }),
      ],
      devices: 3,
      stages: ['embed', 'block[0..3]', 'head'],
      pipeline: { microbatches: 1, schedule: '1f1b' },
    });
    const [, blocks, head] = plan.stages;
    expect((head.forwardFlops * 4) / blocks.forwardFlops).toBeCloseTo(ofFlops, 2);
    // What a device holds: GPT-2's head is a copy of its embedding.
    expect((head.weights * 4) / blocks.weights).toBeCloseTo(ofParameters, 2);
  });
});

describe('126 layers of Llama 3 405B on 16 stages (arXiv:2407.21783, section 3.3.2)', () => {
  const cutOf = (layers: number) =>
    run({
      model: { sequence: 8192 },
      layers: [
        layer('embed', 'embedding', { vocab: 128256, hidden: 16384, dropout: false }),
        layer(`block[${layers}]`, 'transformer', {
          ...{ hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, gated: true, bias: false },
          ...{ norm: 'rmsnorm', flash: true, dropout: false },
        }),
        layer('head', 'lm_head', { vocab: 128256, hidden: 16384, norm: 'rmsnorm' }),
      ],
      devices: 16,
      pipeline: { microbatches: 16, schedule: '1f1b', stages: 'balance(16)' },
    }).plan.stages;

  test('none is slower than eight layers, for the last holds seven and the head', () => {
    const stages = cutOf(126);
    const each = 2 * (2 * 16384 ** 2 * (1 + 1 / 16) + 3 * 16384 * 53248) + 2 * 8192 * 16384;
    const slowest = Math.max(...stages.map((stage) => stage.forwardFlops));
    expect(slowest).toBeCloseTo(8 * 8192 * each, -3);
    expect(stages[15].forwardFlops / (8192 * each)).toBeCloseTo(7 + 0.63, 2);
    expect(stages[15].layers).toHaveLength(7 + 1);
  });

  test('with 128 the best cut has eight and the head on the last', () => {
    const [slow, fast] = [128, 126].map((layers) => Math.max(...cutOf(layers).map((stage) => stage.forward)));
    expect(slow / fast).toBeCloseTo((8 + 0.63) / 8, 2);
  });
});

describe('a 7B model, V = 131200, p = 4, v = 8, m = 4 on interleaved stages of one layer', () => {
  const [p, v, m, s, h, V] = [4, 8, 4, 8192, 4096, 131200];
  const block = layer(`block[${p * v}]`, 'transformer', { hidden: h, heads: 32, kv_heads: 8, flash: true });
  const embed = layer('embed', 'embedding', { vocab: V, hidden: h });
  const head = layer('head', 'lm_head', { vocab: V, hidden: h });
  const stages = Array.from({ length: p * v }, (_, stage) => `block[${stage}]`);
  const efficiencyOf = (layers: readonly string[], of: readonly string[]): number => {
    const { report } = run({
      model: { sequence: s },
      layers,
      devices: p,
      stages: of,
      pipeline: { microbatches: m, schedule: `interleaved_1f1b(chunks = ${v})` },
    });
    return 1 - report.bubble.makespan;
  };

  test('without the head 32 of 35 layer times are work: 0.914', () => {
    const found = efficiencyOf([block], stages);
    expect(found).toBeCloseTo((m * v) / (m * v + p - 1), 9);
    expect(found).toBeCloseTo(0.914, 3);
  });

  test('with the head, 2.56 layers on the last chunk: 0.764', () => {
    const ratio = (2 * h * V) / (2 * (2 * h * h * (1 + 8 / 32) + 8 * h * h) + 2 * s * h);
    expect(ratio).toBeCloseTo(2.56, 2);
    const found = efficiencyOf(
      [embed, block, head],
      stages.map((each, stage) => (stage === 0 ? `embed, ${each}` : stage === p * v - 1 ? `${each}, head` : each)),
    );
    // The last device works m(v + head) layer times, after p − 1 forwards and before p − 1 backwards of the others.
    expect(found).toBeCloseTo((m * (v + ratio / p)) / (m * (v + ratio) + p - 1), 9);
    expect(found).toBeCloseTo(0.764, 3);
  });
});

import { describe, expect, it } from 'vitest';
import { findShape } from '../../../../engine/costs/shapes.ts';
import type { LayerSetting } from '../../../../engine/costs/types.ts';
import { runOf } from '../../../support/analyse.ts';
import { planOf } from '../../../support/resolve.ts';

const setting: LayerSetting = {
  sequence: 4096,
  microBatch: 1,
  precision: 'bf16',
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  expert: 1,
  expertTensor: 1,
  recompute: 'none',
};
const costOf = (args: Readonly<Record<string, number | boolean>>, documents?: readonly number[], more = {}) => {
  const shape = findShape('transformer');
  if (shape === undefined) throw new Error('no transformer');
  return shape.cost(
    { hidden: 1024, heads: 8, ...args },
    { ...setting, ...(documents === undefined ? {} : { documents }), ...more },
  );
};

/**
 * A fused core of packed documents: QKᵀ and A·V are 2 · 2 · ℓ · ℓ · h FLOPs for a document of ℓ tokens, half of it if causal. FlashAttention
 * counts so: `flops = 4 * batch * seqlen**2 * nheads * headdim // (2 if causal else 1)` (flash-attention, benchmarks/benchmark_flash_attention.py),
 * once for each sequence of `flash_attn_varlen_func`.
 */
describe('packed samples', () => {
  const square = (documents: readonly number[]) => documents.reduce((sum, length) => sum + length ** 2, 0);

  it.each([[[4096]], [[1024, 1024, 1024, 1024]], [[1, 4095]], [[100, 200, 300]]])(
    'multiply %j tokens within each document',
    (documents) => {
      expect(costOf({ flash: true }, documents).coreFlops).toBeCloseTo(2 * square(documents) * 1024, 0);
      expect(costOf({ flash: true, causal: false }, documents).coreFlops).toBeCloseTo(4 * square(documents) * 1024, 0);
      // The window holds in each document: min(i, w) keys for token i, so w·ℓ − w² / 2 for ℓ over w.
      const windowed = documents.reduce((sum, length) => {
        const window = Math.min(length, 128);
        return sum + window * length - window ** 2 / 2;
      }, 0);
      expect(costOf({ flash: true, window: 128 }, documents).coreFlops).toBeCloseTo(4 * windowed * 1024, 0);
    },
  );

  it('of one document cost what a sample costs', () => {
    expect(costOf({ flash: true }, [4096]).coreFlops).toBe(costOf({ flash: true }).coreFlops);
    expect(costOf({ flash: true }, [4096]).fused).toEqual(costOf({ flash: true }).fused);
  });

  it('have the linear work, traffic and activations of all their tokens, padding included', () => {
    const whole = costOf({ flash: true });
    const packed = costOf({ flash: true }, [1000, 50]);
    for (const figure of ['linearFlops', 'traffic', 'activation', 'output', 'parameters'] as const)
      expect(packed[figure]).toBe(whole[figure]);
  });

  it('change nothing where kernels compute and store all scores', () => {
    const whole = costOf({});
    const packed = costOf({}, [1024, 1024, 2048]);
    for (const figure of ['coreFlops', 'scores', 'activation'] as const) expect(packed[figure]).toBe(whole[figure]);
  });

  it('keep a fused core on context ranks at an equal share of the work', () => {
    const documents = [1000, 3096];
    const [one, four] = [1, 4].map((context) => costOf({ flash: true }, documents, { context }));
    expect(four.coreFlops).toBeCloseTo(one.coreFlops / 4, 0);
    expect(four.fused?.keys).toBeCloseTo((one.fused?.keys ?? 0) / 4, 9);
  });

  it('use the efficiency of the keys that a token meets', () => {
    // Σ ℓ² / 2 / s.
    expect(costOf({ flash: true }, [1024, 3072]).fused?.keys).toBe((1024 ** 2 + 3072 ** 2) / 2 / 4096);
  });
});

const file = (pipeline: string, model = '') => `
model m {
  sequence = 4096  ${model}
  layer embed = embedding(vocab = 32000, hidden = 1024)
  layer block[6] = transformer(hidden = 1024, heads = 8, flash = true)
  layer head = lm_head(vocab = 32000, hidden = 1024)
}
device gpu { memory = 80GiB  compute = 100TFLOPS  efficiency = 50%  bandwidth = 2TB/s  attention_efficiency = 30% }
cluster box { gpu[16] = gpu  link = 100GB/s + 5us }
pipeline p { model = m  devices = box  stages = balance(4)  schedule = 1f1b  optimizer = adam_mixed  ${pipeline} }`;

describe('each length', () => {
  it.each([
    '',
    'tensor = 2  sequence_parallel = true',
    'context = 2',
    'recompute = full',
    'recompute = selective',
    'data = 4',
  ])('costs what a pipeline of that length alone costs: %s', (keys) => {
    const lengths = [4096, 1000, 2048];
    const mixed = planOf(file(`microbatches = 6  tokens = [4096, 1000, 2048, 1000, 4096, 1000]  ${keys}`));
    const cut = mixed.stages.map(({ layers }) => layers.length).join(', ');
    const alone = lengths.map((tokens) =>
      planOf(file(`microbatches = 6  tokens(i) = ${tokens}  ${keys}`).replace('balance(4)', `split(${cut})`)),
    );
    const counts = [2, 3, 1];
    expect(mixed.lengths?.kindOf).toEqual([0, 1, 2, 1, 0, 1]);
    for (const [kind, plan] of alone.entries()) {
      for (const [stage, figures] of (mixed.lengths?.kinds[kind].stages ?? []).entries())
        expect(plan.stages[stage]).toMatchObject(figures);
      expect(mixed.lengths?.kinds[kind].edges).toEqual(plan.edges.map(({ bytes }) => ({ bytes })));
    }
    for (const [index, stage] of mixed.stages.entries()) {
      const mean = (
        figure: 'forward' | 'backwardInput' | 'backwardWeight' | 'recompute' | 'activation' | 'forwardFlops',
      ) => alone.reduce((sum, plan, kind) => sum + (counts[kind] * plan.stages[index][figure]) / 6, 0);
      for (const figure of [
        'forward',
        'backwardInput',
        'backwardWeight',
        'recompute',
        'activation',
        'forwardFlops',
      ] as const)
        expect(stage[figure] / (mean(figure) || 1)).toBeCloseTo(mean(figure) > 0 ? 1 : 0, 9);
      for (const group of ['tensor', 'context'] as const)
        for (const figure of ['bytes', 'time', 'exposed'] as const) {
          const sum = alone.reduce(
            (all, plan, kind) => all + (counts[kind] * (plan.stages[index].traffic?.[group]?.[figure] ?? 0)) / 6,
            0,
          );
          expect((stage.traffic?.[group]?.[figure] ?? 0) / (sum || 1)).toBeCloseTo(sum > 0 ? 1 : 0, 9);
        }
      for (const figure of ['workspace', 'buffers', 'recomputed', 'weights', 'gradients', 'optimizer'] as const)
        expect(stage[figure]).toBe(Math.max(...alone.map((plan) => plan.stages[index][figure])));
    }
  });

  it('has messages as long as a pipeline of that length alone, there and back', () => {
    // Stages that split the sequence into different parts send other bytes back.
    const cut = `stage a { layers = embed, block[0..2]  tensor = 2 }  stage b { layers = block[3..5], head  context = 2 }`;
    const text = (tokens: string) => file(`microbatches = 4  ${tokens}  ${cut}`).replace('stages = balance(4)', '');
    const { run, plan } = runOf(text('tokens = [4096, 1000, 1000, 4096]'));
    const alone = [4096, 1000].map((tokens) => runOf(text(`tokens(i) = ${tokens}`)).run.timeline.timing);
    expect(plan.edges[0].back).not.toBe(plan.edges[0].bytes);
    const { sizes, needs } = run.timeline.timing;
    expect(needs.length).toBeGreaterThan(0);
    for (const need of needs.keys()) {
      const expected = alone.map(({ needOccupancy }) => needOccupancy[need]);
      for (const [microbatch, kind] of [0, 1, 1, 0].entries())
        expect(sizes?.occupancy[4 * need + microbatch]).toBeCloseTo(expected[kind], 15);
      expect(sizes?.least[need]).toBeCloseTo(expected[1], 15);
    }
  });

  it('adds up to the tokens, FLOPs and bytes of the iteration', () => {
    const { run } = runOf(file('microbatches = 4  tokens = [4096, 1024, 512, 2048]  data = 2'));
    const alone = [4096, 1024, 512, 2048].map(
      (tokens) => runOf(file(`microbatches = 4  tokens(i) = ${tokens}  data = 2`)).run.report,
    );
    const { report } = run;
    expect(report.tokens?.per_iteration).toBe(2 * (4096 + 1024 + 512 + 2048));
    const flops = ({ model_flops: model, iteration }: typeof report) => (model?.rate ?? 0) * iteration;
    expect(flops(report) / (alone.reduce((sum, each) => sum + flops(each), 0) / 4)).toBeCloseTo(1, 9);
    for (const [index, link] of report.links.entries())
      expect(link.bytes).toBeCloseTo(alone.reduce((sum, each) => sum + each.links[index].bytes, 0) / 4, 0);
  });
});

import { describe, expect, it } from 'vitest';
import { runOf } from '../../../support/analyse.ts';

const file = (lengths: string, { layer = '', keys = '', before = '', stages = 'split(2, 2)' } = {}) => `
model m {
  sequence = 4096
  ${before}
  layer block[4] = transformer(hidden = 1024, heads = 8${layer})
}
device gpu { memory = 80GiB  compute = 100TFLOPS  efficiency = 50%  bandwidth = 2TB/s }
cluster box { gpu[16] = gpu  link = 100GB/s + 5us }
pipeline p { model = m  devices = box  stages = ${stages}  schedule = 1f1b  optimizer = adam_mixed  microbatches = 3  ${lengths}  ${keys} }`;

/** Model FLOPs of an iteration, over all devices. */
function modelFlopsOf(text: string): number {
  const { report } = runOf(text).run;
  const devices = report.tokens === undefined ? NaN : report.tokens.per_second / report.tokens.per_second_per_gpu;
  return (report.model_flops?.rate ?? NaN) * devices * report.iteration;
}

const lists = [[1000, 500], [2048], [100, 200, 300]];
const documents = `documents = [${lists.map((list) => `[${list.join(', ')}]`).join(', ')}]`;
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const real = sumOf(lists.flat());

/**
 * Layers of hidden size h have 12h² weights, 2 FLOPs for each and token, and a causal core of 2hℓ² for a document of ℓ tokens. A
 * backward takes twice the forward (Narayanan et al., arXiv:2104.04473, appendix; PaLM, arXiv:2204.02311, appendix B).
 */
describe('padding behind documents', () => {
  const weights = 24 * 1024 ** 2 * real;

  it.each(['', 'tokens(i) = 4096', 'tokens(i) = 3000 + 100 * i', 'tokens = [1500, 4096, 4096]'])(
    'is not in the model FLOPs: %s',
    (padded) => {
      const core = 2 * 1024 * sumOf(lists.flat().map((length) => length ** 2));
      expect(modelFlopsOf(file(`${documents}  ${padded}`, { layer: ', flash = true' })) / (3 * 4)).toBeCloseTo(
        weights + core,
        -3,
      );
    },
  );

  it('is not in them where kernels compute all scores: a token counts with the keys that it meets', () => {
    const core = 2 * 1024 * 4096 * real;
    const text = file(`${documents}  tokens(i) = 4096`);
    expect(modelFlopsOf(text) / (3 * 4)).toBeCloseTo(weights + core, -3);
  });

  const experts = ', flash = true, gated = true, experts = 8, experts_per_token = 2, capacity = 1.5';
  it.each([
    ['tensor ranks', { layer: ', flash = true', keys: 'tensor = 2' }],
    ['experts with a capacity', { layer: experts }],
    [
      'products without a core',
      {
        layer: ', flash = true',
        before: 'layer embed = embedding(vocab = 32000, hidden = 1024)',
        stages: 'split(3, 2)',
      },
    ],
    ['frozen layers', { layer: ', flash = true', keys: '', before: 'frozen = block[0..1]' }],
    ['adapters', { layer: ', flash = true', before: 'trainable = lora(rank = 16)' }],
  ])('adds nothing to them with %s', (_, setting) => {
    const packed = modelFlopsOf(file(documents, setting));
    const padded = modelFlopsOf(file(`${documents}  tokens(i) = 4096`, setting));
    expect(packed).toBeGreaterThan(0);
    expect(padded / packed).toBeCloseTo(1, 9);
  });

  it('leaves towers with other tokens whole, and counts cross-attention of real tokens', () => {
    const towers = (padded: string) => `
model m {
  sequence = 4096
  layer encoder[2] { shape = transformer(hidden = 128, heads = 4, causal = false, flash = true)  tokens = 240 }
  layer target { shape = embedding(vocab = 1000, hidden = 1024)  after = [] }
  layer decoder[2] { shape = transformer(hidden = 1024, heads = 8, flash = true, cross = 240, cross_hidden = 128)  attends = encoder }
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[1] = gpu }
pipeline p { model = m  devices = box  stages = balance(1)  schedule = 1f1b  microbatches = 3  ${documents}  ${padded} }`;
    // Of each encoder layer 24h² per token and 4hn² for the core; of each decoder also the queries and the output, 4h² per token,
    // keys and values of 240 tokens, and a core over these.
    const encoder = 3 * (24 * 128 ** 2 * 240 + 4 * 128 * 240 ** 2);
    const own = weights + 2 * 1024 * sumOf(lists.flat().map((length) => length ** 2));
    const cross = 4 * 1024 ** 2 * real + 3 * 4 * 128 * 1024 * 240 + 4 * 1024 * 240 * real;
    for (const padded of ['', 'tokens(i) = 4096'])
      expect(modelFlopsOf(towers(padded)) / (3 * 2) / (encoder + own + cross)).toBeCloseTo(1, 9);
  });
});

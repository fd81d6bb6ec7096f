import { describe, expect, it } from 'vitest';
import { runnersOf, runnerWords } from '../../../engine/engines/runners.ts';
import { resolveText } from '../../support/resolve.ts';

/** Two ranks; `keys` of the model say what trains. */
const resolved = (keys: string, engine = 'any', args = '') =>
  resolveText(`model m {
  sequence = 64  micro_batch = 1
  layer block[4] { shape = transformer(hidden = 64, heads = 4, flash = true, dropout = false, bias = false, gated = true${args})  ${keys} }
  layer last = transformer(hidden = 64, heads = 4, flash = true, dropout = false, bias = false, gated = true)
  ${keys}
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  engine = ${engine} }
`);

const runners = (keys: string, args?: string): string => {
  const { plan, findings } = resolved(keys, 'any', args);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return runnerWords(runnersOf(pipeline) ?? []);
};

const refusals = (keys: string, engine: string): readonly string[] =>
  resolved(keys, engine)
    .findings.filter(({ code }) => code === 'engine/unsupported')
    .map(({ message }) => message);

describe('who trains a part of a model', () => {
  it('names every engine where all weights train', () => {
    expect(runners('')).toBe('any engine');
  });

  it('names Megatron Bridge in the place of Megatron-LM for adapters, and torchtitan for those of linear layers', () => {
    expect(runners('trainable = lora(rank = 4)')).toBe('torchtitan · PyTorch · DeepSpeed · Megatron Bridge');
    expect(runners('trainable = lora(rank = 4, dropout = 0.1)')).toBe('PyTorch · DeepSpeed · Megatron Bridge');
    const ofExperts = runners('trainable = lora(rank = 4, targets = [q, up])', ', experts = 4, experts_per_token = 2');
    expect(ofExperts).toBe('PyTorch · DeepSpeed · Megatron Bridge');
  });

  it('leaves weights in 4 bits to modules of the user', () => {
    expect(runners('trainable = lora(rank = 4, weights = nf4)')).toBe('PyTorch · DeepSpeed');
  });

  it.each([
    ['megatron', 'trainable = lora(rank = 4)', 'Megatron trains all weights, and has no adapters'],
    ['megatron', 'trainable = lora(rank = 4, weights = nf4)', 'Megatron trains all weights, and has no adapters'],
    ['megatron_bridge', 'trainable = lora(rank = 4, weights = nf4)', 'none in 4 bits (NF4)'],
    ['torchtitan', 'trainable = lora(rank = 4, weights = nf4)', 'none in 4 bits (NF4)'],
  ])('%s refuses %s when it is chosen', (engine, keys, words) => {
    expect(refusals(keys, engine).join('\n')).toContain(words);
  });

  it.each(['megatron_bridge', 'torchtitan', 'pytorch', 'deepspeed'])('%s has adapters', (engine) => {
    expect(refusals('trainable = lora(rank = 4)', engine)).toEqual([]);
  });
});

describe('who trains a model with frozen layers', () => {
  const frozen = (engine: string) =>
    resolveText(`model m {
  sequence = 64  micro_batch = 1
  layer first { shape = linear(inputs = 64, outputs = 64)  trainable = false }
  layer last = linear(inputs = 64, outputs = 64)
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  engine = ${engine} }
`).findings.filter(({ code }) => code === 'engine/unsupported');

  it('is not Megatron-LM, and not torchtitan', () => {
    expect(frozen('megatron').map(({ message }) => message)).toEqual([expect.stringContaining('some are frozen here')]);
    expect(frozen('torchtitan').map(({ message }) => message)).toEqual([
      expect.stringContaining('freezes all layers but adapters'),
    ]);
    expect(frozen('megatron_bridge')).toEqual([]);
  });
});

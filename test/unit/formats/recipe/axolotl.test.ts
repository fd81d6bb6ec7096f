/** Configurations of Axolotl. */
import { describe, expect, test } from 'vitest';
import { publishedModels } from '../../../../engine/formats/huggingFace/publishedModels.ts';
import { analyse } from '../../../support/analyse.ts';
import { faultsOf, importedText, linesOf, llamaWeights, recipeText, runOfRecipe } from './recipes.ts';

const file = recipeText('axolotl.yaml');
const changed = (from: string, to: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};
const full = changed('adapter: qlora\n', '').replace('load_in_4bit: true\n', '');
const remarksOf = (text: string): string => importedText(text).remarks.join('\n');

describe('QLoRA of Llama 3 8B on eight devices', () => {
  const { plan, parameters, trainable, errors, remarks } = runOfRecipe(file);

  test('has the weights of the model, and those of its adapters', () => {
    const adapters = 41_943_040;
    // PEFT prints 41,943,040 for rank 16 on all products: 32 · 16 · (2 · (4096 + 4096) + 2 · (4096 + 1024) + 3 · (4096 + 14336)).
    expect(adapters).toBe(32 * 16 * (2 * 8192 + 2 * 5120 + 3 * 18432));
    expect(trainable).toBe(adapters);
    expect(parameters).toBe(llamaWeights(32, 4096, 1024, 14336, 128256) + adapters);
    expect(errors).toEqual([]);
  });

  test('has batch, ranks and optimizer of the file', () => {
    expect([plan.data, plan.microbatches, plan.devices.length]).toEqual([8, 4, 1]);
    expect(linesOf(file)).toEqual(
      expect.arrayContaining([
        'engine = pytorch',
        'from = llama3_8b',
        'sequence = 4096',
        'micro_batch = 2',
        'precision = bf16',
        'trainable = lora(rank = 16, dropout = 0.05, weights = nf4)',
        'recompute = full',
        'optimizer = adam_mixed(shard = fsdp, over = 4, gradient_sync = last, clip = true)',
      ]),
    );
  });

  test('says what it did not use', () => {
    expect(remarks).toEqual([
      'The file does not name its devices: nodes of eight H100 are written. Change them.',
      'Not used, though they may change time or memory: sample_packing.',
    ]);
  });
});

test.each([
  ['lora_target_linear: true\n', '', 'trainable = lora(rank = 16, targets = [q, v], dropout = 0.05, weights = nf4)'],
  [
    'lora_target_linear: true',
    'lora_target_modules: [k_proj, down_proj, k_proj]',
    'trainable = lora(rank = 16, targets = [k, down], dropout = 0.05, weights = nf4)',
  ],
  ['adapter: qlora', 'adapter: lora', 'trainable = lora(rank = 16, dropout = 0.05, weights = nf4)'],
  ['lora_dropout: 0.05\n', '', 'trainable = lora(rank = 16, weights = nf4)'],
  [
    'reshard_after_forward: true',
    'reshard_after_forward: false',
    'optimizer = adam_mixed(shard = fsdp, over = 4, reshard = false, clip = true)',
  ],
  [
    'adamw_torch_fused',
    'paged_adamw_8bit',
    'optimizer = custom(weight = 2, gradient = 2, state = 6, shard = fsdp, over = 4,',
  ],
  ['sequence_len: 4096', 'sequence_len: 500_000', 'sequence = 500000'],
  ['bf16: auto', 'fp16: true', 'precision = fp16'],
  ['bf16: auto', 'bf16: no', 'precision = fp32'],
  ['gradient_checkpointing: true', 'gradient_checkpointing: unsloth', 'recompute = full'],
  ['num_epochs: 3', 'tensor_parallel_size: 2', 'tensor = 2'],
  ['num_epochs: 3', 'context_parallel_size: 4', 'context = 4'],
  ['num_epochs: 3', 'sequence_parallel_degree: 4', 'context = 4'],
  ['num_epochs: 3', 'max_grad_norm: 0', 'optimizer = adam_mixed(shard = fsdp, over = 4, gradient_sync = last)'],
])('%s → %s', (from, to, line) => {
  expect(linesOf(changed(from, to))).toContain(line);
});

test('all weights: FSDP trains in fp32, replicas in the 16 bits that were loaded', () => {
  const { trainable, parameters } = runOfRecipe(full);
  expect([trainable, parameters]).toEqual([8_030_261_248, 8_030_261_248]);
  expect(linesOf(full)).toContain(
    'optimizer = adamw(shard = fsdp, over = 4, gradient_sync = last, clip = true, reduce = bf16)',
  );
  const replicas = full.replace(/fsdp_version[^]*reshard_after_forward: true\n/, '');
  expect(linesOf(replicas)).toEqual(expect.arrayContaining(['optimizer = adam_bf16(clip = true)', 'sync = ddp']));
});

test.each([
  [
    'fsdp:\n  - full_shard\n  - auto_wrap',
    'adamw(shard = fsdp, over = 4, gradient_sync = last, clip = true, reduce = bf16)',
  ],
  ['fsdp: [shard_grad_op]', 'adamw(shard = zero1, over = 4, clip = true, reduce = bf16)'],
  [
    'fsdp_config:\n  fsdp_sharding_strategy: HYBRID_SHARD',
    'adamw(shard = fsdp, gradient_sync = last, clip = true, reduce = bf16)',
  ],
  ['fsdp_config:\n  fsdp_sharding_strategy: NO_SHARD', 'adam_bf16(clip = true)'],
  ['deepspeed: deepspeed_configs/zero3_bf16.json', 'adam_mixed(shard = zero3, over = 4, clip = true)'],
  ['deepspeed: my/zero3.json', 'adam_mixed(clip = true)'],
])('%s', (written, optimizer) => {
  const text = full.replace(/fsdp_version[^]*reshard_after_forward: true\n/, `${written}\n`);
  expect(linesOf(text)).toContain(`optimizer = ${optimizer}`);
  expect(linesOf(text)).toContain(`engine = ${written.startsWith('deepspeed') ? 'deepspeed' : 'pytorch'}`);
  expect(remarksOf(text).includes('is in another file')).toBe(written.includes('my/'));
});

test('expert ranks are data ranks that shard apart', () => {
  const text = full
    .replace('NousResearch/Meta-Llama-3-8B', 'Qwen/Qwen3-30B-A3B-Instruct-2507')
    .replace('dp_replicate_size: 2', 'expert_parallel_size: 2');
  const { plan, parameters } = runOfRecipe(text);
  expect([plan.data, plan.expert]).toEqual([8, 2]);
  expect(linesOf(text)).toContain('from = qwen3_30b_a3b');
  expect(parameters).toBe(30_532_122_624);
});

test('another model, another optimizer and unknown sizes are named', () => {
  const text = changed('NousResearch/Meta-Llama-3-8B', 'our/own-model')
    .replace('adamw_torch_fused', 'muon')
    .replace(/dp_\w+_size: \d\n/g, '')
    .replace('sequence_len: 4096\n', '');
  const told = remarksOf(text);
  expect(told).toContain('`base_model` is not a model of std:models. Put the config.json');
  expect(told).toContain('Import reads Adam only');
  expect(told).toContain('how many devices there are: 8 data ranks');
  expect(told).toContain('how many tokens a sample has. Set `sequence`');
  expect(told).toMatch(/Not used, .*base_model/);
});

test.each([
  ['lora_r: 16', 'lora_r: 0', '0', 'from 1'],
  ['lora_r: 16\n', '', 'qlora', 'needs `lora_r`'],
  ['lora_dropout: 0.05', 'lora_dropout: 1.5', '1.5', 'under 1'],
  ['micro_batch_size: 2', 'micro_batch_size: -2', '-2', 'from 1'],
  ['micro_batch_size: 2', 'micro_batch_size: [2]', '[2]', 'found a list'],
  ['micro_batch_size: 2', 'micro_batch_size: 2\nmicro_batch_size: 2', 'micro_batch_size', 'a second time'],
  ['gradient_checkpointing: true', 'gradient_checkpointing: 3', '3', 'a word'],
  ['dp_shard_size: 4', 'dp_shard_size: 131072', '131072', 'over 131072 devices'],
  ['num_epochs: 3', 'num_epochs: {', '', 'Flow map'],
])('fault: %s → %s', (from, to, place, message) => {
  const [[marked, told]] = faultsOf(changed(from, to));
  if (place !== '') expect(marked).toBe(place);
  expect(told).toContain(message);
});

test('aliases are read, and their number has a limit', () => {
  const twice = changed('micro_batch_size: 2', 'micro_batch_size: &two 2').replace('lora_r: 16', 'lora_r: *two');
  expect(faultsOf(twice)[0][1]).toContain('Aliases cannot be read');
  const after = changed('lora_r: 16', 'lora_r: &rank 16').replace('micro_batch_size: 2', 'micro_batch_size: *rank');
  expect(linesOf(after)).toContain('micro_batch = 16');
  const laughs = Array.from({ length: 9 }, (_, at) => `x${at + 1}: &x${at + 1} [${`*x${at}, `.repeat(10)}]`);
  expect(faultsOf(`${file}\nx0: &x0 lol\n${laughs.join('\n')}\n`)[0][1]).toContain('more than 20000 values');
  expect(faultsOf(`${file}\nx: &x [*x]\n`).length).toBe(1);
});

test('line ends of Windows and a byte order mark change nothing', () => {
  expect(importedText(`\uFEFF${file.replaceAll('\n', '\r\n')}`)).toEqual(importedText(file));
});

// Accelerate: `no_sync`, which Trainer of Transformers calls in all microbatches but the last.
test.each([
  ['gradient_accumulation_steps: 4', 'gradient_accumulation_steps: 1'],
  ['num_epochs: 3', 'accelerator_config:\n  gradient_accumulation_kwargs:\n    sync_each_batch: true'],
])('gradients are whole up to the last of several microbatches, unless the file syncs each: %s → %s', (from, to) => {
  expect(linesOf(changed(from, to))).toContain('optimizer = adam_mixed(shard = fsdp, over = 4, clip = true)');
});

test.each([
  ['Qwen/Qwen2.5-72B-Instruct', 'qwen2_5_72b'],
  ['meta-llama/Meta-Llama-3.1-8B', 'llama3_1_8b'],
  ['meta-llama/Llama-3.1-70B-Instruct', 'llama3_1_70b'],
  ['meta-llama/Meta-Llama-3-70B', 'llama3_70b'],
  ['deepseek-ai/DeepSeek-V3-Base', 'deepseek_v3'],
  ['mistralai/Mixtral-8x7B-v0.1', 'mixtral_8x7b'],
])('%s is %s', (repository, name) => {
  const lines = linesOf(changed('NousResearch/Meta-Llama-3-8B', repository));
  expect(lines).toEqual(expect.arrayContaining([`from = ${name}`, `import { ${name} } from "std:models"`]));
});

describe('a model that is not known', () => {
  const { pipe } = importedText(changed('NousResearch/Meta-Llama-3-8B', 'Qwen/Qwen1.5-14B'));

  test('has no figures before its configuration is there', () => {
    const { pipelines, findings } = analyse(pipe);
    expect(pipelines.flatMap(({ run }) => (run === undefined ? [] : [run]))).toEqual([]);
    const [error] = findings.filter(({ severity }) => severity === 'error');
    expect([error.code, pipe.slice(error.place.start, error.place.end)]).toEqual(['import/not-found', '"config.json"']);
    expect(error.message).toContain('Put the config.json of your model there');
  });

  test('and runs with it', () => {
    const published = publishedModels.find(({ name }) => name === 'qwen2_5_14b');
    const { pipelines, findings } = analyse(pipe, {
      files: { 'config.json': JSON.stringify(published?.config) },
    });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(pipelines[0].run).toBeDefined();
  });
});

/** Configurations of DeepSpeed. */
import { describe, expect, test } from 'vitest';
import { publishedModels } from '../../../../engine/formats/huggingFace/publishedModels.ts';
import { faultsOf, importedText, linesOf, recipeText, runOfRecipe } from './recipes.ts';

const file = recipeText('deepspeed.json');
const changed = (from: string, to: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};
/** The model of the program and its samples: the file has neither. */
const llama = {
  sequence: 1024,
  files: { 'config.json': JSON.stringify(publishedModels.find(({ name }) => name === 'llama3_2_1b')?.config) },
};
const remarksOf = (text: string): string => importedText(text).remarks.join('\n');

describe('ZeRO-2 on eight ranks', () => {
  const { plan, errors, warnings, remarks, parameters } = runOfRecipe(file, llama);

  test('has batch, ranks and optimizer of the file', () => {
    // 256 / (2 · 16) ranks, 16 steps of accumulation.
    expect([plan.data, plan.microbatches, plan.devices.length, plan.tensor]).toEqual([8, 16, 1, 1]);
    expect(linesOf(file)).toEqual(
      expect.arrayContaining([
        'engine = deepspeed',
        'micro_batch = 2',
        'precision = bf16',
        'optimizer = adam_mixed(shard = zero2, clip = true)',
        'sync = overlap',
        'stages = balance(1)',
      ]),
    );
    expect(errors).toEqual([]);
    expect(warnings.filter((code) => code.startsWith('engine/'))).toEqual([]);
  });

  test('asks for the model and its samples', () => {
    // Llama 3.2 1B, whose head is its embedding.
    expect(parameters).toBe(1_235_814_400);
    expect(remarks[0]).toContain('does not name the model. Put the config.json');
    expect(remarks[1]).toContain('Set `sequence` in the model');
    expect(remarks.at(-1)).toBe(
      'Not used, though they may change time or memory: zero_optimization.contiguous_gradients, zero_optimization.reduce_bucket_size.',
    );
  });
});

test.each([
  ['  "train_micro_batch_size_per_gpu": 2,\n', '', 1, 'micro_batch = 2', 'microbatches = 16', 'data = 8'],
  ['  "gradient_accumulation_steps": 16,\n', '', 1, 'micro_batch = 2', 'microbatches = 16', 'data = 8'],
  ['  "train_batch_size": 256,\n', '', 1, 'micro_batch = 2', 'microbatches = 16', 'data = 8'],
  ['"train_batch_size": 256', '"train_batch_size": 96', 0, 'micro_batch = 2', 'microbatches = 16', 'data = 3'],
])('what is left out of the batch follows from the rest %#', (from, to, placeholders, ...lines) => {
  const text = changed(from, to);
  expect(linesOf(text)).toEqual(expect.arrayContaining(lines));
  expect(remarksOf(text).includes('how many devices there are')).toBe(placeholders === 1);
});

test('a batch that the ranks do not divide gets fewer ranks', () => {
  const text = changed('"train_batch_size": 256', '"train_batch_size": 14').replace(
    '  "gradient_accumulation_steps": 16,\n',
    '',
  );
  // 14 / 2 = 7 ranks.
  expect(linesOf(text)).toEqual(expect.arrayContaining(['data = 7', 'microbatches = 1']));
});

test.each([
  ['"stage": 2', '"stage": 0', 'optimizer = adam_mixed(clip = true)'],
  ['"stage": 2', '"stage": 1', 'optimizer = adam_mixed(shard = zero1, clip = true)'],
  ['"stage": 2', '"stage": 3', 'optimizer = adam_mixed(shard = zero3, clip = true)'],
  ['"stage": 2', '"mics_shard_size": 4, "stage": 3', 'optimizer = adam_mixed(shard = zero3, over = 4, clip = true)'],
  ['"gradient_clipping": 1.0', '"gradient_clipping": 0', 'optimizer = adam_mixed(shard = zero2)'],
  ['"AdamW"', '"SGD"', 'optimizer = sgd_mixed(shard = zero2, clip = true)'],
  ['"bf16": { "enabled": true }', '"fp16": { "enabled": true }', 'precision = fp16'],
  ['"bf16": { "enabled": true }', '"bf16": { "enabled": false }', 'optimizer = adam(shard = zero2, clip = true)'],
  ['"stage": 2', '"stage": 1', 'sync = overlap'],
  ['"bf16": {', '"tensor_parallel": { "autotp_size": 4 }, "bf16": {', 'tensor = 4'],
  ['"bf16": {', '"sequence_parallel_size": 2, "bf16": {', 'context_exchange = all_to_all'],
  [
    '"bf16": { "enabled": true }',
    '"bf16": { "enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true }',
    'optimizer = adam_bf16(shard = zero2, clip = true)',
  ],
])('%s → %s', (from, to, line) => {
  expect(linesOf(changed(from, to))).toContain(line);
});

test('ZeRO-1 with sums in fp32, and pipelines, use the optimizer for bf16', () => {
  const sums = changed('"stage": 2', '"stage": 1').replace(
    '"bf16"',
    '"data_types": { "grad_accum_dtype": "fp32" }, "bf16"',
  );
  expect(linesOf(sums)).toContain('optimizer = deepspeed_bf16(shard = zero1, clip = true)');
  const pipeline = changed('"stage": 2', '"stage": 1').replace(
    '"bf16"',
    '"pipeline": { "stages": 4, "activation_checkpoint_interval": 1 }, "bf16"',
  );
  const { plan, errors, warnings } = runOfRecipe(pipeline, llama);
  expect(linesOf(pipeline)).toEqual(
    expect.arrayContaining(['stages = balance(4)', 'schedule = 1f1b', 'recompute = full']),
  );
  expect(linesOf(pipeline)).not.toContain('sync = overlap');
  expect([plan.devices.length, plan.data, errors]).toEqual([4, 8, []]);
  expect(warnings.filter((code) => code.startsWith('engine/'))).toEqual([]);
});

test('the state of a pipeline in bf16 is split in any case, and sums are in bf16', () => {
  const pipeline = changed('"stage": 2', '"stage": 0').replace('"bf16"', '"pipeline": { "stages": 4 }, "bf16"');
  expect(linesOf(pipeline)).toContain(
    'optimizer = custom(weight = 2, gradient = 4, state = 12, shard = zero1, clip = true)',
  );
});

test('what its launcher fills in is named', () => {
  const text = '{ "zero_optimization": { "stage": 3 }, "bf16": { "enabled": "auto" }, "train_batch_size": "auto" }';
  expect(remarksOf(text)).toContain(
    'Filled in by a launcher (auto), so not known here: train_batch_size, bf16.enabled.',
  );
  expect(linesOf(text)).toContain('precision = bf16');
});

test.each([
  ['"stage": 2', '"stage": 4', '4', 'from 0 to 3'],
  ['"stage": 2', '"stage": "two"', '"two"', 'found a text'],
  ['"train_micro_batch_size_per_gpu": 2', '"train_micro_batch_size_per_gpu": -2', '-2', 'from 1'],
  ['"train_batch_size": 256', '"train_batch_size": 250', '250', 'not a multiple of the 32 samples'],
  ['"train_batch_size": 256', '"train_batch_size": 1073741824', '1073741824', 'over 131072 devices'],
  ['"steps_per_print": 10', '"train_batch_size": 256', '"train_batch_size"', 'a second time'],
  ['"stage": 2', '"stage": 2,,', ',', 'key in quotes'],
  ['"stage": 2', '"mics_shard_size": 3, "stage": 3', '3', 'not a multiple of the 3 of a group'],
])('fault: %s → %s', (from, to, place, message) => {
  const [[marked, told]] = faultsOf(changed(from, to));
  expect(marked).toBe(place);
  expect(told).toContain(message);
});

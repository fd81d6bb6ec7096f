/** Configurations of xtuner. */
import { describe, expect, test } from 'vitest';
import { faultsOf, importedText, linesOf, recipeText, runOfRecipe } from './recipes.ts';

const python = recipeText('xtuner.py');
const yaml = recipeText('xtuner.yaml');
const changed = (from: string, to: string, file: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};

describe('a trainer of Qwen 3 30B-A3B', () => {
  const { plan, parameters, remarks } = runOfRecipe(python);

  test('has the model, ranks and batch of the file', () => {
    expect(parameters).toBe(30_532_122_624);
    // A node of eight, and 16 packed samples.
    expect([plan.data, plan.expert, plan.microbatches]).toEqual([8, 8, 2]);
    expect(linesOf(python)).toEqual(
      expect.arrayContaining([
        'engine = pytorch',
        'sequence = 16384',
        // Half of 48 layers.
        'recompute = full(layers = 24)',
        'optimizer = adamw(shard = fsdp, clip = true)',
      ]),
    );
  });

  test('names lines without literals, and what is not used', () => {
    expect(remarks[0]).toBe('Not literal, so not used: line 11, line 15.');
    expect(remarks.at(-1)).toBe('Not used, though they may change time or memory: loss_cfg.mode.');
  });
});

describe('a calculation of Qwen 3 8B', () => {
  const { plan, parameters, errors, remarks } = runOfRecipe(yaml);

  test('has the model, ranks and batch of the file', () => {
    expect(parameters).toBe(8_190_735_360);
    // 16 devices / (2 tensor ranks · 2 sequence ranks).
    expect([plan.data, plan.tensor, plan.microbatches, errors]).toEqual([4, 2, 4, []]);
    expect(linesOf(yaml)).toEqual(
      expect.arrayContaining([
        'context = 2',
        'context_exchange = all_to_all',
        'sequence_parallel = true',
        'sequence = 32768',
        'recompute = full',
        'optimizer = adam_mixed(shard = zero3)',
      ]),
    );
    expect(remarks.at(-1)).toBe('Not used, though they may change time or memory: chunk_loss_size.');
  });
});

test.each([
  ['recompute_ratio=0.5', 'recompute_ratio=1.0', 'recompute = full', python],
  ['recompute_ratio=0.5', 'hsdp_sharding_size=4', 'optimizer = adamw(shard = fsdp, over = 4, clip = true)', python],
  [
    'recompute_ratio=0.5',
    'reshard_after_forward=False',
    'optimizer = adamw(shard = fsdp, reshard = false, clip = true)',
    python,
  ],
  ['total_epoch=1', 'do_clip=False', 'optimizer = adamw(shard = fsdp)', python],
  ['total_epoch=1', 'sp_size=2', 'context_exchange = all_to_all', python],
  ['Qwen3MoE30BA3Config(', 'OwnConfig(', 'from = huggingface("config.json")', python],
  ['vpp: 1', 'vpp: 2', 'schedule = interleaved_1f1b(chunks = 2)', yaml.replace('pp: 1', 'pp: 2')],
  ['zero_stage: 3', 'zero_stage: 0', 'optimizer = adam_mixed', yaml],
])('%s → %s', (from, to, line, file) => {
  expect(linesOf(changed(from, to, file))).toContain(line);
});

test.each([
  ['recompute_ratio=0.5', 'recompute_ratio=1.5', '1.5', 'from 0 to 1', python],
  ['global_batch_size=16', 'global_batch_size=-1', '-1', 'from 1', python],
  ['tp: 2', 'tp: 3', '2', '16 devices are not a multiple of the 6', yaml],
  ['zero_stage: 3', 'zero_stage: 5', '5', 'from 0 to 3', yaml],
])('fault: %s → %s', (from, to, place, message, file) => {
  const [[marked, told]] = faultsOf(changed(from, to, file));
  expect([marked, told]).toEqual([place, expect.stringContaining(message)]);
});

test('without recomputation', () => {
  const text = changed('recompute_ratio=0.5', 'recompute_ratio=0.0', python);
  expect(importedText(text).pipe).not.toContain('recompute');
});

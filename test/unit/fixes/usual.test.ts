/** What engineers try first where memory is short is among the first three fixes, alone or together. */
import { expect, test } from 'vitest';
import { analyse, fixesOf } from '../../support/analyse.ts';
import { checkPromise } from './promise.ts';

const file = (keys: string, batch = 64) => `
import { llama3_8b } from "std:models"
import { dgx_a100 } from "std:clusters" with { nodes = 2 }
model m { from = llama3_8b  sequence = 8192  micro_batch = 1 }
pipeline train {
  model = m  devices = dgx_a100  global_batch = ${batch}
  ${keys}
}`;

/** Titles without their effects, and each fix does what its title says. */
function first(text: string): readonly string[] {
  const analysis = analyse(text);
  const all = fixesOf(analysis, 'memory/out-of-memory');
  const fixes = all.filter(({ finding }) => finding === all[0].finding).slice(0, 3);
  for (const fix of fixes) checkPromise(analysis, fix);
  return fixes.map(({ title }) => title.split(':')[0]);
}

const ranks = 'tensor = 2  sequence_parallel = true  data = 2  stages = balance(4)';

test('1F1B in place of GPipe', () => {
  const found = first(file(`${ranks}  schedule = gpipe  optimizer = megatron_bf16`));
  expect(found).toContain('Use 1f1b');
  // Another kind of change is among them, too.
  expect(found).toHaveLength(3);
  expect(found[0]).toMatch(/zb/u);
});

test('the distributed optimizer of Megatron before shards that few train with', () => {
  const found = first(file('data = 8  stages = balance(2)  schedule = 1f1b  optimizer = megatron_bf16', 128));
  expect(found[0]).toBe('Shard the optimizer over 8 data ranks');
});

test('both, where neither is enough', () => {
  const found = first(file('data = 8  stages = balance(2)  schedule = gpipe  optimizer = megatron_bf16', 128));
  expect(found[0]).toBe('Shard the optimizer over 8 data ranks, and use 1f1b');
});

test('FSDP without a pipeline', () => {
  const found = first(
    file(
      'tensor = 2  sequence_parallel = true  data = 8  stages = balance(1)  schedule = 1f1b  optimizer = adam_mixed',
    ),
  );
  expect(found[0]).toBe('Shard optimizer, gradients and weights over 8 data ranks');
});

test('only what the engine of the file has', () => {
  const keys = 'data = 8  stages = balance(2)  schedule = 1f1b  optimizer = adamw  engine = torchtitan';
  for (const title of first(file(keys, 128)))
    expect(title).not.toMatch(/^Shard the optimizer over|^Shard optimizer and gradients/u);
});

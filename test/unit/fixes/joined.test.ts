/** Changes that need each other, in files of the kind that people bring. */
import { describe, expect, test } from 'vitest';
import { analyse, fixesOf } from '../../support/analyse.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { checkPromise } from './promise.ts';

/** Titles of the first finding of a code; each fix does what its title says. */
function titlesOf(text: string, code: Code): readonly string[] {
  const analysis = analyse(text);
  const all = fixesOf(analysis, code);
  const fixes = all.filter(({ finding }) => finding === all[0].finding);
  for (const fix of fixes) checkPromise(analysis, fix, { lessens: code === 'comm/exposed' });
  return fixes.map(({ title }) => title);
}

const file = (model: string, cluster: string, keys: string): string => `
import { llama3_70b, llama3_8b } from "std:models"
import { a100_40, rtx4090 } from "std:hardware"
import { dgx_h100 } from "std:clusters" with { nodes = 4 }
model m { ${model} }
${cluster}
pipeline train {
  model = m
  ${keys}
}
`;
const llama70b = (nodes: number, keys: string): string =>
  file('from = llama3_70b  sequence = 8192  micro_batch = 1', '', `devices = dgx_h100  ${keys}`).replace(
    'nodes = 4',
    `nodes = ${nodes}`,
  );

test('a key behind the optimizer and an argument of the optimizer are one change', () => {
  const titles = titlesOf(
    llama70b(
      4,
      'tensor = 8  data = 2  global_batch = 64  stages = balance(2)  schedule = 1f1b\n  optimizer = megatron_bf16',
    ),
    'memory/out-of-memory',
  );
  expect(titles.slice(0, 3).join('\n')).toMatch(/sequence_parallel = true.*shard the optimizer/u);
});

const yi = `sequence = 4096  micro_batch = 1  precision = bf16
  layer embed = embedding(vocab = 32000, hidden = 8192)
  layer block[48] = transformer(hidden = 8192, heads = 64, kv_heads = 8, ffn = 22016, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false)
  layer head = lm_head(vocab = 32000, hidden = 8192)`;

test('where nothing fits, the two changes that free most are joined with each other one', () => {
  const titles = titlesOf(
    file(
      yi,
      'cluster two { node[2] { gpu[8] = a100_40  link = 235GB/s + 3us }  link = 25GB/s + 5us }',
      'devices = two  tensor = 4  sequence_parallel = false  data = 2  global_batch = 64  stages = balance(2)  schedule = gpipe  optimizer = adam_mixed',
    ),
    'memory/out-of-memory',
  );
  // Tensor ranks of all eight devices of a node, or four stages: both leave half of the weights on a device.
  expect(titles.slice(0, 2).join('\n')).toMatch(
    /^Use 1 data and 4 pipeline ranks with 64 microbatches, recompute every stage, and use 1f1b: /u,
  );
});

describe('exposed communication', () => {
  test('gets partners that make room for what hides it', () => {
    const titles = titlesOf(
      file(
        'from = llama3_8b  sequence = 131072  micro_batch = 1',
        '',
        'devices = dgx_h100  tensor = 8  sequence_parallel = true  data = 4  global_batch = 32  stages = balance(1)  schedule = 1f1b  optimizer = megatron_bf16(shard = distributed)',
      ),
      'comm/exposed',
    );
    expect(titles[0]).toMatch(/^Hide 70 % of .*, and use 2 context and 2 data ranks with 16 microbatches: /u);
  });

  test('of tensor ranks is hidden in kernels that need sequence parallelism, which comes with them', () => {
    const titles = titlesOf(
      llama70b(
        8,
        'tensor = 8  data = 2  microbatches = 32  stages = balance(4)  schedule = 1f1b  optimizer = megatron_bf16',
      ),
      'comm/exposed',
    );
    expect(titles[0]).toMatch(/^Set sequence_parallel = true and overlap\(tensor\) = 70%: /u);
  });
});

test('smaller micro-batches are joined with context ranks, of which no more are offered than have enough tokens', () => {
  const titles = titlesOf(
    llama70b(
      8,
      'tensor = 4  sequence_parallel = true  data = 4  global_batch = 256  stages = balance(4)  schedule = 1f1b\n  optimizer = megatron_bf16(shard = distributed)  engine = megatron',
    ).replace('micro_batch = 1', 'micro_batch = 2'),
    'memory/out-of-memory',
  );
  expect(titles[0]).toMatch(
    /^Use 2 context and 2 data ranks with 64 microbatches, and set micro_batch to 1: peak 59 GiB/u,
  );
  expect(titles.join('\n')).not.toMatch(/[48] context/u);
});

test('nothing is offered that takes twice as long as the best, nor context ranks with few tokens', () => {
  const titles = titlesOf(
    file(
      'from = llama3_8b  sequence = 4096  micro_batch = 1',
      'cluster office { node[4] { gpu[2] = rtx4090  link = 22GB/s + 10us }  link = 10Gb/s + 30us }',
      'devices = office  data = 8  global_batch = 64  stages = balance(1)  schedule = 1f1b  optimizer = adam_mixed(shard = zero3)',
    ),
    'memory/out-of-memory',
  );
  expect(titles[0]).toMatch(/^Fuse the loss, and recompute every stage: /u);
  expect(titles.join('\n')).not.toContain('context');
});

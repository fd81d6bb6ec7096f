/** Configurations of torchtitan in Python, which are read and never run. */
import { describe, expect, test } from 'vitest';
import { readPython } from '../../../../engine/formats/python/read.ts';
import { faultsOf, importedText, linesOf, llamaWeights, recipeText, runOfRecipe } from './recipes.ts';

const file = recipeText('torchtitan.py');
const changed = (from: string, to: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};
const remarksOf = (text: string): string => importedText(text).remarks.join('\n');

describe('Llama 3.1 70B on 128 devices', () => {
  const literal = changed('int(os.environ.get("MICROBATCHES", "16"))', '16');
  const { plan, parameters, errors } = runOfRecipe(literal);

  test('has weights, ranks, stages and batch of the file', () => {
    expect(parameters).toBe(llamaWeights(80, 8192, 1024, 28672, 128256));
    // 4 pipeline ranks with two stages in a V; 80 layers and 2 on 8 stages.
    expect([plan.devices.length, plan.tensor, plan.data, plan.microbatches]).toEqual([4, 8, 4, 16]);
    expect(plan.stages.map(({ layers }) => layers.length)).toEqual([11, 11, 10, 10, 10, 10, 10, 10]);
    expect(linesOf(literal)).toEqual(
      expect.arrayContaining([
        'from = llama3_1_70b',
        'sequence = 8192',
        // 2 · 8192 tokens of 8192.
        'micro_batch = 2',
        'schedule = zb_v',
        'recompute = full',
        'optimizer = adamw(shard = fsdp, reshard = false, clip = true)',
      ]),
    );
    expect(errors).toEqual([]);
  });

  test('and names the lines that only a run would give', () => {
    // The folder of results does not matter, but it is no literal either.
    expect(importedText(file).remarks[0]).toBe('Not literal, so not used: line 16, line 29.');
    expect(importedText(literal).remarks[0]).toBe('Not literal, so not used: line 16.');
    expect(importedText(file).remarks.at(-1)).toBe('Not used, though they may change time or memory: compile.enable.');
    expect(linesOf(file)).toContain('microbatches = 1');
  });
});

test.each([
  ['activation_checkpoint=FullAC.Config()', 'activation_checkpoint=SelectiveAC.Config()', 'recompute = operations'],
  ['        activation_checkpoint=FullAC.Config(),\n', '', 'recompute = operations'],
  ['=FullAC.Config()', '=MemoryBudgetAC.Config(memory_budget=0.3)', 'recompute = budget(30%)'],
  ['=FullAC.Config()', '=MemoryBudgetAC.Config()', 'recompute = budget(50%)'],
  ['model_registry("70B")', 'model_registry("70B", converters=[Float8LinearConverter.Config()])', 'precision = fp8'],
  ['2 * 8192', '4 * 2 * 8_192', 'micro_batch = 8'],
  ['tensor_parallel_degree=8', 'tensor_parallel_degree = 4', 'tensor = 4'],
  ['    model_spec = model_registry("70B")', '    model_spec = model_registry("70B")\n    degree = 2', 'tensor = 8'],
  ['tensor_parallel_degree=8', 'tensor_parallel_degree=TP', 'pipeline_parallel = none'],
])('%s → %s', (from, to, line) => {
  const lines = linesOf(changed(from, to));
  if (line.endsWith('none')) expect(lines.filter((each) => each.startsWith('tensor'))).toEqual([]);
  else expect(lines).toContain(line);
});

test.each([
  ['loss=ChunkedLossWrapper.Config(loss_fn=CrossEntropyLoss.Config()),', 'loss = chunked(8)'],
  ['loss=ChunkedLossWrapper.Config(num_chunks=4, loss_fn=CrossEntropyLoss.Config()),', 'loss = chunked(4)'],
  // The file compiles what it does not name, the loss among it.
  ['loss=CrossEntropyLoss.Config(),', 'loss = compiled'],
  ['', undefined],
])('%s → %s', (loss, line) => {
  const lines = linesOf(
    changed('activation_checkpoint=FullAC.Config()', `${loss}activation_checkpoint=FullAC.Config()`),
  );
  expect(lines.filter((each) => each.startsWith('loss'))).toEqual(line === undefined ? [] : [line]);
});

test('without recomputation', () => {
  const lines = linesOf(changed('activation_checkpoint=FullAC.Config()', 'activation_checkpoint=None'));
  expect(lines.filter((line) => line.startsWith('recompute'))).toEqual([]);
});

test('a name that one assignment gives a literal has its value, one of two has none', () => {
  const once = changed('tensor_parallel_degree=8', 'tensor_parallel_degree=TP').replace('import os\n', 'TP = 2\n');
  expect(linesOf(once)).toContain('tensor = 2');
  const twice = once.replace('TP = 2\n', 'TP = 2\nTP = 4\n');
  expect(linesOf(twice).filter((line) => line.startsWith('tensor'))).toEqual([]);
  expect(remarksOf(twice)).toContain('Not literal');
});

test('a change of a configuration is named, and several configurations are refused', () => {
  expect(remarksOf(`${file}\n\nconfig.training.steps = 10\n`)).toContain('Changes to a configuration');
  const two = `${file}\n\ndef other():\n    return Trainer.Config(hf_assets_path="x")\n`;
  const [[marked, message]] = faultsOf(two);
  expect([marked, message]).toEqual([
    'Trainer.Config(hf_assets_path="x")',
    expect.stringContaining('has several configurations'),
  ]);
});

test.each([
  ['tensor_parallel_degree=8', 'tensor_parallel_degree=-8', '-8', 'from 1'],
  ['tensor_parallel_degree=8', 'tensor_parallel_degree="8"', '"8"', 'found a text'],
  ['2 * 8192', '3 * 1000', '3 * 1000', 'are not a multiple of the 8192 tokens of a sample'],
  ['"ZBVZeroBubble"', '"Own"', '"Own"', 'PyTorch has no schedule of this name'],
])('fault: %s → %s', (from, to, place, message) => {
  const [[marked, told]] = faultsOf(changed(from, to));
  expect([marked, told]).toEqual([place, expect.stringContaining(message)]);
});

describe('values of Python', () => {
  const fieldsOf = (text: string): unknown => {
    const [call] = readPython(`x = C(${text})`, (name) => name === 'C').calls;
    return call === undefined
      ? undefined
      : Object.fromEntries(
          [...call.members]
            .slice(1)
            .map(([name, { value }]) => [
              name,
              value.kind === 'array' ? value.items.length : 'value' in value ? value.value : value.kind,
            ]),
        );
  };

  test.each([
    ['a=1, b=-2.5, c=1e3, d=1_000, e=3 * 4 * 5', { a: 1, b: -2.5, c: 1000, d: 1000, e: 60 }],
    [`a="x", b='y', c="""z""", d=True, e=False, f=None`, { a: 'x', b: 'y', c: 'z', d: true, e: false, f: 'null' }],
    ['[1, 2], (3,), D(x=1), torch.bfloat16', { _0: 2, _1: 1, _2: 'object', _3: 'torch.bfloat16' }],
    // What is computed has no value: other operators, formatted texts, escapes, dictionaries, functions and conditions.
    [
      'a=1 + 1, b=f"{x}", c="a\\n", d={"k": 1}, e=len("x"), f=1 if y else 2, g=lambda z: (1, 2), h=3',
      { a: 'null', b: 'null', c: 'null', d: 'null', e: 'null', f: 'null', g: 'null', h: 3 },
    ],
    ['a=1, # b=2\n  c=3', { a: 1, c: 3 }],
    ['a=1, a=2', { a: 1 }],
  ])('%s', (text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });

  test('a call that is not closed is none', () => {
    expect(fieldsOf('a=1, b=[1, 2')).toBeUndefined();
  });

  test('of any depth and number end soon', () => {
    expect(readPython(`x = C(${'['.repeat(50_000)}`, () => true).calls).toEqual([]);
    const laughs = Array.from({ length: 12 }, (_, at) => `x${at + 1} = [${`x${at}, `.repeat(10)}]`).join('\n');
    const { calls, open } = readPython(`x0 = [1]\n${laughs}\ny = C(a=x12)`, (name) => name === 'C');
    expect(calls).toHaveLength(1);
    expect(open.size).toBeGreaterThan(0);
    expect(faultsOf(`${file}${'#'.repeat(200_000)}`)[0][1]).toContain('up to 200000');
  });
});

test('accumulation with a pipeline is told, and is microbatches without one', () => {
  // 4 data ranks · 16384 tokens · 2 steps.
  const text = changed('            steps=1000,', '            num_tokens_per_train_step=131072,');
  expect(remarksOf(text)).toContain('An update takes 2 runs of the pipeline');
  const alone = text.replace('pipeline_parallel_degree=4', 'pipeline_parallel_degree=1');
  expect(remarksOf(alone)).not.toContain('runs of the pipeline');
  expect(linesOf(alone)).toContain('microbatches = 2');
});

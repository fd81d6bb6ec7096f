/** Configurations of torchtitan in TOML. */
import { describe, expect, test } from 'vitest';
import { modelOfRepository, modelOfWords } from '../../../../engine/formats/recipe/models.ts';
import { publishedModels } from '../../../../engine/formats/huggingFace/publishedModels.ts';
import { faultsOf, importedText, linesOf, llamaWeights, recipeText, runOfRecipe } from './recipes.ts';

const file = recipeText('torchtitan.toml');
const changed = (from: string, to: string): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};
const remarksOf = (text: string): string => importedText(text).remarks.join('\n');

describe('Llama 3.1 405B on 512 devices', () => {
  const { plan, parameters, errors, warnings, remarks } = runOfRecipe(file);

  test('has the weights of the model, and runs', () => {
    expect(parameters).toBe(llamaWeights(126, 16384, 1024, 53248, 128256));
    expect(parameters).toBe(405_853_388_800);
    expect(errors).toEqual([]);
    expect(warnings).not.toContain('engine/unsupported');
    expect(warnings).not.toContain('engine/defaults');
  });

  test('has the ranks, batch and stages that torchtitan makes', () => {
    // 8 pipeline ranks × 8 tensor ranks × (2 × 4) data ranks.
    expect([plan.devices.length, plan.tensor, plan.data]).toEqual([8, 8, 8]);
    // 16 samples of a rank in microbatches of one.
    expect(plan.microbatches).toBe(16);
    expect(linesOf(file)).toEqual(expect.arrayContaining(['sequence = 8192', 'micro_batch = 1']));
    // 126 layers, one less in the first and one in the last stage: 128 / 4 stages, four a rank.
    expect(plan.stages.map(({ layers }) => layers.length)).toEqual(new Array<number>(32).fill(4));
    expect(linesOf(file)).toEqual(
      expect.arrayContaining([
        'engine = torchtitan',
        'schedule = interleaved_1f1b(chunks = 4)',
        'optimizer = adamw(shard = fsdp, over = 4, reshard = false, clip = true)',
        'sequence_parallel = true',
        'recompute = full',
        'stage s0 { layers = embed, block[0..2] }',
        'stage s31 { layers = block[123..125], head }',
      ]),
    );
  });

  test('says what it did not use', () => {
    expect(remarks).toEqual([
      'The file does not name its devices: nodes of eight H100 are written. Change them.',
      'Not used, though they may change time or memory: parallelism.enable_async_tensor_parallel, compile.enable, compile.components.',
    ]);
    // The editor shows no remarks: they are comments of the file.
    for (const remark of remarks) expect(importedText(file).pipe).toContain(`// ${remark}`);
  });
});

test('groups without a pipeline reduce gradients in each step of accumulation', () => {
  const optimizer = (batch: number): string | undefined =>
    linesOf(
      file
        .replace('pipeline_parallel_degree = 8', 'pipeline_parallel_degree = 1')
        .replace('local_batch_size = 16', `local_batch_size = 1\nglobal_batch_size = ${batch}`),
    ).find((line) => line.startsWith('optimizer'));
  expect(optimizer(16)).toBe('optimizer = adamw(shard = fsdp, over = 4, gradient_sync = each, clip = true)');
  expect(optimizer(8)).toBe('optimizer = adamw(shard = fsdp, over = 4, clip = true)');
});

test.each([
  ['"GPipe"', 'gpipe'],
  ['"1F1B"', '1f1b'],
])('stages of %s: one a rank, the first ones get what is left over', (name, schedule) => {
  const text = changed('"Interleaved1F1B"', name).replace('pipeline_parallel_layers_per_stage = 4', '');
  const { plan, errors } = runOfRecipe(text.replace('"405B"', '"70B"'));
  expect(linesOf(text)).toContain(`schedule = ${schedule}`);
  // 80 layers and 2 on 8 stages: 11, 11 and six times 10, the first and the last with an embedding or a head for a layer.
  expect(plan.stages.map(({ layers }) => layers.length)).toEqual([11, 11, 10, 10, 10, 10, 10, 10]);
  expect(errors).toEqual([]);
});

test.each([
  ['"LoopedBFS"', 'breadth_first(chunks = 2)'],
  ['"interleavedzerobubble"', 'interleaved_zb(chunks = 2)'],
  ['"ZBVZeroBubble"', 'zb_v'],
  ['"DualPipeV"', 'dualpipe_v'],
])('%s has two stages a rank unless the file says how many layers', (name, schedule) => {
  const text = changed('"Interleaved1F1B"', name).replace('pipeline_parallel_layers_per_stage = 4', '');
  const { plan, errors } = runOfRecipe(text.replace('"405B"', '"70B"'));
  expect(linesOf(text)).toContain(`schedule = ${schedule}`);
  expect([plan.stages.length, errors]).toEqual([16, []]);
});

test('without a pipeline a rank runs its batch at once, and steps of accumulation are microbatches', () => {
  const text = changed('pipeline_parallel_degree = 8', 'pipeline_parallel_degree = 1').replace(
    'local_batch_size = 16',
    'local_batch_size = 2\nglobal_batch_size = 64',
  );
  const { plan } = runOfRecipe(text);
  // 64 samples / (8 data ranks × 2).
  expect([plan.microbatches, plan.devices.length]).toEqual([4, 1]);
  expect(linesOf(text)).toContain('micro_batch = 2');
  expect(remarksOf(text)).not.toContain('pipeline_parallel_schedule');
});

test('accumulation with a pipeline and a batch that does not divide are told', () => {
  expect(remarksOf(changed('seq_len = 8192', 'seq_len = 8192\nglobal_batch_size = 256'))).toContain(
    'An update takes 2 runs of the pipeline',
  );
  expect(remarksOf(changed('seq_len = 8192', 'seq_len = 8192\nglobal_batch_size = 130'))).toContain(
    'global_batch_size 130 is not a multiple of the 128 samples',
  );
});

test('ranks that the launcher decides have a placeholder', () => {
  const text = changed('data_parallel_shard_degree = 4', 'data_parallel_shard_degree = -1');
  const { plan, remarks } = runOfRecipe(text);
  expect([plan.data, plan.tensor]).toEqual([4, 8]);
  expect(remarks.join('\n')).toContain('does not say how many there are: 256 are written. Set `data`.');
});

test('releases with TOML compute the loss at once, in one kernel if it is compiled', () => {
  expect(linesOf(file)).toContain('loss = compiled');
  expect(linesOf(changed('"model", "loss"', '"model"'))).toContain('loss = eager');
});

test('replicas alone are DDP', () => {
  const text = changed('data_parallel_shard_degree = 4', 'data_parallel_shard_degree = 1');
  expect(linesOf(text)).toEqual(expect.arrayContaining(['optimizer = adamw(clip = true)', 'sync = ddp', 'data = 2']));
});

test.each([
  ['mode = "none"', undefined],
  ['mode = "selective"\nselective_ac_option = "op"', 'recompute = operations'],
  ['mode = "selective"\nselective_ac_option = "2"', 'recompute = full(layers = 2)'],
  ['mode = "memory_budget"\nmemory_budget = 0.25', 'recompute = budget(25%)'],
  ['mode = "memory_budget"', 'recompute = budget(50%)'],
  ['mode = "another"', undefined],
])('recomputation %#', (mode, line) => {
  const found = linesOf(changed('mode = "full"', mode)).filter((each) => each.startsWith('recompute'));
  expect(found).toEqual(line === undefined ? [] : [line]);
});

test('precision: fp32, all in bf16, and products in fp8', () => {
  expect(linesOf(changed('steps = 3000', 'mixed_precision_param = "float32"'))).toContain('precision = fp32');
  const whole = linesOf(changed('steps = 3000', 'dtype = "bfloat16"'));
  expect(whole).toContain('precision = bf16');
  expect(whole.join('\n')).toContain('optimizer = adam_bf16(');
  expect(linesOf(changed('flavor = "405B"', 'flavor = "405B"\nconverters = ["float8"]'))).toContain('precision = fp8');
});

test('a model that is not in std:models needs its configuration', () => {
  const text = changed('"405B"', '"406B"');
  expect(linesOf(text)).toContain('from = huggingface("config.json")');
  expect(remarksOf(text)).toContain('`model.name` and `model.flavor` do not name a model of std:models');
});

test('of a model whose layers are not known, no layer is recomputed that the file does not name', () => {
  const text = changed('"405B"', '"406B"').replace('mode = "full"', 'mode = "selective"\nselective_ac_option = "2"');
  expect(linesOf(text).filter((line) => line.startsWith('recompute'))).toEqual([]);
  expect(remarksOf(text)).toContain('One of 2 layers is recomputed. Here none are');
});

test('names of models: exact ones and known spellings, no others', () => {
  for (const { name } of publishedModels) expect(modelOfWords(name)).toBe(name);
  expect(modelOfWords('llama3', '8B')).toBe('llama3_8b');
  expect(modelOfWords('qwen3', '30B-A3B')).toBe('qwen3_30b_a3b');
  expect(modelOfWords('deepseek_v3', '671B')).toBe('deepseek_v3');
  expect(modelOfWords('llama3', '8B_mine')).toBeUndefined();
  expect(modelOfRepository('NousResearch/Meta-Llama-3-8B')).toBe('llama3_8b');
  expect(modelOfRepository('meta-llama/Llama-3.3-70B-Instruct')).toBe('llama3_1_70b');
  expect(modelOfRepository('someone/Meta-Llama-3-8B')).toBeUndefined();
  expect(modelOfRepository('meta-llama/Meta-Llama-3-8B-pruned')).toBeUndefined();
  expect(modelOfRepository('./Meta-Llama-3-8B')).toBeUndefined();
});

test.each([
  ['tensor_parallel_degree = 8', 'tensor_parallel_degree = 0', '0', 'must be a whole number from 1'],
  ['tensor_parallel_degree = 8', 'tensor_parallel_degree = "8"', '"8"', 'found a text'],
  ['data_parallel_shard_degree = 4', 'data_parallel_shard_degree = -2', '-2', 'from -1'],
  ['data_parallel_shard_degree = 4', 'data_parallel_shard_degree = 0', '0', 'must be −1 or at least 1'],
  ['local_batch_size = 16', 'local_batch_size = 1.5', '1.5', 'a whole number'],
  ['"Interleaved1F1B"', '"Chimera"', '"Chimera"', 'PyTorch has no schedule of this name'],
  ['layers_per_stage = 4', 'layers_per_stage = 100', '100', '2 stages on 8 ranks'],
  ['pipeline_parallel_degree = 8', 'pipeline_parallel_degree = 100', '4', 'stages on 100 ranks'],
  ['local_batch_size = 16', 'local_batch_size = 16\nlocal_batch_size = 2', 'l', 'a second time'],
  ['[compile]', '[training]', 't', 'a second time'],
  ['seq_len = 8192', 'seq_len = ', '\n', 'not valid TOML'],
])('fault %#', (from, to, place, message) => {
  const [[marked, told]] = faultsOf(changed(from, to));
  expect([marked.startsWith(place) || marked, told]).toEqual([true, expect.stringContaining(message)]);
});

test('line ends of Windows and a byte order mark change nothing', () => {
  expect(importedText(`\uFEFF${file.replaceAll('\n', '\r\n')}`)).toEqual(importedText(file));
  const text = `\uFEFF${changed('tensor_parallel_degree = 8', 'tensor_parallel_degree = 0').replaceAll('\n', '\r\n')}`;
  expect(faultsOf(text)[0][0]).toBe('0');
});

test('a text of any length and depth ends soon', () => {
  expect(faultsOf(`${file}\n${'#'.repeat(200_000)}`)[0][1]).toContain('up to 200000 characters');
  expect(importedText(`${file}\n${'a.'.repeat(50_000)}a = 1\n`).remarks.length).toBeGreaterThan(0);
  expect(faultsOf(`${file}\nz = ${'['.repeat(5000)}`)[0][1]).toContain('not valid TOML');
  expect(importedText(`${file}\nz = "${' '.repeat(150_000)}"`).remarks.length).toBeGreaterThan(0);
});

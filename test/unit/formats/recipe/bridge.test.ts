/** Configurations of Megatron Bridge and NeMo. */
import { describe, expect, test } from 'vitest';
import { faultsOf, importedText, linesOf, llamaWeights, recipeText, runOfRecipe } from './recipes.ts';

const bridge = recipeText('bridge.yaml');
const nemo = recipeText('nemo.yaml');
const changed = (from: string, to: string, file = bridge): string => {
  expect(file).toContain(from);
  return file.replace(from, to);
};
const remarksOf = (text: string): string => importedText(text).remarks.join('\n');

describe('Llama 3 70B, printed by Megatron Bridge', () => {
  const { plan, parameters, errors, warnings, remarks } = runOfRecipe(bridge);

  test('has the weights of its widths, and runs', () => {
    expect(parameters).toBe(llamaWeights(80, 8192, 1024, 28672, 128256));
    expect(parameters).toBe(70_553_706_496);
    expect(errors).toEqual([]);
    expect(warnings.filter((code) => code.startsWith('engine/'))).toEqual([]);
  });

  test('has ranks, stages and batch of the file', () => {
    expect([plan.devices.length, plan.tensor, plan.data]).toEqual([4, 4, 2]);
    // 128 / (2 data ranks · 1).
    expect(plan.microbatches).toBe(64);
    // 80 layers on 4 · 5 stages.
    expect(plan.stages.map(({ layers }) => layers.length)).toEqual([5, ...new Array<number>(18).fill(4), 5]);
    expect(linesOf(bridge)).toEqual(
      expect.arrayContaining([
        'engine = megatron_bridge',
        'context = 2',
        'sequence_parallel = true',
        'sequence = 8192',
        'optimizer = megatron_bf16(shard = distributed, clip = true)',
        'sync = overlap(bucket = 160MB)',
        'schedule = interleaved_1f1b(chunks = 5)',
      ]),
    );
  });

  test('says what it did not use, and what it assumed', () => {
    expect(remarks).toEqual([
      'The file does not say how many devices there are: 2 data ranks are written. Set `data`.',
      'comm_overlap.tp_comm_overlap is written as `overlap(tensor) = 60%`: what its kernels can hide. Change it if you measured yours.',
      'The file does not name its devices: nodes of eight H100 are written. Change them.',
      'Not used, though they may change time or memory: ddp.overlap_param_gather, model.overlap_p2p_comm.',
    ]);
    for (const remark of remarks) expect(importedText(bridge).pipe).toContain(`// ${remark}\n`);
  });
});

describe('Llama 2 7B, of NeMo', () => {
  const { plan, parameters, errors, remarks } = runOfRecipe(nemo);

  test('has weights, ranks and batch of the file', () => {
    expect(parameters).toBe(llamaWeights(32, 4096, 4096, 11008, 32000));
    expect(parameters).toBe(6_738_415_616);
    // 4 nodes of 8 devices / (2 tensor ranks · 4 pipeline ranks), and 256 samples / (4 · 2).
    expect([plan.tensor, plan.devices.length, plan.data, plan.microbatches]).toEqual([2, 4, 4, 32]);
    expect(linesOf(nemo)).toEqual(
      expect.arrayContaining([
        'optimizer = megatron_bf16(shard = distributed, clip = true)',
        'recompute = full(layers = 2)',
      ]),
    );
    expect(errors).toEqual([]);
    expect(remarks).toContain(
      'model.ub_tp_comm_overlap is written as `overlap(tensor) = 40%`: what its kernels can hide. Change it if you measured yours.',
    );
    expect(remarks.join('\n')).not.toContain('Not used');
  });
});

test.each([
  ['  recompute_granularity: null', '  recompute_granularity: selective', 'recompute = selective'],
  [
    '  recompute_granularity: null',
    '  recompute_granularity: full\n  recompute_method: uniform\n  recompute_num_layers: 1',
    'recompute = full',
  ],
  ['  fp8: null', '  fp8: hybrid', 'precision = fp8'],
  ['  fp8: null', '  fp8: hybrid', 'activations = fp8(recipe = current)'],
  ['  bf16: true\n  fp16: false\n  fp8: null', '  bf16: false\n  fp16: true\n  fp8: null', 'precision = fp16'],
  [
    '  grad_reduce_in_fp32: true\n  overlap',
    '  grad_reduce_in_fp32: false\n  overlap',
    'sync = overlap(bucket = 80MB)',
  ],
  [
    'use_precision_aware_optimizer: false',
    'use_precision_aware_optimizer: true',
    'optimizer = megatron_bf16(shard = distributed, clip = true)',
  ],
  ['cp_comm_type: null', 'cp_comm_type: a2a', 'context_exchange = all_to_all'],
  ['use_tp_pp_dp_mapping: false', 'use_tp_pp_dp_mapping: true', 'rank_order = tp_cp_pp_dp'],
  [
    'peft: null',
    'peft:\n  _target_: megatron.bridge.peft.lora.LoRA\n  dim: 8\n  target_modules: [linear_qkv, linear_fc2]\n  dropout: 0.1',
    'trainable = lora(rank = 8, targets = [q, k, v, down], dropout = 0.1)',
  ],
])('%s → %s', (from, to, line) => {
  expect(linesOf(changed(from, to))).toContain(line);
});

test('experts of a printed model', () => {
  const text = changed('num_moe_experts: null', 'num_moe_experts: 8')
    .replace('expert_model_parallel_size: 1', 'expert_model_parallel_size: 4')
    .replace(
      '  moe_layer_freq: 1',
      `  moe_layer_freq: [${[...new Array<number>(4).fill(0), ...new Array<number>(76).fill(1)].join(', ')}]`,
    )
    .replace('  moe_router_topk: 2', '  moe_router_topk: 2\n  moe_ffn_hidden_size: 2048');
  const { plan } = runOfRecipe(text);
  expect(plan.expert).toBe(4);
  expect(linesOf(text).join(' ')).toContain('layer block[4]');
  expect(linesOf(text).join(' ')).toContain('layer moe[76]');
  expect(linesOf(text).join(' ')).toContain('experts = 8, experts_per_token = 2, expert_ffn = 2048');
});

test('a layout, as a text or as lists', () => {
  const even = changed('virtual_pipeline_model_parallel_size: 5', 'virtual_pipeline_model_parallel_size: null');
  const text = changed(
    'pipeline_model_parallel_layout: null',
    'pipeline_model_parallel_layout: "Et*19|t*20|t*21|t*20L"',
    even,
  );
  expect(runOfRecipe(text).plan.stages.map(({ layers }) => layers.length)).toEqual([20, 20, 21, 21]);
  const lists = '[[embedding, decoder], [decoder], [decoder], [decoder, loss]]';
  const small = even.replace('layout: null', `layout: ${lists}`).replace('num_layers: 80', 'num_layers: 4');
  expect(runOfRecipe(small).plan.stages.map(({ layers }) => layers.length)).toEqual([2, 1, 1, 2]);
  expect(faultsOf(small.replace('[decoder],', '[encoder],'))[0][1]).toMatch(/symbol|layout/i);
});

describe('overrides of a recipe', () => {
  const text = `recipe:
  _target_: megatron.bridge.recipes.qwen.qwen3.qwen3_8b_pretrain_config
train:
  global_batch_size: 64
  micro_batch_size: 2
model:
  seq_length: 4096
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
  virtual_pipeline_model_parallel_size: 3
`;

  test('take the model by the name of the recipe', () => {
    const { plan, parameters, errors } = runOfRecipe(text);
    // Qwen 3 8B.
    expect(parameters).toBe(8_190_735_360);
    // 36 layers on 6 stages; 64 / (2 data ranks · 2).
    expect(plan.stages.map(({ layers }) => layers.length)).toEqual([7, 6, 6, 6, 6, 7]);
    expect([plan.tensor, plan.data, plan.microbatches, errors]).toEqual([2, 2, 16, []]);
    expect(linesOf(text)).toEqual(
      expect.arrayContaining([
        'from = qwen3_8b',
        'stage s1 { layers = block[6..11] }',
        'schedule = interleaved_1f1b(chunks = 3)',
        'optimizer = megatron_bf16(shard = distributed, clip = true)',
        'sync = overlap(bucket = 160MB)',
      ]),
    );
    expect(remarksOf(text)).toContain('The file changes a recipe');
  });

  test.each([
    ['megatron.bridge.models.llama.llama_provider.Llama31ModelProvider405B', 'llama3_1_405b'],
    ['nemo.collections.llm.gpt.model.llama.Llama3Config8B', 'llama3_8b'],
    ['megatron.bridge.models.qwen.qwen_provider.Qwen25ModelProvider7B', 'qwen2_5_7b'],
  ])('or of the class %s', (target, name) => {
    const named = text
      .replace(/recipe:\n.*\n/, '')
      .replace('model:\n', `model:\n  _target_: ${target}\n`)
      .replace('  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 3\n', '');
    expect(linesOf(named)).toContain(`from = ${name}`);
  });

  test('and a configuration for another one', () => {
    const unknown = text.replace('qwen3_8b_', 'own_9b_');
    expect(linesOf(unknown)).toEqual(
      expect.arrayContaining(['from = huggingface("config.json")', 'stages = balance(6)']),
    );
    expect(remarksOf(unknown)).toContain('names no model of std:models');
  });

  test('stages that Megatron Core refuses are refused', () => {
    const [[marked, message]] = faultsOf(
      text.replace('virtual_pipeline_model_parallel_size: 3', 'virtual_pipeline_model_parallel_size: 5'),
    );
    expect([marked, message]).toEqual(['5', 'A rank has 18 layers, which do not divide into 5 stages.']);
  });
});

test.each([
  ['tensor_model_parallel_size: 4', 'tensor_model_parallel_size: -4', '-4', 'from 0'],
  ['tensor_model_parallel_size: 4', 'tensor_model_parallel_size: four', 'four', 'found a text'],
  ['num_layers: 80', 'num_layers: 81', '81', '81 layers are not shared evenly by 4 pipeline ranks'],
  ['num_layers: 80\n', 'layers: 80\n', '_', '`model.num_layers` is missing'],
  ['sequence_parallel: true', 'sequence_parallel: 1', '1', 'true or false'],
  ['num_layers: 80', 'num_layers: 80\n  num_layers: 80', 'num_layers', 'a second time'],
  ['num_layers: 80', 'num_layers: 80\n  hybrid_override_pattern: M-M*', 'M-M*', 'Mamba'],
  ['num_layers: 80', 'num_layers: !!python/object:os.system x', '', 'found a text'],
])('fault: %s → %s', (from, to, place, message) => {
  const [[marked, told]] = faultsOf(changed(from, to));
  if (place === '_') expect(marked.startsWith(place)).toBe(true);
  else if (place !== '') expect(marked).toBe(place);
  expect(told).toContain(message);
});

test('a strategy of sharding applies only with Megatron FSDP', () => {
  const strategy = changed('data_parallel_sharding_strategy: no_shard', 'data_parallel_sharding_strategy: optim_grads');
  expect(linesOf(strategy)).toContain('optimizer = megatron_bf16(shard = distributed, clip = true)');
  const fsdp = strategy.replace('  use_tp_pp_dp_mapping: false', '  use_megatron_fsdp: true');
  expect(linesOf(fsdp)).toContain('optimizer = megatron_bf16(shard = zero2, clip = true)');
});

test.each([
  ['bf16_with_fp8_current_scaling_mixed', 'activations = fp8(recipe = current)'],
  ['bf16_with_fp8_subchannel_scaling_mixed', 'activations = fp8(recipe = blockwise)'],
  ['bf16_with_mxfp8_mixed', 'activations = fp8(recipe = mxfp8)'],
  ['bf16_with_nvfp4_mixed', 'activations = fp4'],
  ['fp16_mixed', 'precision = fp16'],
])('precision by its name: %s', (name, line) => {
  const text = `recipe:
  _target_: megatron.bridge.recipes.llama.llama3.llama3_8b_pretrain_config
mixed_precision: ${name}
train:
  global_batch_size: 64
model:
  tensor_model_parallel_size: 2
`;
  expect(linesOf(text)).toContain(line);
});

test('experts of a rank share adapters', () => {
  const text = changed('num_moe_experts: null', 'num_moe_experts: 8').replace('peft: null', 'peft: lora');
  expect(linesOf(text)).toContain(
    'trainable = lora(rank = 32, targets = [q, k, v, o, gate, up, down], experts = shared)',
  );
});

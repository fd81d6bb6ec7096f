/** Families that are rows of data: their parameters, and what their layers attend to. */
import { describe, expect, it, test } from 'vitest';
import { findShape } from '../../../engine/costs/shapes.ts';
import { argsOfEach } from '../../../engine/formats/huggingFace/model.ts';
import { readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import { importText } from '../../../engine/formats/importText.ts';
import { setting } from '../costs/settings.ts';
import { resolveText } from '../../support/resolve.ts';

const read = (config: object) => {
  const found = readConfiguration(JSON.stringify(config));
  if ('faults' in found) throw new Error(found.faults.map((fault) => fault.message).join('\n'));
  return found;
};
const layersOf = (config: object) => read(config).layers.map(({ name, count = 1, args }) => ({ name, count, ...args }));
/** Letters of the layers between the ends, and what each letter stands for. */
const patternOf = (config: object) => {
  const { count, pattern } = read(config).layers[1];
  const shapes: Readonly<Record<string, object>> = pattern?.args ?? {};
  return { count, letters: pattern?.letters, shapes };
};
const faultsOf = (config: object) => {
  const found = readConfiguration(JSON.stringify(config));
  return 'faults' in found ? found.faults.map(({ message }) => message) : [];
};

type Widths = readonly [layers: number, hidden: number, heads: number, kv: number, ffn: number, vocab: number];
const config = (
  model_type: string,
  [num_hidden_layers, hidden_size, num_attention_heads, num_key_value_heads, intermediate_size, vocab_size]: Widths,
  more: object = {},
) => ({
  ...{ model_type, num_hidden_layers, hidden_size, num_attention_heads, num_key_value_heads },
  ...{ intermediate_size, vocab_size, ...more },
});
const untied = { tie_word_embeddings: false };
const tied = { tie_word_embeddings: true };
const glmExperts = { n_shared_experts: 1, num_experts_per_tok: 8, ...untied, head_dim: 128 };

const gptOss = (layers: number, num_local_experts: number) =>
  config('gpt_oss', [layers, 2880, 64, 8, 2880, 201088], {
    ...{
      head_dim: 64,
      num_local_experts,
      num_experts_per_tok: 4,
      sliding_window: 128,
      attention_bias: true,
      ...untied,
    },
  });
const gemma3 = config('gemma3_text', [62, 5376, 32, 16, 21504, 262208], { head_dim: 128, sliding_window: 1024 });
const llama4 = (num_local_experts: number, interleave_moe_layer_step: number) =>
  config('llama4_text', [48, 5120, 40, 8, 8192, 202048], {
    ...{ head_dim: 128, intermediate_size_mlp: 16384, num_local_experts, num_experts_per_tok: 1, ...untied },
    ...{ interleave_moe_layer_step, attention_chunk_size: 8192 },
  });

const qwenNext = config('qwen3_next', [48, 2048, 16, 2, 5120, 151936], {
  ...{ head_dim: 256, num_experts: 512, num_experts_per_tok: 10, moe_intermediate_size: 512, ...untied },
  ...{ shared_expert_intermediate_size: 512, linear_num_value_heads: 32, linear_num_key_heads: 16 },
  ...{ linear_key_head_dim: 128, linear_value_head_dim: 128, linear_conv_kernel_dim: 4, full_attention_interval: 4 },
});
const fullOfKimi = [4, 8, 12, 16, 20, 24, 27];
const kimiLinear = config('kimi_linear', [27, 2304, 32, 32, 9216, 163840], {
  ...{ num_experts: 256, num_experts_per_token: 8, num_shared_experts: 1, moe_intermediate_size: 1024, ...untied },
  ...{ first_k_dense_replace: 1, moe_layer_freq: 1, kv_lora_rank: 512, q_lora_rank: null, qk_nope_head_dim: 128 },
  ...{ qk_rope_head_dim: 64, v_head_dim: 128, head_dim: 72 },
  linear_attn_config: {
    ...{ head_dim: 128, num_heads: 32, short_conv_kernel_size: 4, full_attn_layers: fullOfKimi },
    kda_layers: Array.from({ length: 27 }, (_, layer) => layer + 1).filter((layer) => !fullOfKimi.includes(layer)),
  },
});
const nemotronH = {
  ...{ model_type: 'nemotron_h', hidden_size: 4096, intermediate_size: 21504, num_attention_heads: 32, ...untied },
  ...{ num_key_value_heads: 8, head_dim: 128, mamba_num_heads: 128, mamba_head_dim: 64, n_groups: 8 },
  ...{ ssm_state_size: 128, vocab_size: 131072, chunk_size: 128, conv_kernel: 4 },
  hybrid_override_pattern: 'M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-',
};

/** Counts of transformers 5.17, built from the fields; with the correction of the router, a number for each expert that it keeps apart. */
const published: readonly (readonly [string, object, number])[] = [
  // Its model card, arXiv:2508.10925, has 20.91 and 116.83 billion.
  ['gpt-oss 20B', gptOss(24, 32), 20_914_757_184],
  ['gpt-oss 120B', gptOss(36, 128), 116_829_156_672],
  [
    'Gemma 2 2B',
    config('gemma2', [26, 2304, 8, 4, 9216, 256000], { head_dim: 256, sliding_window: 4096 }),
    2_614_341_888,
  ],
  [
    'Gemma 2 9B',
    config('gemma2', [42, 3584, 16, 8, 14336, 256000], { head_dim: 256, sliding_window: 4096 }),
    9_241_705_984,
  ],
  [
    'Gemma 2 27B',
    config('gemma2', [46, 4608, 32, 16, 36864, 256000], { head_dim: 128, sliding_window: 4096 }),
    27_227_128_320,
  ],
  [
    'Gemma 3 1B',
    config('gemma3_text', [26, 1152, 4, 1, 6912, 262144], { head_dim: 256, sliding_window: 512 }),
    999_885_952,
  ],
  ['Gemma 3 27B without its vision tower', gemma3, 27_009_346_304],
  ['OLMo 2 7B', config('olmo2', [32, 4096, 32, 32, 11008, 100352], untied), 7_298_617_344],
  ['OLMo 2 32B', config('olmo2', [64, 5120, 40, 8, 27648, 100352], untied), 32_234_279_936],
  ['OLMo 3 7B', config('olmo3', [32, 4096, 32, 32, 11008, 100278], { ...untied, sliding_window: 4096 }), 7_298_011_136],
  [
    'OLMo 3 32B',
    config('olmo3', [64, 5120, 40, 8, 27648, 100278], { ...untied, sliding_window: 4096 }),
    32_233_522_176,
  ],
  ['SmolLM 3 3B', config('smollm3', [36, 2048, 16, 4, 11008, 128256], tied), 3_075_098_624],
  [
    'Seed-OSS 36B',
    config('seed_oss', [64, 5120, 80, 8, 27648, 155136], {
      ...{ head_dim: 128, attention_bias: true, attention_out_bias: false, ...untied },
    }),
    36_151_104_512,
  ],
  [
    'Ministral 3 8B',
    config('ministral3', [34, 4096, 32, 8, 14336, 131072], { head_dim: 128, ...untied }),
    8_489_553_920,
  ],
  ['Granite 3.3 8B', config('granite', [40, 4096, 32, 8, 12800, 49159], tied), 8_170_864_640],
  [
    'Granite 3.1 3B-A800M',
    config('granitemoe', [32, 1536, 24, 8, 512, 49155], { num_local_experts: 40, num_experts_per_tok: 8, ...tied }),
    3_298_793_472,
  ],
  [
    'GLM-4 9B 0414',
    config('glm4', [40, 4096, 32, 2, 13696, 151552], { head_dim: 128, attention_bias: true, ...untied }),
    9_400_279_040,
  ],
  ['GLM-4 32B 0414', config('glm4', [61, 6144, 48, 2, 23040, 151552], { head_dim: 128, ...untied }), 32_566_081_536],
  [
    'GLM-4 9B',
    config('glm', [40, 4096, 32, 2, 13696, 151552], { head_dim: 128, attention_bias: true, ...untied }),
    9_399_951_360,
  ],
  ['ERNIE 4.5 0.3B', config('ernie4_5', [18, 1024, 16, 2, 3072, 103424], { head_dim: 128, ...tied }), 360_748_032],
  ['Phi-4', config('phi3', [40, 5120, 40, 10, 17920, 100352], untied), 14_659_507_200],
  ['Phi-4 mini', config('phi3', [32, 3072, 24, 8, 8192, 200064], tied), 3_836_021_760],
  [
    'EXAONE 4.0 32B',
    config('exaone4', [64, 5120, 40, 8, 27392, 102400], { head_dim: 128, sliding_window: 4096, ...untied }),
    32_003_216_384,
  ],
  [
    'Hunyuan 7B',
    config('hunyuan_v1_dense', [32, 4096, 32, 8, 14336, 128167], { head_dim: 128, ...tied }),
    7_504_568_320,
  ],
  ['AFM 4.5B', config('arcee', [36, 2560, 20, 4, 18432, 128004], { head_dim: 128, ...untied }), 4_619_184_640],
  ['a Nemotron', config('nemotron', [32, 4096, 32, 8, 16384, 256000], untied), 7_734_829_056],
  ['Qwen 3 4B', config('qwen3', [36, 2560, 32, 8, 9728, 151936], { head_dim: 128, ...tied }), 4_022_468_096],
  [
    'Qwen 1.5 MoE A2.7B',
    config('qwen2_moe', [24, 2048, 16, 16, 5632, 151936], {
      ...{ num_experts: 60, num_experts_per_tok: 4, moe_intermediate_size: 1408, ...untied },
      shared_expert_intermediate_size: 5632,
    }),
    14_315_784_192,
  ],
  [
    'Qwen 2 57B-A14B',
    config('qwen2_moe', [28, 3584, 28, 4, 18944, 151936], {
      ...{ num_experts: 64, num_experts_per_tok: 8, moe_intermediate_size: 2560, ...untied },
      shared_expert_intermediate_size: 20480,
    }),
    57_408_658_944,
  ],
  [
    'GLM-4.5',
    config('glm4_moe', [92, 5120, 96, 8, 12288, 151552], {
      ...{ ...glmExperts, n_routed_experts: 160, moe_intermediate_size: 1536, first_k_dense_replace: 3 },
      ...{ attention_bias: true, use_qk_norm: true },
    }),
    352_797_829_024,
  ],
  [
    'GLM-4.5-Air',
    config('glm4_moe', [46, 4096, 96, 8, 10944, 151552], {
      ...{ ...glmExperts, n_routed_experts: 128, moe_intermediate_size: 1408, first_k_dense_replace: 1 },
      ...{ attention_bias: true, use_qk_norm: false },
    }),
    106_852_251_264,
  ],
  [
    'dots.llm1',
    config('dots1', [62, 4096, 32, 32, 10944, 152064], {
      ...{ ...glmExperts, n_routed_experts: 128, n_shared_experts: 2, num_experts_per_tok: 6 },
      ...{ moe_intermediate_size: 1408, first_k_dense_replace: 1 },
    }),
    142_774_381_696,
  ],
  [
    'ERNIE 4.5 21B-A3B',
    config('ernie4_5_moe', [28, 2560, 20, 4, 12288, 103424], {
      ...{ moe_num_experts: 64, moe_k: 6, moe_num_shared_experts: 2, moe_intermediate_size: 1536, ...tied },
      ...{ moe_layer_start_index: 1, moe_layer_end_index: 27, moe_layer_interval: 1, use_bias: false },
    }),
    21_825_437_888,
  ],
  [
    'ERNIE 4.5 300B-A47B',
    config('ernie4_5_moe', [54, 8192, 64, 8, 28672, 103424], {
      ...{ moe_num_experts: 64, moe_k: 8, moe_num_shared_experts: 0, moe_intermediate_size: 3584, ...untied },
      ...{ moe_layer_start_index: 3, moe_layer_end_index: 53, moe_layer_interval: 1, use_bias: false },
    }),
    299_484_163_264,
  ],
  [
    'MiniMax-M2',
    config('minimax_m2', [62, 3072, 48, 8, 1536, 200064], {
      ...{ head_dim: 128, num_local_experts: 256, num_experts_per_tok: 8, ...untied },
    }),
    228_689_764_864,
  ],
  [
    'OLMoE 1B-7B',
    config('olmoe', [16, 2048, 16, 16, 1024, 50304], { num_experts: 64, num_experts_per_tok: 8, ...untied }),
    6_919_161_856,
  ],
  ['Llama 4 Scout without its vision tower', llama4(16, 1), 107_769_861_120],
  ['Llama 4 Maverick without its vision tower', llama4(128, 2), 400_711_848_960],
  // With the prediction of more tokens that the checkpoint has, 81.3 billion.
  ['Qwen3-Next 80B-A3B', qwenNext, 79_674_391_296],
  ['Kimi Linear 48B-A3B', kimiLinear, 49_122_681_728],
  [
    'MiniMax-Text-01',
    config('minimax', [80, 6144, 64, 8, 9216, 200064], {
      ...{ head_dim: 128, num_local_experts: 32, num_experts_per_tok: 2, ...untied },
      attn_type_list: Array.from({ length: 80 }, (_, layer) => ((layer + 1) % 8 === 0 ? 1 : 0)),
    }),
    456_089_655_296,
  ],
  ['Nemotron-H 8B', nemotronH, 8_100_852_736],
  [
    'Nemotron 3 Nano 30B-A3B',
    {
      ...{ ...nemotronH, hidden_size: 2688, intermediate_size: 1856, num_key_value_heads: 2, mamba_num_heads: 64 },
      ...{ n_routed_experts: 128, num_experts_per_tok: 6, moe_intermediate_size: 1856, n_shared_experts: 1 },
      moe_shared_expert_intermediate_size: 3712,
      hybrid_override_pattern: 'MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME',
    },
    31_577_940_288,
  ],
];

describe('rows of families, to the parameter', () => {
  it.each(published)('%s', (_, file, total) => {
    const { layers } = read(file);
    const parameters = layers.flatMap((layer) =>
      argsOfEach(layer).map((args) => findShape(layer.shape)?.cost(args, setting()).parameters ?? NaN),
    );
    expect(parameters.reduce((sum, one) => sum + one, 0)).toBe(total);
  });

  it.each(
    published.filter(([name]) => /120B|Gemma 3 1B|Maverick|EXAONE|dots|Next|Kimi|MiniMax-Text|Nemotron/.test(name)),
  )('%s is a text without findings', (_, file) => {
    const imported = importText(JSON.stringify(file));
    if (imported === undefined || 'faults' in imported) throw new Error('not imported');
    expect(resolveText(imported.pipe).findings).toEqual([]);
    // Models without their towers have no line that is a layer of a run.
    expect(imported.pipe.match(/layer /g)?.length).toBeLessThan(6);
  });
});

describe('layers that alternate', () => {
  test('five of six layers of Gemma 3 have a window', () => {
    const { count, letters, shapes } = patternOf(gemma3);
    const { w, b } = shapes;
    expect([count, letters]).toEqual([62, 'wwwwwb']);
    expect(w).toMatchObject({ window: 1024, norm_place: 'both' });
    expect(b).toEqual({ ...w, window: undefined });
    expect(patternOf({ ...gemma3, sliding_window_pattern: 2 }).letters).toBe('wb');
    // Layers 6, 12, … attend to all tokens, and the last two do not.
    const windows = argsOfEach(read(gemma3).layers[1]).map(({ window }) => window);
    expect(windows.flatMap((window, index) => (window === undefined ? [index + 1] : []))).toEqual([
      6, 12, 18, 24, 30, 36, 42, 48, 54, 60,
    ]);
  });

  test('a list of kinds counts before the rule', () => {
    const small = { ...gptOss(3, 4), layer_types: ['full_attention', 'sliding_attention', 'sliding_attention'] };
    expect(layersOf(small).map(({ name, count }) => [name, count])).toEqual([
      ['embed', 1],
      ['block', 1],
      ['windowed', 2],
      ['head', 1],
    ]);
    expect(layersOf(small)[2]).toMatchObject({ window: 128, sinks: true, router_bias: true, bias: true });
    expect(faultsOf({ ...small, layer_types: ['full_attention'] })).toEqual([
      '"layer_types" must have an entry for each layer.',
    ]);
    expect(faultsOf({ ...small, layer_types: ['odd', 'odd', 'odd'] }).join()).toContain('full_attention');
  });

  test('Llama 4 has chunks in three of four layers, and experts in each or in each second', () => {
    const maverick = patternOf(llama4(128, 2));
    expect(maverick).toMatchObject({ count: 48, letters: 'dcdm' });
    expect(maverick.shapes).toMatchObject({
      d: { chunk: 8192 },
      c: { chunk: 8192, experts: 128 },
      m: { experts: 128 },
    });
    expect(patternOf(llama4(16, 1))).toMatchObject({
      letters: 'cccm',
      shapes: { c: { chunk: 8192, shared_experts: 1 } },
    });
    const four = config('llama4_text', [4, 64, 4, 4, 64, 100], {
      ...{ num_local_experts: 2, num_experts_per_tok: 1, attention_chunk_size: 8 },
    });
    const names4 = (more: object) => layersOf({ ...four, ...more }).map(({ name, count }) => `${name}[${count}]`);
    expect(names4({ no_rope_layers: [1, 0, 0, 1] })).toEqual(
      names4({
        layer_types: ['chunked_attention', 'full_attention', 'full_attention', 'chunked_attention'],
      }),
    );
    expect(names4({ no_rope_layers: [1, 0, 0, 1] })[2]).toBe('moe[2]');
    const last = argsOfEach(read({ ...llama4(16, 1), moe_layers: [47] }).layers[1]);
    expect(last.map(({ experts }) => experts)).toEqual([...Array.from({ length: 47 }, () => undefined), 16]);
  });
});

describe('hybrids', () => {
  const names = (file: object) => layersOf(file).map(({ name, count }) => `${name}[${count}]`);
  test('three of four layers of Qwen3-Next have a state', () => {
    const { letters, shapes } = patternOf(qwenNext);
    const { l, m } = shapes;
    expect([names(qwenNext), letters]).toEqual([['embed[1]', 'block[48]', 'head[1]'], 'lllm']);
    expect(l).toMatchObject({ mixer: 'delta_net', heads: 32, groups: 16, shared_gate: true });
    expect(l).not.toHaveProperty('kv_heads');
    expect(m).toMatchObject({ output_gate: true, kv_heads: 2, qk_norm: true });
    const listed = Array.from({ length: 48 }, (_, layer) => (layer % 4 < 3 ? 'linear_attention' : 'full_attention'));
    expect(patternOf({ ...qwenNext, layer_types: listed })).toEqual(patternOf(qwenNext));
  });
  test('Kimi Linear counts its layers from 1', () => {
    const { letters, shapes } = patternOf(kimiLinear);
    // The last three layers are no whole round, so the pattern is all of them.
    expect(letters).toBe('dllmlllmlllmlllmlllmlllmllm');
    expect(shapes).toMatchObject({ m: { kv_lora_rank: 512 } });
  });
  test('a layer of Nemotron-H has one branch', () => {
    const { letters, shapes } = patternOf(nemotronH);
    const { m, l } = shapes;
    expect(letters).toBe(nemotronH.hybrid_override_pattern.toLowerCase().replaceAll('-', 'l').replaceAll('*', 'a'));
    expect(m).toMatchObject({ mixer: 'mamba2', state: 128, mlp: false, block: 128 });
    expect(l).toMatchObject({ mixer: 'none', ffn: 21504 });
    const listed = ['linear_attention', 'mlp', 'mamba', 'attention'];
    expect(names({ ...nemotronH, hybrid_override_pattern: null, layers_block_type: listed })).toEqual(
      names({ ...nemotronH, hybrid_override_pattern: 'M-M*' }),
    );
    expect(faultsOf({ ...nemotronH, hybrid_override_pattern: 'MX' }).join()).toContain('M, *, - and E');
    expect(faultsOf({ ...nemotronH, hybrid_override_pattern: null }).join()).toContain('is missing');
  });
});

describe('what a family does not have is refused, not dropped', () => {
  it.each([
    [config('ernie4_5_moe', [2, 64, 4, 4, 64, 100], { use_bias: true }), '"use_bias" is not known for this family.'],
    [
      config('qwen2_moe', [2, 64, 4, 4, 64, 100], {
        ...{ num_experts: 4, num_experts_per_tok: 2, moe_intermediate_size: 48, shared_expert_intermediate_size: 64 },
      }),
      '"shared_expert_intermediate_size" must be a multiple of the width of an expert.',
    ],
    [config('gpt_oss', [2, 64, 4, 4, 64, 100]), '"num_local_experts" is missing.'],
    [{ ...llama4(4, 2), intermediate_size_mlp: null }, '"intermediate_size_mlp" is missing.'],
  ])('%#', (file, message) => expect(faultsOf(file)).toContain(message));
});

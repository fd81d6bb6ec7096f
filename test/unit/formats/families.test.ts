import { describe, expect, it, test } from 'vitest';
import { withPrediction } from '../../../engine/formats/huggingFace/model.ts';
import { readConfiguration } from '../../../engine/formats/huggingFace/read.ts';
import { importText } from '../../../engine/formats/importText.ts';
import { findShape } from '../../../engine/costs/shapes.ts';
import type { LayerSetting } from '../../../engine/costs/types.ts';
import { publishedModels } from '../../../engine/formats/huggingFace/publishedModels.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const setting: LayerSetting = {
  ...{ sequence: 1, microBatch: 1, precision: 'bf16', tensor: 1, sequenceParallel: false },
  ...{ context: 1, expert: 1, expertTensor: 1, recompute: 'none' },
};

const read = (config: object) => {
  const found = readConfiguration(JSON.stringify(config));
  if ('faults' in found) throw new Error(found.faults.map((fault) => fault.message).join('\n'));
  return found;
};
const parametersOf = (layers: ReturnType<typeof withPrediction>) =>
  layers.reduce(
    (sum, { shape, args, count = 1 }) => sum + count * (findShape(shape)?.cost(args, setting).parameters ?? NaN),
    0,
  );

type Widths = readonly [layers: number, hidden: number, heads: number, ffn: number, vocab: number];
const config = (
  model_type: string,
  [num_hidden_layers, hidden_size, num_attention_heads, intermediate_size, vocab_size]: Widths,
  more: object = {},
) => ({
  ...{ model_type, num_hidden_layers, hidden_size, num_attention_heads, intermediate_size, vocab_size },
  ...more,
});
const neox = (layers: number, hidden: number, heads: number, vocab: number) =>
  config('gpt_neox', [layers, hidden, heads, 4 * hidden, vocab], { tie_word_embeddings: false });
const deepseekV2 = {
  ...{ kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128, n_shared_experts: 2 },
  ...{ num_experts_per_tok: 6, first_k_dense_replace: 1, moe_layer_freq: 1, tie_word_embeddings: false },
};

const vision = {
  qwen2_vl: {
    ...config('qwen2_vl', [28, 3584, 28, 18944, 152064], { num_key_value_heads: 4, tie_word_embeddings: false }),
    vision_config: {
      ...{ depth: 32, embed_dim: 1280, mlp_ratio: 4, num_heads: 16, in_chans: 3, hidden_size: 3584, patch_size: 14 },
      ...{ spatial_merge_size: 2, temporal_patch_size: 2 },
    },
  },
  llava: {
    model_type: 'llava',
    text_config: { model_type: 'llama', vocab_size: 32064 },
    vision_config: {
      ...{ model_type: 'clip_vision_model', hidden_size: 1024, intermediate_size: 4096, image_size: 336 },
      ...{ num_attention_heads: 16, num_hidden_layers: 24, patch_size: 14, projection_dim: 768 },
    },
  },
  mllama: {
    model_type: 'mllama',
    text_config: {
      ...config('mllama_text_model', [40, 4096, 32, 14336, 128256], { num_key_value_heads: 8 }),
      cross_attention_layers: [3, 8, 13, 18, 23, 28, 33, 38],
    },
    vision_config: {
      ...{ hidden_size: 1280, intermediate_size: 5120, num_hidden_layers: 32, num_global_layers: 8, patch_size: 14 },
      ...{ attention_heads: 16, image_size: 560, max_num_tiles: 4, vision_output_dim: 7680 },
      intermediate_layers_indices: [3, 7, 15, 23, 30],
      supported_aspect_ratios: [1, 2, 3, 4, 5, 6, 7, 8].map((tiles) => [1, tiles]),
    },
  },
};
const t5 = {
  ...{ model_type: 't5', d_model: 1024, d_kv: 128, d_ff: 65536, num_layers: 24, num_heads: 128, vocab_size: 32128 },
  ...{ relative_attention_num_buckets: 32, dropout_rate: 0.1, n_positions: 512 },
};

describe('models with several towers', () => {
  it.each([
    // Counts of transformers 5.18, built from the published configurations.
    ['Qwen2-VL 7B', vision.qwen2_vl, 8_291_375_616],
    ['LLaVA 1.5 7B', vision.llava, 7_063_427_072],
    ['Llama 3.2 11B Vision', vision.mllama, 10_670_220_835],
    ['T5 11B', t5, 11_307_321_344],
    // T5 1.1: a gated MLP, and "no parameter sharing between embedding and classifier layer" (`released_checkpoints.md` of T5). By hand:
    // 24 · (4·h² + 3·h·f + 2·h) + 24 · (8·h² + 3·h·f + 3·h) + 2 · 32128·h + 2 · 32 · 64 + 2·h.
    [
      'T5 1.1 XXL',
      {
        ...t5,
        d_model: 4096,
        d_kv: 64,
        d_ff: 10240,
        num_heads: 64,
        feed_forward_proj: 'gated-gelu',
        tie_word_embeddings: false,
      },
      11_135_332_352,
    ],
  ])('%s has its parameters, and is a text without findings', (_, given, total) => {
    expect(parametersOf(read(given).layers)).toBe(total);
    const imported = importText(JSON.stringify(given));
    if (imported === undefined || 'faults' in imported) throw new Error('not imported');
    expect(resolveText(imported.pipe).findings).toEqual([]);
    expect(imported.remarks.join()).toContain('`tokens`');
  });

  const rest = `device d { memory = 80GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster box { gpu[4] = d  link = 25GB/s + 5us }
pipeline train { model = m  devices = box  microbatches = 4  stages = balance(4)  schedule = 1f1b  optimizer = none }
`;
  const edgesOf = (given: object, more: string, sequence: number) =>
    checkFindings(`model m { from = huggingface("config.json"${more})  sequence = ${sequence} }\n${rest}`, [], {
      files: { 'config.json': JSON.stringify(given) },
    }).plan.pipelines[0];

  test('have the tokens of their images and encoders', () => {
    const messages = (given: object, more: string, sequence = 64) =>
      edgesOf(given, more, sequence).edges.filter(({ from }) => from === 0)[0].bytes;
    // Every cut of these goes through the vision tower, or sends the output of the encoder.
    expect(messages(vision.qwen2_vl, ', images = 3, pixels = 896')).toBe(2 * 3 * 64 ** 2 * 1280);
    expect(messages(vision.llava, ', images = 2', 16)).toBe(2 * 2 * 577 * 1024);
    expect(messages(t5, ', encoder = 256')).toBe(2 * 256 * 1024);
  });

  test('attend in every stage to the images', () => {
    const { edges, stages } = edgesOf(vision.mllama, '', 2048);
    const project = stages.findIndex(({ layers }) => layers.includes('project'));
    const crossing = stages.flatMap(({ layers }, stage) =>
      stage > project && layers.some((name) => name.startsWith('cross')) ? [stage] : [],
    );
    expect(crossing.length).toBeGreaterThan(0);
    const image = 2 * 4 * 1601 * 4096;
    for (const stage of crossing)
      expect(edges.find(({ from, to }) => from === project && to === stage)?.bytes).toBeGreaterThanOrEqual(image);
  });

  it.each([
    [', images = 0', 'value/range'],
    [', pixels = 0', 'value/range'],
  ])('refuse %s', (more, code) => {
    checkFindings(
      `model m { from = huggingface("config.json"${more.replace('0', `⟦${code}:0⟧`)})  sequence = 64 }`,
      ['1'],
      { files: { 'config.json': JSON.stringify(vision.qwen2_vl) } },
    );
  });

  it.each([
    [{ ...vision.qwen2_vl, vision_config: 3 }, '"vision_config" must be an object'],
    [{ ...vision.llava, text_config: { model_type: 'opt' } }, 'Only LLaVA with CLIP and a Llama can be read'],
    [
      { ...vision.qwen2_vl, vision_config: { ...vision.qwen2_vl.vision_config, patch_size: 500 } },
      'An image does not divide into patches of this size, 2 × 2',
    ],
    [{ ...t5, num_layers: 10 ** 6 }, 'at most 100000'],
    [{ model_type: 'mllama' }, '"vision_config" is missing'],
  ])('damaged configurations are refused: %#', (given, message) => {
    const found = readConfiguration(JSON.stringify(given));
    expect('faults' in found ? found.faults[0].message : '').toContain(message);
  });
});

describe('published totals, to the parameter', () => {
  it.each([
    // Black et al., GPT-NeoX-20B (arXiv:2204.06745), Table 1.
    ['GPT-NeoX 20B', neox(44, 6144, 64, 50432), 20_554_567_680],
    // Biderman et al., Pythia (arXiv:2304.01373); the table of its repository.
    ['Pythia 70M', neox(6, 512, 8, 50304), 70_426_624],
    ['Pythia 1B', neox(16, 2048, 8, 50304), 1_011_781_632],
    ['Pythia 6.9B', neox(32, 4096, 32, 50432), 6_857_302_016],
    ['Pythia 12B', neox(36, 5120, 40, 50688), 11_846_072_320],
    // Counts of the stored weights on Hugging Face.
    [
      'Gemma 2B',
      config('gemma', [18, 2048, 8, 16384, 256000], { num_key_value_heads: 1, head_dim: 256 }),
      2_506_172_416,
    ],
    [
      'Gemma 7B',
      config('gemma', [28, 3072, 16, 24576, 256000], { num_key_value_heads: 16, head_dim: 256 }),
      8_537_680_896,
    ],
    [
      'Phi-3 mini',
      config('phi3', [32, 3072, 32, 8192, 32064], { num_key_value_heads: 32, sliding_window: 2047 }),
      3_821_079_552,
    ],
    [
      'StarCoder 2 3B',
      config('starcoder2', [30, 3072, 24, 12288, 49152], { num_key_value_heads: 2, sliding_window: 4096 }),
      3_030_371_328,
    ],
    [
      'Mistral 7B',
      config('mistral', [32, 4096, 32, 14336, 32000], { num_key_value_heads: 8, sliding_window: 4096 }),
      7_241_732_096,
    ],
    [
      'DeepSeek-V2 Lite',
      config('deepseek_v2', [27, 2048, 16, 10944, 102400], {
        ...deepseekV2,
        ...{ q_lora_rank: null, n_routed_experts: 64, moe_intermediate_size: 1408 },
      }),
      15_706_484_224,
    ],
    [
      'DeepSeek-V2',
      config('deepseek_v2', [60, 5120, 128, 12288, 102400], {
        ...deepseekV2,
        ...{ q_lora_rank: 1536, n_routed_experts: 160, moe_intermediate_size: 1536 },
      }),
      235_741_434_880,
    ],
    [
      'Falcon 40B, its head counted apart',
      config('falcon', [60, 8192, 128, 4 * 8192, 65024], {
        ...{ num_kv_heads: 8, new_decoder_architecture: true, tie_word_embeddings: false },
      }),
      41_835_970_560,
    ],
  ])('%s', (_, file, total) => {
    expect(parametersOf(read(file).layers)).toBe(total);
  });
});

test('embedding and head are one matrix where the family says so', () => {
  const falcon = config('falcon', [2, 64, 8, 256, 100], { num_kv_heads: 2, new_decoder_architecture: true });
  expect(parametersOf(read({ ...falcon, tie_word_embeddings: false }).layers)).toBe(
    parametersOf(read(falcon).layers) + 64 * 100,
  );
});

test('attention and MLP side by side are told', () => {
  expect(read(neox(2, 64, 8, 100)).remarks.join()).toContain('in parallel');
  expect(read({ ...neox(2, 64, 8, 100), use_parallel_residual: false }).remarks).toEqual([]);
});

test('biases and dropout of GPT-NeoX follow its fields', () => {
  const block = (more: object) => read({ ...neox(2, 64, 8, 100), ...more }).layers[1].args;
  expect(block({})).not.toHaveProperty('qkv_bias');
  expect(block({ attention_bias: false })).toMatchObject({ qkv_bias: false, out_bias: false });
  expect(block({})).toMatchObject({ dropout: false });
  expect(block({ hidden_dropout: 0.1 })).not.toHaveProperty('dropout');
});

describe('families that no shape gives', () => {
  it.each(['gemma3', 'llama4', 'falcon_h1'])('%s', (type) => {
    const text = JSON.stringify({ model_type: type, hidden_size: 64 });
    const found = readConfiguration(text);
    const [fault] = 'faults' in found ? found.faults : [];
    expect(text.slice(fault?.start, fault?.end)).toBe(`"${type}"`);
    expect(fault?.message).toMatch(
      new RegExp(`^Models of the family "${type}" cannot be read: .*Known types: gpt2, llama`),
    );
  });
  test('the layers of Falcon 7B, and Gemma without the width of a head', () => {
    const falcon = config('falcon', [32, 4544, 71, 4 * 4544, 65024], { multi_query: true });
    expect(readConfiguration(JSON.stringify(falcon))).toMatchObject({
      faults: [{ message: expect.stringContaining('two norms') }],
    });
    expect(readConfiguration(JSON.stringify(config('gemma', [18, 2048, 8, 16384, 256000])))).toMatchObject({
      faults: [{ message: '"head_dim" is missing.' }],
    });
  });
});

describe('multi-token prediction', () => {
  const published = publishedModels.find(({ name }) => name === 'deepseek_v3')?.config ?? {};
  const deepseek = { ...published, num_nextn_predict_layers: 1 };
  const files = { 'v3.json': JSON.stringify(deepseek), 'plain.json': JSON.stringify(published) };
  const layersOf = (text: string) => {
    const { findings, symbols } = resolveText(text, { files });
    expect(findings).toEqual([]);
    return [...symbols.symbols.values()].filter((symbol) => symbol.kind === 'layer').map((symbol) => symbol.name);
  };

  test('one depth is a layer with experts, 2h² + 3h, and no matrices of the vocabulary', () => {
    const model = read(deepseek);
    const { layers, prediction } = model;
    const main = parametersOf(layers);
    // 671 B main weights (arXiv:2412.19437); 684.5 B are stored, the prediction with an embedding and a head of its own.
    expect(main / 1e9).toBeCloseTo(671.03, 2);
    const more = parametersOf(withPrediction(model)) - main;
    expect((main + more + 2 * 129280 * 7168) / 1e9).toBeCloseTo(684.5, 1);
    const moe = layers.find((layer) => layer.name === 'moe');
    expect(more).toBe(parametersOf(moe === undefined ? [] : [{ ...moe, count: 1 }]) + 2 * 7168 ** 2 + 3 * 7168);
    expect(prediction).toMatchObject({ name: 'mtp', count: 1, shape: 'mtp' });
    expect(withPrediction(model).map((configuredLayer) => configuredLayer.name)).toEqual([
      'embed',
      'dense',
      'moe',
      'mtp',
      'head',
    ]);
  });

  test('is left out unless `mtp = true` says otherwise', () => {
    const model = (args: string) => `model m { from = huggingface("v3.json"${args})  sequence = 4096 }`;
    expect(layersOf(model(''))).toEqual(['embed', 'dense', 'moe', 'head']);
    expect(layersOf(model(', mtp = false'))).toEqual(['embed', 'dense', 'moe', 'head']);
    expect(layersOf(model(', mtp = true'))).toEqual(['embed', 'dense', 'moe', 'mtp', 'head']);
    expect(layersOf(model(', true'))).toEqual(['embed', 'dense', 'moe', 'mtp', 'head']);
  });

  test('what cannot be', () => {
    const of = (args: string) => `model m { from = huggingface(${args})  sequence = 4096 }`;
    checkFindings(of('"v3.json", mtp = ⟦type/mismatch:1⟧'), ['`true` or `false`'], { files });
    checkFindings(of('"v3.json", mtp = ⟦type/mismatch:yes⟧'), [], { files });
    checkFindings(of('"plain.json", ⟦key/not-applicable:mtp⟧ = true'), ['num_nextn_predict_layers'], { files });
    checkFindings('model m { from = ⟦key/missing:huggingface⟧(mtp = true) }', ['file']);
    const many = readConfiguration(JSON.stringify({ ...deepseek, num_nextn_predict_layers: 1e6 }));
    expect(many).toMatchObject({ faults: [{ message: expect.stringContaining('at most 100') }] });
  });

  test('import writes it as a comment, which makes the same model once it is put in', () => {
    const found = importText(files['v3.json']);
    const pipe = found !== undefined && 'pipe' in found ? found.pipe : '';
    expect(layersOf(pipe)).toEqual(['embed', 'dense', 'moe', 'head']);
    const put = pipe.replace('// layer mtp', 'layer mtp');
    expect(put).not.toBe(pipe);
    expect(layersOf(put)).toEqual(['embed', 'dense', 'moe', 'mtp', 'head']);
  });
});

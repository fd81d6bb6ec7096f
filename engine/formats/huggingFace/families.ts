/** Families of configurations by `model_type`. A family that differs from Llama or Mixtral in fields and flags is a row. */
import type { Fields } from '../json/fields.ts';
import {
  afterFirst,
  betweenEnds,
  interleaved,
  latent,
  mixture,
  type MixtureTraits,
  sparseLatent,
  sparseSteps,
} from './experts.ts';
import { gpt2 } from './gpt2.ts';
import { falcon, gptNeoX, starcoder2 } from './gptNeoX.ts';
import { gemma, llama } from './llama.ts';
import type { ConfiguredParts, TowerSizes } from './model.ts';
import { gatedDelta, kimiDelta, lightning, nemotronH } from './states.ts';
import { t5 } from './t5.ts';
import { llava, mllama, qwen2Vl } from './visionLanguage.ts';

interface Family {
  /** The class that names it in `architectures`. */
  readonly architecture: string;
  readonly read: (fields: Fields, sizes: TowerSizes) => ConfiguredParts;
}

const deepseek: MixtureTraits = {
  ...{ attention: latent, refused: ['attention_bias'], windows: 'none', mixed: afterFirst, predicts: true },
  ...{ experts: 'n_routed_experts', width: 'moe_intermediate_size', shared: 'n_shared_experts' },
};
const qwenMoe: MixtureTraits = {
  ...{ mixed: sparseSteps, width: 'moe_intermediate_size', refused: ['use_sliding_window'], windows: 'none' },
};
const glmMoe: MixtureTraits = {
  ...{ experts: 'n_routed_experts', width: 'moe_intermediate_size', shared: 'n_shared_experts', routerBias: true },
  ...{ mixed: afterFirst, outBias: false, predicts: true },
};

export const families: ReadonlyMap<string, Family> = new Map([
  ['gpt2', { architecture: 'GPT2LMHeadModel', read: gpt2 }],
  ['llama', { architecture: 'LlamaForCausalLM', read: llama({}) }],
  ['mistral', { architecture: 'MistralForCausalLM', read: llama({}) }],
  ['ministral3', { architecture: 'Ministral3ForCausalLM', read: llama({}) }],
  ['gemma', { architecture: 'GemmaForCausalLM', read: gemma }],
  [
    'gemma2',
    { architecture: 'Gemma2ForCausalLM', read: llama({ tied: true, normPlace: 'both', windows: { every: 2 } }) },
  ],
  [
    'gemma3_text',
    {
      architecture: 'Gemma3ForCausalLM',
      read: llama({ tied: true, normPlace: 'both', qkNorm: true, windows: { every: 6 } }),
    },
  ],
  ['phi3', { architecture: 'Phi3ForCausalLM', read: llama({}) }],
  ['qwen2', { architecture: 'Qwen2ForCausalLM', read: llama({ qkvBias: true, windows: 'flag' }) }],
  ['qwen3', { architecture: 'Qwen3ForCausalLM', read: llama({ qkNorm: true, windows: 'flag' }) }],
  ['smollm3', { architecture: 'SmolLM3ForCausalLM', read: llama({ windows: 'flag', tied: true }) }],
  ['seed_oss', { architecture: 'SeedOssForCausalLM', read: llama({ outBias: 'attention_out_bias' }) }],
  ['granite', { architecture: 'GraniteForCausalLM', read: llama({}) }],
  ['ernie4_5', { architecture: 'Ernie4_5ForCausalLM', read: llama({ biases: 'use_bias', tied: true }) }],
  ['glm', { architecture: 'GlmForCausalLM', read: llama({ outBias: false }) }],
  ['glm4', { architecture: 'Glm4ForCausalLM', read: llama({ normPlace: 'both', outBias: false }) }],
  ['olmo2', { architecture: 'Olmo2ForCausalLM', read: llama({ normPlace: 'after', qkNorm: 'whole' }) }],
  [
    'olmo3',
    {
      architecture: 'Olmo3ForCausalLM',
      read: llama({ normPlace: 'after', qkNorm: 'whole', windows: { every: 4 } }),
    },
  ],
  [
    'exaone4',
    {
      architecture: 'Exaone4ForCausalLM',
      read: llama({ normPlace: 'after', qkNorm: true, windows: { every: 4 } }),
    },
  ],
  ['hunyuan_v1_dense', { architecture: 'HunYuanDenseV1ForCausalLM', read: llama({ qkNorm: true }) }],
  ['arcee', { architecture: 'ArceeForCausalLM', read: llama({ ungated: true }) }],
  ['nemotron', { architecture: 'NemotronForCausalLM', read: llama({ ungated: true, norm: 'layernorm' }) }],
  ['mixtral', { architecture: 'MixtralForCausalLM', read: mixture({ experts: 'num_local_experts' }) }],
  [
    'gpt_oss',
    {
      architecture: 'GptOssForCausalLM',
      read: mixture({
        ...{ experts: 'num_local_experts', routerBias: true, allBiases: true, bias: true, sinks: true },
        windows: { every: 2 },
      }),
    },
  ],
  ['granitemoe', { architecture: 'GraniteMoeForCausalLM', read: mixture({ experts: 'num_local_experts' }) }],
  ['olmoe', { architecture: 'OlmoeForCausalLM', read: mixture({ qkNorm: 'whole' }) }],
  [
    'minimax_m2',
    {
      architecture: 'MiniMaxM2ForCausalLM',
      read: mixture({ experts: 'num_local_experts', qkNorm: 'whole', routerBias: true }),
    },
  ],
  [
    'qwen2_moe',
    {
      architecture: 'Qwen2MoeForCausalLM',
      read: mixture({
        ...qwenMoe,
        ...{ qkvBias: true, sharedWidth: 'shared_expert_intermediate_size', sharedGate: true },
      }),
    },
  ],
  ['qwen3_moe', { architecture: 'Qwen3MoeForCausalLM', read: mixture({ ...qwenMoe, qkNorm: true }) }],
  [
    'qwen3_next',
    {
      architecture: 'Qwen3NextForCausalLM',
      read: mixture({
        ...{ ...qwenMoe, qkNorm: true, outputGate: true, states: gatedDelta },
        ...{ sharedWidth: 'shared_expert_intermediate_size', sharedGate: true },
      }),
    },
  ],
  [
    'kimi_linear',
    {
      architecture: 'KimiLinearForCausalLM',
      read: mixture({
        ...{ ...deepseek, routerBias: true, states: kimiDelta, experts: 'num_experts' },
        ...{ chosen: 'num_experts_per_token', shared: 'num_shared_experts' },
      }),
    },
  ],
  [
    'minimax',
    { architecture: 'MiniMaxForCausalLM', read: mixture({ experts: 'num_local_experts', states: lightning }) },
  ],
  [
    'minimax_m1',
    { architecture: 'MiniMaxM1ForCausalLM', read: mixture({ experts: 'num_local_experts', states: lightning }) },
  ],
  ['nemotron_h', { architecture: 'NemotronHForCausalLM', read: nemotronH }],
  ['glm4_moe', { architecture: 'Glm4MoeForCausalLM', read: mixture({ ...glmMoe, qkNormIf: 'use_qk_norm' }) }],
  ['dots1', { architecture: 'Dots1ForCausalLM', read: mixture({ ...glmMoe, qkNorm: true, outBias: undefined }) }],
  [
    'ernie4_5_moe',
    {
      architecture: 'Ernie4_5_MoeForCausalLM',
      read: mixture({
        ...{ experts: 'moe_num_experts', chosen: 'moe_k', width: 'moe_intermediate_size', routerBias: true },
        ...{ shared: 'moe_num_shared_experts', mixed: betweenEnds, refused: ['use_bias'], tied: true },
      }),
    },
  ],
  [
    'llama4_text',
    {
      architecture: 'Llama4ForCausalLM',
      read: mixture({
        ...{ experts: 'num_local_experts', shared: 1, mixed: interleaved, denseWidth: 'intermediate_size_mlp' },
        windows: { every: 4, field: 'no_rope_layer_interval' },
      }),
    },
  ],
  ['deepseek_v2', { architecture: 'DeepseekV2ForCausalLM', read: mixture(deepseek) }],
  ['deepseek_v3', { architecture: 'DeepseekV3ForCausalLM', read: mixture({ ...deepseek, routerBias: true }) }],
  [
    'deepseek_v32',
    {
      architecture: 'DeepseekV32ForCausalLM',
      read: mixture({ ...deepseek, attention: sparseLatent, routerBias: true }),
    },
  ],
  ['kimi_k2', { architecture: 'DeepseekV3ForCausalLM', read: mixture({ ...deepseek, routerBias: true }) }],
  ['gpt_neox', { architecture: 'GPTNeoXForCausalLM', read: gptNeoX }],
  ['falcon', { architecture: 'FalconForCausalLM', read: falcon }],
  ['starcoder2', { architecture: 'Starcoder2ForCausalLM', read: starcoder2 }],
  ['t5', { architecture: 'T5ForConditionalGeneration', read: t5 }],
  ['llava', { architecture: 'LlavaForConditionalGeneration', read: llava }],
  ['qwen2_vl', { architecture: 'Qwen2VLForConditionalGeneration', read: qwen2Vl }],
  ['mllama', { architecture: 'MllamaForConditionalGeneration', read: mllama }],
]);

/** Families that the shapes cannot give to the parameter, by `model_type`, and why. */
export const beyond: ReadonlyMap<string, string> = new Map([
  ['gemma3', 'its vision tower is not known; `text_config` alone can be read'],
  ['llama4', 'its vision tower is not known; `text_config` alone can be read'],
  ['falcon_h1', 'no shape has attention and Mamba-2 side by side'],
]);

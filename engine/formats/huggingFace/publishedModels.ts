/** Published models for `std:models`: fields of their Hugging Face configurations, and where figures come from. */
export interface PublishedModel {
  /** As an import names it. */
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** Tokens of a sample in pre-training. */
  readonly sequence: number;
  readonly config: Readonly<
    Record<string, string | number | boolean | readonly number[] | Readonly<Record<string, string | number>>>
  >;
}

type Widths = readonly [layers: number, hidden: number, heads: number];

const gpt = ([n_layer, n_embd, n_head]: Widths, n_positions: number): PublishedModel['config'] => ({
  ...{ model_type: 'gpt2', n_layer, n_embd, n_head, n_positions, vocab_size: 50257 },
});

const gpt2Of = (widths: Widths): PublishedModel['config'] => ({ ...gpt(widths, 1024), layer_norm_epsilon: 1e-5 });

/** Base of rotary positions and epsilon of norms. */
type Constants = readonly [rope_theta: number, rms_norm_eps: number];
const ofLlama2: Constants = [10_000, 1e-5];
const ofLlama3: Constants = [500_000, 1e-5];
const ofMixtral: Constants = [1_000_000, 1e-5];
const ofQwen: Constants = [1_000_000, 1e-6];
/** From 14B on. */
const ofLargeQwen25: Constants = [1_000_000, 1e-5];

/** As Llama 3.1 stretches its positions. */
const stretched = (factor: number): PublishedModel['config'] => ({
  rope_scaling: {
    ...{ rope_type: 'llama3', factor, low_freq_factor: 1, high_freq_factor: 4 },
    original_max_position_embeddings: 8192,
  },
});

const rotary = (
  model_type: string,
  [num_hidden_layers, hidden_size, num_attention_heads]: Widths,
  num_key_value_heads: number,
  intermediate_size: number,
  vocab_size: number,
  [rope_theta, rms_norm_eps]: Constants,
): PublishedModel['config'] => ({
  ...{ model_type, num_hidden_layers, hidden_size, num_attention_heads, num_key_value_heads },
  ...{ intermediate_size, vocab_size, rope_theta, rms_norm_eps },
});

const llama2 = 'Touvron et al., arXiv:2307.09288; its config.json';
const llama3 = 'Grattafiori et al., arXiv:2407.21783, Table 3; its config.json';
const qwen25 = 'Qwen2.5 Technical Report, arXiv:2412.15115; its config.json';
const qwen3 = 'Qwen3 Technical Report, arXiv:2505.09388; its config.json';
const gpt2 = 'Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), Table 2; its config.json';

export const publishedModels: readonly PublishedModel[] = [
  { name: 'gpt2', title: 'GPT-2', source: gpt2, sequence: 1024, config: gpt2Of([12, 768, 12]) },
  { name: 'gpt2_medium', title: 'GPT-2 medium', source: gpt2, sequence: 1024, config: gpt2Of([24, 1024, 16]) },
  { name: 'gpt2_large', title: 'GPT-2 large', source: gpt2, sequence: 1024, config: gpt2Of([36, 1280, 20]) },
  { name: 'gpt2_xl', title: 'GPT-2 XL', source: gpt2, sequence: 1024, config: gpt2Of([48, 1600, 25]) },
  {
    name: 'gpt3_175b',
    title: 'GPT-3 175B',
    source: 'Brown et al., arXiv:2005.14165, Table 2.1; dense attention in every layer',
    sequence: 2048,
    config: gpt([96, 12288, 96], 2048),
  },
  {
    name: 'llama2_7b',
    title: 'Llama 2 7B',
    source: llama2,
    sequence: 4096,
    config: rotary('llama', [32, 4096, 32], 32, 11008, 32000, ofLlama2),
  },
  {
    name: 'llama2_13b',
    title: 'Llama 2 13B',
    source: llama2,
    sequence: 4096,
    config: rotary('llama', [40, 5120, 40], 40, 13824, 32000, ofLlama2),
  },
  {
    name: 'llama2_70b',
    title: 'Llama 2 70B',
    source: llama2,
    sequence: 4096,
    config: rotary('llama', [80, 8192, 64], 8, 28672, 32000, ofLlama2),
  },
  {
    name: 'llama3_8b',
    title: 'Llama 3 8B',
    source: llama3,
    sequence: 8192,
    config: rotary('llama', [32, 4096, 32], 8, 14336, 128256, ofLlama3),
  },
  {
    name: 'llama3_70b',
    title: 'Llama 3 70B',
    source: llama3,
    sequence: 8192,
    config: rotary('llama', [80, 8192, 64], 8, 28672, 128256, ofLlama3),
  },
  {
    name: 'llama3_1_8b',
    title: 'Llama 3.1 8B',
    source: llama3,
    sequence: 8192,
    config: { ...rotary('llama', [32, 4096, 32], 8, 14336, 128256, ofLlama3), ...stretched(8) },
  },
  {
    name: 'llama3_1_70b',
    title: 'Llama 3.1 70B',
    source: llama3,
    sequence: 8192,
    config: { ...rotary('llama', [80, 8192, 64], 8, 28672, 128256, ofLlama3), ...stretched(8) },
  },
  {
    name: 'llama3_1_405b',
    title: 'Llama 3.1 405B',
    source: llama3,
    sequence: 8192,
    config: { ...rotary('llama', [126, 16384, 128], 8, 53248, 128256, ofLlama3), ...stretched(8) },
  },
  {
    name: 'llama3_2_1b',
    title: 'Llama 3.2 1B',
    source: 'its config.json; sequence as in Llama 3',
    sequence: 8192,
    config: {
      ...rotary('llama', [16, 2048, 32], 8, 8192, 128256, ofLlama3),
      head_dim: 64,
      ...stretched(32),
      tie_word_embeddings: true,
    },
  },
  {
    name: 'mixtral_8x7b',
    title: 'Mixtral 8x7B',
    source: 'Jiang et al., arXiv:2401.04088, Table 1; its config.json',
    sequence: 32768,
    config: {
      ...rotary('mixtral', [32, 4096, 32], 8, 14336, 32000, ofMixtral),
      ...{ num_local_experts: 8, num_experts_per_tok: 2 },
    },
  },
  {
    name: 'mixtral_8x22b',
    title: 'Mixtral 8x22B v0.1',
    source: 'Mistral AI, "Cheaper, Better, Faster, Stronger" (2024); its config.json',
    sequence: 65536,
    config: {
      ...rotary('mixtral', [56, 6144, 48], 8, 16384, 32000, ofMixtral),
      ...{ num_local_experts: 8, num_experts_per_tok: 2 },
    },
  },
  {
    name: 'deepseek_v3',
    title: 'DeepSeek-V3, without its multi-token prediction module',
    source: 'DeepSeek-AI, arXiv:2412.19437, section 4.2; its config.json',
    sequence: 4096,
    config: {
      ...{ model_type: 'deepseek_v3', num_hidden_layers: 61, hidden_size: 7168, num_attention_heads: 128 },
      ...{ intermediate_size: 18432, moe_intermediate_size: 2048, vocab_size: 129280, first_k_dense_replace: 3 },
      ...{ n_routed_experts: 256, num_experts_per_tok: 8, n_shared_experts: 1, moe_layer_freq: 1 },
      ...{ q_lora_rank: 1536, kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128 },
      ...{ rope_theta: 10_000, rms_norm_eps: 1e-6 },
    },
  },
  {
    name: 'qwen2_5_0_5b',
    title: 'Qwen 2.5 0.5B',
    source: qwen25,
    sequence: 4096,
    config: { ...rotary('qwen2', [24, 896, 14], 2, 4864, 151936, ofQwen), tie_word_embeddings: true },
  },
  {
    name: 'qwen2_5_7b',
    title: 'Qwen 2.5 7B',
    source: qwen25,
    sequence: 4096,
    config: rotary('qwen2', [28, 3584, 28], 4, 18944, 152064, ofQwen),
  },
  {
    name: 'qwen2_5_14b',
    title: 'Qwen 2.5 14B',
    source: qwen25,
    sequence: 4096,
    config: rotary('qwen2', [48, 5120, 40], 8, 13824, 152064, ofLargeQwen25),
  },
  {
    name: 'qwen2_5_32b',
    title: 'Qwen 2.5 32B',
    source: qwen25,
    sequence: 4096,
    config: rotary('qwen2', [64, 5120, 40], 8, 27648, 152064, ofLargeQwen25),
  },
  {
    name: 'qwen2_5_72b',
    title: 'Qwen 2.5 72B',
    source: qwen25,
    sequence: 4096,
    config: rotary('qwen2', [80, 8192, 64], 8, 29568, 152064, ofLargeQwen25),
  },
  {
    name: 'qwen3_8b',
    title: 'Qwen 3 8B',
    source: qwen3,
    sequence: 4096,
    config: { ...rotary('qwen3', [36, 4096, 32], 8, 12288, 151936, ofQwen), head_dim: 128 },
  },
  {
    name: 'qwen3_14b',
    title: 'Qwen 3 14B',
    source: qwen3,
    sequence: 4096,
    config: { ...rotary('qwen3', [40, 5120, 40], 8, 17408, 151936, ofQwen), head_dim: 128 },
  },
  {
    name: 'qwen3_32b',
    title: 'Qwen 3 32B',
    source: qwen3,
    sequence: 4096,
    config: { ...rotary('qwen3', [64, 5120, 64], 8, 25600, 151936, ofQwen), head_dim: 128 },
  },
  {
    name: 'qwen3_30b_a3b',
    title: 'Qwen 3 30B-A3B',
    source: qwen3,
    sequence: 4096,
    config: {
      ...rotary('qwen3_moe', [48, 2048, 32], 4, 6144, 151936, ofQwen),
      ...{ head_dim: 128, num_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: 768 },
    },
  },
  {
    name: 'qwen3_235b_a22b',
    title: 'Qwen 3 235B-A22B',
    source: qwen3,
    sequence: 4096,
    config: {
      ...rotary('qwen3_moe', [94, 4096, 64], 4, 12288, 151936, ofQwen),
      ...{ head_dim: 128, num_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: 1536 },
    },
  },
];

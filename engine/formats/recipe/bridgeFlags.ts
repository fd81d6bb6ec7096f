/** Fields of Megatron Bridge's `ConfigContainer`, and of NeMo, as the arguments of Megatron-LM that they are. */
import type { Flag } from '../megatron/flags.ts';
import type { Keys } from './keys.ts';

/**
 * How a field becomes an argument: `whole`, `number` and `word` are its value, `words` all of a list. `on` is a switch that is true,
 * `off` one that is false. `pattern` is a number or a list
 * as Python writes it, and `pair` two numbers. `format` is a number format of PyTorch, and `layout` a text or lists of the layers of each stage.
 */
type Kind = 'pair' | 'whole' | 'number' | 'word' | 'words' | 'on' | 'off' | 'pattern' | 'format' | 'layout';

type Row = readonly [kind: Kind, flag: string, ...fields: readonly string[]];

/** Tables in which Bridge and NeMo 2 keep the fields of a model. */
const model = (field: string): readonly string[] => [`model.${field}`, `model.config.${field}`];
/** NeMo 2 keeps ranks in the strategy of its trainer. */
const ranks = (field: string): readonly string[] => [`model.${field}`, `trainer.strategy.${field}`];
const ddp = (field: string): readonly string[] => [`ddp.${field}`, `trainer.strategy.ddp.${field}`];
const optimizer = (field: string): readonly string[] => [`optimizer.${field}`, `optim.config.${field}`];

const rows: readonly Row[] = [
  ['whole', 'num-layers', ...model('num_layers')],
  ['whole', 'hidden-size', ...model('hidden_size')],
  ['whole', 'ffn-hidden-size', ...model('ffn_hidden_size')],
  ['whole', 'num-attention-heads', ...model('num_attention_heads')],
  ['whole', 'kv-channels', ...model('kv_channels')],
  ['whole', 'num-query-groups', ...model('num_query_groups')],
  ['on', 'swiglu', ...model('gated_linear_unit')],
  ['off', 'disable-bias-linear', ...model('add_bias_linear'), 'model.bias'],
  ['on', 'add-qkv-bias', ...model('add_qkv_bias')],
  ['on', 'qk-layernorm', ...model('qk_layernorm')],
  ['on', 'attention-output-gate', ...model('attention_output_gate')],
  ['word', 'softmax-type', ...model('softmax_type')],
  ['pair', 'window-size', ...model('window_size')],
  ['pattern', 'window-attn-skip-freq', ...model('window_attn_skip_freq')],
  ['word', 'experimental-attention-variant', ...model('experimental_attention_variant')],
  ['pattern', 'linear-attention-freq', ...model('linear_attention_freq')],
  ['whole', 'linear-conv-kernel-dim', ...model('linear_conv_kernel_dim')],
  ['whole', 'linear-key-head-dim', ...model('linear_key_head_dim')],
  ['whole', 'linear-value-head-dim', ...model('linear_value_head_dim')],
  ['whole', 'linear-num-key-heads', ...model('linear_num_key_heads')],
  ['whole', 'linear-num-value-heads', ...model('linear_num_value_heads')],
  ['number', 'hidden-dropout', ...model('hidden_dropout')],
  ['number', 'attention-dropout', ...model('attention_dropout')],
  ['word', 'position-embedding-type', ...model('position_embedding_type')],
  ['number', 'rotary-percent', ...model('rotary_percent')],
  ['number', 'rotary-base', ...model('rotary_base')],
  ['on', 'use-rope-scaling', ...model('rope_scaling')],
  ['number', 'rope-scaling-factor', ...model('rope_scaling_factor')],
  ['number', 'norm-epsilon', ...model('layernorm_epsilon')],
  ['whole', 'max-position-embeddings', ...model('max_position_embeddings')],
  ['whole', 'vocab-size', ...model('vocab_size'), 'tokenizer.vocab_size'],
  ['off', 'untie-embeddings-and-output-weights', ...model('share_embeddings_and_output_weights')],
  ['whole', 'seq-length', ...model('seq_length'), 'model.encoder_seq_length', 'dataset.seq_length', 'data.seq_length'],
  ['whole', 'mtp-num-layers', ...model('mtp_num_layers')],
  ['whole', 'num-experts', ...model('num_moe_experts')],
  ['whole', 'moe-router-topk', ...model('moe_router_topk')],
  ['whole', 'moe-ffn-hidden-size', ...model('moe_ffn_hidden_size')],
  ['whole', 'moe-shared-expert-intermediate-size', ...model('moe_shared_expert_intermediate_size')],
  ['on', 'moe-shared-expert-gate', ...model('moe_shared_expert_gate')],
  ['pattern', 'moe-layer-freq', ...model('moe_layer_freq')],
  ['on', 'moe-router-enable-expert-bias', ...model('moe_router_enable_expert_bias')],
  ['on', 'moe-pad-expert-input-to-capacity', ...model('moe_pad_expert_input_to_capacity')],
  ['number', 'moe-expert-capacity-factor', ...model('moe_expert_capacity_factor')],
  ['on', 'multi-latent-attention', ...model('multi_latent_attention')],
  ['whole', 'q-lora-rank', ...model('q_lora_rank')],
  ['whole', 'kv-lora-rank', ...model('kv_lora_rank')],
  ['whole', 'qk-head-dim', ...model('qk_head_dim')],
  ['whole', 'qk-pos-emb-head-dim', ...model('qk_pos_emb_head_dim')],
  ['whole', 'v-head-dim', ...model('v_head_dim')],
  ['on', 'cross-entropy-loss-fusion', ...model('cross_entropy_loss_fusion')],
  ['word', 'cross-entropy-fusion-impl', ...model('cross_entropy_fusion_impl')],
  ['word', 'transformer-impl', ...model('transformer_impl')],

  ['whole', 'tensor-model-parallel-size', ...ranks('tensor_model_parallel_size')],
  ['whole', 'pipeline-model-parallel-size', ...ranks('pipeline_model_parallel_size')],
  ['whole', 'num-virtual-stages-per-pipeline-rank', ...ranks('virtual_pipeline_model_parallel_size')],
  ['whole', 'microbatch-group-size-per-virtual-pipeline-stage', ...ranks('microbatch_group_size_per_vp_stage')],
  ['whole', 'context-parallel-size', ...ranks('context_parallel_size')],
  ['words', 'cp-comm-type', ...model('cp_comm_type')],
  ['on', 'sequence-parallel', ...ranks('sequence_parallel')],
  ['whole', 'expert-model-parallel-size', ...ranks('expert_model_parallel_size')],
  ['whole', 'expert-tensor-parallel-size', ...ranks('expert_tensor_parallel_size')],
  ['whole', 'decoder-first-pipeline-num-layers', ...model('num_layers_in_first_pipeline_stage')],
  ['whole', 'decoder-last-pipeline-num-layers', ...model('num_layers_in_last_pipeline_stage')],
  ['on', 'account-for-embedding-in-pipeline-split', ...model('account_for_embedding_in_pipeline_split')],
  ['on', 'account-for-loss-in-pipeline-split', ...model('account_for_loss_in_pipeline_split')],
  ['layout', 'pipeline-model-parallel-layout', ...model('pipeline_model_parallel_layout')],
  ['on', 'use-tp-pp-dp-mapping', 'dist.use_tp_pp_dp_mapping'],
  ['whole', 'nproc-per-node', 'trainer.devices'],
  ['whole', 'nnodes', 'trainer.num_nodes'],

  ['whole', 'micro-batch-size', 'train.micro_batch_size', 'data.micro_batch_size', 'model.micro_batch_size'],
  ['whole', 'global-batch-size', 'train.global_batch_size', 'data.global_batch_size', 'model.global_batch_size'],
  ['word', 'recompute-granularity', ...model('recompute_granularity'), 'model.activations_checkpoint_granularity'],
  ['word', 'recompute-method', ...model('recompute_method'), 'model.activations_checkpoint_method'],
  ['whole', 'recompute-num-layers', ...model('recompute_num_layers'), 'model.activations_checkpoint_num_layers'],
  ['words', 'recompute-modules', ...model('recompute_modules')],

  ['on', 'bf16', 'mixed_precision.bf16', ...model('bf16'), ...optimizer('bf16')],
  ['on', 'fp16', 'mixed_precision.fp16', ...model('fp16'), ...optimizer('fp16')],
  ['word', 'fp8-format', 'mixed_precision.fp8', 'model.config.fp8'],
  ['word', 'fp8-recipe', 'mixed_precision.fp8_recipe', ...model('fp8_recipe')],
  ['on', 'fp8-param-gather', 'mixed_precision.fp8_param_gather'],
  ['word', 'fp4-format', 'mixed_precision.fp4', ...model('fp4')],
  ['word', 'optimizer', ...optimizer('optimizer')],
  ['number', 'clip-grad', ...optimizer('clip_grad'), 'trainer.gradient_clip_val'],
  ['on', 'use-distributed-optimizer', ...optimizer('use_distributed_optimizer'), ...ddp('use_distributed_optimizer')],
  ['on', 'use-torch-fsdp2', 'dist.use_torch_fsdp2'],
  ['on', 'use-megatron-fsdp', 'dist.use_megatron_fsdp', ...ddp('use_megatron_fsdp')],
  ['word', 'data-parallel-sharding-strategy', ...ddp('data_parallel_sharding_strategy')],
  ['on', 'overlap-grad-reduce', ...ddp('overlap_grad_reduce'), 'comm_overlap.overlap_grad_reduce'],
  [
    'on',
    'tp-comm-overlap',
    ...model('tp_comm_overlap'),
    ...model('ub_tp_comm_overlap'),
    'comm_overlap.tp_comm_overlap',
  ],
  [
    'on',
    'overlap-moe-expert-parallel-comm',
    ...model('overlap_moe_expert_parallel_comm'),
    'comm_overlap.overlap_moe_expert_parallel_comm',
  ],
  ['whole', 'ddp-bucket-size', ...ddp('bucket_size')],
  ['off', 'grad-reduce-in-bf16', ...ddp('grad_reduce_in_fp32'), 'mixed_precision.grad_reduce_in_fp32'],
  ['on', 'use-precision-aware-optimizer', ...optimizer('use_precision_aware_optimizer')],
  ['format', 'main-grads-dtype', ...optimizer('main_grads_dtype')],
  ['format', 'main-params-dtype', ...optimizer('main_params_dtype')],
  ['format', 'exp-avg-dtype', ...optimizer('exp_avg_dtype')],
  ['format', 'exp-avg-sq-dtype', ...optimizer('exp_avg_sq_dtype')],
];

const formats: ReadonlyMap<string, string> = new Map([
  ['float32', 'fp32'],
  ['bfloat16', 'bf16'],
  ['float16', 'fp16'],
  ['uint8', 'fp8'],
]);

/** `torch.float32`, alone or as the target of a printed object. */
function formatAt(keys: Keys, path: string): string | undefined {
  const target = keys.names(path).includes('_target_') ? keys.word(`${path}._target_`) : keys.word(path);
  return formats.get(target?.split('.').at(-1) ?? '');
}

/** The words of an argument; none where the field asks for nothing. */
function textsOf(keys: Keys, kind: Kind, path: string): readonly string[] {
  switch (kind) {
    case 'whole': {
      // 0 and null are printed for what is not used.
      const value = keys.whole(path, { least: 0 });
      return value === undefined || value === 0 ? [] : [String(value)];
    }
    case 'number':
      return [String(keys.number(path) ?? 0)];
    case 'word':
      return [keys.word(path) ?? ''].filter((word) => word !== '');
    case 'words':
      return keys.words(path);
    case 'on':
      return keys.flag(path) === true ? [''] : [];
    case 'off':
      return keys.flag(path) === false ? [''] : [];
    case 'pattern':
      return [patternAt(keys, path)];
    case 'pair':
      return [numbersAt(keys, path).join(',')];
    case 'layout':
      return [layoutAt(keys, path)].filter((word) => word !== '');
    case 'format':
      return [formatAt(keys, path) ?? ''].filter((word) => word !== '');
  }
}

const symbols: ReadonlyMap<string, string> = new Map([
  ['embedding', 'E'],
  ['decoder', 't'],
  ['mtp', 'm'],
  ['loss', 'L'],
]);

/** `[[embedding, decoder], [loss]]` is `Et|L`; another word is no symbol of a layout, which is reported. */
const layoutAt = (keys: Keys, path: string): string =>
  keys
    .list(path)
    .map((stage) =>
      stage.kind === 'string'
        ? stage.value
        : stage.kind === 'array'
          ? stage.items.map((layer) => (layer.kind === 'string' ? (symbols.get(layer.value) ?? '?') : '?')).join('')
          : '?',
    )
    .join('|');

const numbersAt = (keys: Keys, path: string): readonly string[] =>
  keys.list(path).map((item) => (item.kind === 'number' ? String(item.value) : ''));

const patternAt = (keys: Keys, path: string): string => {
  const items = numbersAt(keys, path);
  return items.length === 1 ? items[0] : `[${items.join(',')}]`;
};

/** The arguments of a configuration, and the field of each. */
export function flagsOfKeys(keys: Keys): {
  readonly flags: Map<string, Flag>;
  readonly fields: ReadonlyMap<string, string>;
} {
  const flags = new Map<string, Flag>();
  const fields = new Map<string, string>();
  for (const [kind, flag, ...paths] of rows) {
    fields.set(flag, paths[0]);
    // Alternatives are printed side by side, and the first one that says something counts.
    const path = paths.find((each) => keys.has(each));
    if (path === undefined) continue;
    for (const other of paths) keys.has(other);
    fields.set(flag, path);
    const place = keys.place(path);
    const [value, ...more] = textsOf(keys, kind, path).map((text) => ({ text, ...place }));
    if (value === undefined) continue;
    const at = { text: path, ...place };
    flags.set(flag, value.text === '' ? { flag: at } : { flag: at, value, ...(more.length === 0 ? {} : { more }) });
  }
  return { flags, fields };
}

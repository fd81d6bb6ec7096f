/** Keys by the names that other programs and papers give them, and what to write where there is no such key. */
import { table } from '../basics/table.ts';
import { shardWords } from '../costs/optimizer/shard.ts';
import type { BlockName } from './schema.ts';
import { textAdvice } from './textSchedules.ts';

type Names = Readonly<Record<string, string>>;

const ofLayers = 'Shapes are written in layers: `layer block[32] = transformer(hidden = 4096, heads = 32)`.';

const keys: { readonly [B in BlockName]?: Names } = {
  pipeline: {
    tp: 'tensor',
    tensor_parallel: 'tensor',
    tensor_parallel_size: 'tensor',
    tensor_model_parallel_size: 'tensor',
    cp: 'context',
    context_parallel: 'context',
    cp_comm_type: 'context_exchange',
    ulysses: 'context_exchange',
    context_parallel_size: 'context',
    dp: 'data',
    data_parallel: 'data',
    data_parallel_size: 'data',
    ep: 'expert',
    expert_parallel: 'expert',
    expert_model_parallel_size: 'expert',
    gpus: 'devices',
    hardware: 'devices',
    cluster: 'devices',
    batch: 'global_batch',
    batch_size: 'global_batch',
    global_batch_size: 'global_batch',
    gbs: 'global_batch',
    gradient_accumulation: 'microbatches',
    gradient_accumulation_steps: 'microbatches',
    num_microbatches: 'microbatches',
    sp: 'sequence_parallel',
    etp: 'expert_tensor',
    expert_tensor_parallel_size: 'expert_tensor',
    activation_checkpointing: 'recompute',
    gradient_checkpointing: 'recompute',
    checkpointing: 'recompute',
  },
  model: {
    batch: 'micro_batch',
    batch_size: 'micro_batch',
    micro_batch_size: 'micro_batch',
    mbs: 'micro_batch',
    seq_length: 'sequence',
    sequence_length: 'sequence',
    seq_len: 'sequence',
    dtype: 'precision',
  },
  device: { flops: 'compute', tflops: 'compute', peak: 'compute', vram: 'memory', mfu: 'efficiency' },
};

/** What a key of a pipeline means under another program's name, if it is written in another place than as a key of the pipeline. */
export type Elsewhere =
  | { readonly kind: 'model'; readonly key: 'micro_batch' | 'sequence' | 'precision' }
  | { readonly kind: 'stages' | 'chunks' | 'shard' };

const microBatch: Elsewhere = { kind: 'model', key: 'micro_batch' };
const sequence: Elsewhere = { kind: 'model', key: 'sequence' };
const precision: Elsewhere = { kind: 'model', key: 'precision' };
const stages: Elsewhere = { kind: 'stages' };
const chunks: Elsewhere = { kind: 'chunks' };
const shard: Elsewhere = { kind: 'shard' };

const ofPipeline: Readonly<Record<string, Elsewhere>> = table({
  pp: stages,
  pipeline: stages,
  pipeline_parallel: stages,
  pipeline_parallel_size: stages,
  pipeline_model_parallel_size: stages,
  vpp: chunks,
  virtual_pipeline_model_parallel_size: chunks,
  micro_batch: microBatch,
  micro_batch_size: microBatch,
  mbs: microBatch,
  precision,
  dtype: precision,
  sequence_length: sequence,
  seq_length: sequence,
  seq_len: sequence,
  shard,
  zero: shard,
  zero_stage: shard,
  fsdp: shard,
});

/** The place of the value of a key of a pipeline; undefined if the name means nothing, or another key of the pipeline. */
export const elsewhereMeant = (name: string): Elsewhere | undefined => own(ofPipeline, name.toLowerCase());

const examples: Readonly<Record<'micro_batch' | 'sequence' | 'precision', string>> = {
  micro_batch: 'micro_batch = 2',
  sequence: 'sequence = 8192',
  precision: 'precision = bf16',
};

function adviceOf(elsewhere: Elsewhere): string {
  switch (elsewhere.kind) {
    case 'model':
      return `It is a key of the model: \`${examples[elsewhere.key]}\`.`;
    case 'stages':
      return 'Stages are the cut of the model: `stages = balance(4)`.';
    case 'chunks':
      return 'Chunks are an argument of the schedule: `schedule = interleaved_1f1b(chunks = 2)`.';
    case 'shard':
      return 'It is an argument of the optimizer: `optimizer = adam_mixed(shard = zero1)`, or `zero2`, `zero3`, `fsdp`.';
  }
}

const advice: { readonly [B in BlockName]?: Names } = {
  pipeline: Object.fromEntries(Object.entries(ofPipeline).map(([name, elsewhere]) => [name, adviceOf(elsewhere)])),
  model: {
    hidden: ofLayers,
    heads: ofLayers,
    layers: ofLayers,
    vocab: ofLayers,
    hidden_size: ofLayers,
    num_layers: ofLayers,
  },
};

/** The key of a block that another name stands for; undefined where the name means nothing there. */
export const keyMeant = (block: BlockName, name: string): string | undefined => own(keys[block], name.toLowerCase());

/** What to write for a name that no key of the block stands for. */
export const adviceMeant = (block: BlockName, name: string): string | undefined =>
  own(advice[block], name.toLowerCase());

/** Words of lists by the names that PEFT, Hugging Face, torchtitan and Megatron-LM give them. */
const words: Names = {
  q_proj: 'q',
  k_proj: 'k',
  v_proj: 'v',
  o_proj: 'o',
  wq: 'q',
  wk: 'k',
  wv: 'v',
  wo: 'o',
  linear_proj: 'o',
  gate_proj: 'gate',
  up_proj: 'up',
  down_proj: 'down',
  q_a_proj: 'q_down',
  q_b_proj: 'q_up',
  kv_a_proj_with_mqa: 'kv_down',
  kv_b_proj: 'kv_up',
};

/** The word of a list that another name stands for. */
export function wordMeant(name: string, allowed: readonly string[]): string | undefined {
  const meant = own(words, name.toLowerCase());
  return meant !== undefined && allowed.includes(meant) ? meant : undefined;
}

const ofChunks = ['v', 'vp', 'vpp', 'virtual_stages', 'virtual_pipeline_model_parallel_size', 'num_model_chunks'];

/** The argument of a call that another name stands for: chunks of interleaved schedules. */
export const argumentMeant = (name: string, parameters: readonly string[]): string | undefined =>
  ofChunks.includes(name.toLowerCase()) && parameters.includes('chunks') ? 'chunks' : undefined;

const values: { readonly [kind: string]: Readonly<Record<string, readonly string[]>> | undefined } = {
  recompute: {
    true: ['full', 'selective'],
    on: ['full', 'selective'],
    false: ['none'],
    off: ['none'],
    attention: ['selective', 'modules(core_attention)'],
    core_attention: ['modules(core_attention)'],
    mlp: ['modules(mlp)'],
    moe: ['modules(moe)'],
    layernorm: ['modules(layernorm)'],
  },
  // What data ranks split is an argument. Others: `--optim` of Hugging Face's trainer, and flags of Megatron-LM.
  optimizer: {
    ...Object.fromEntries(shardWords.slice(1).map((shard) => [shard, [`adam_mixed(shard = ${shard})`]])),
    fsdp2: ['adam_mixed(shard = fsdp)'],
    distributed_optimizer: ['megatron_bf16(shard = distributed)'],
    adamw_torch: ['adamw'],
    adamw_torch_fused: ['adamw'],
    adamw_bnb_8bit: ['adam_8bit'],
    paged_adamw_8bit: ['adam_8bit'],
  },
  // As PyTorch's classes are named, and in snake case.
  schedule: {
    interleaved_zero_bubble: ['interleaved_zb'],
    InterleavedZeroBubble: ['interleaved_zb'],
    LoopedBFS: ['breadth_first'],
    ZBVZeroBubble: ['zb_v'],
    DualPipeV: ['dualpipe_v'],
  },
  offload: {
    true: ['activations(layers = 4)'],
    activation: ['activations(layers = 4)'],
  },
};

/** What may be meant by a name that a kind of value does not have, the most likely first. */
export function valuesMeant(kind: string | undefined, name: string): readonly string[] {
  const names = kind === undefined ? undefined : values[kind];
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : [];
}

/** How a share is written where a truth is found. */
export const shareMeant: Readonly<Record<string, string>> = table({ true: '100%', false: '0%' });

const elsewhere: { readonly [kind: string]: Names | undefined } = {
  offload: {
    optimizer:
      'The state of the optimizer goes to the host by its own argument: `optimizer = adam_mixed(offload = 100%)`.',
  },
};

/** What to write for a name that is no value of this kind, because another key or argument has it. */
export const valueElsewhere = (kind: string | undefined, name: string): string | undefined =>
  own(kind === undefined ? undefined : elsewhere[kind], name);

/** What people look up under another name, in any block. */
const lookedUp: { readonly [name: string]: readonly string[] | undefined } = {
  grad_dtype: ['main_grads'],
  gradient_dtype: ['main_grads'],
  grad_reduce_in_fp32: ['main_grads'],
  accumulate_allreduce_grads_in_fp32: ['main_grads'],
  gradients: ['main_grads'],
  precision: ['main_grads', 'main_params', 'moments'],
  qlora: ['lora', 'nf4'],
  peft: ['lora'],
  'config.json': ['huggingface'],
  hf: ['huggingface'],
  json: ['format'],
};

const anyBlock = Object.keys(keys) as readonly BlockName[];

/** The names under which the language has what people look up by another one, the most likely first. */
export const namesMeant = (name: string): readonly string[] => [
  ...(own(lookedUp, name.toLowerCase()) ?? []),
  ...new Set(anyBlock.flatMap((block) => keyMeant(block, name) ?? [])),
];

function own<T>(names: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}

const dataParallelism = new Set(
  'data_parallel ddp dp deepspeed fsdp fsdp2 hsdp megatron no_pipeline none zero zero1 zero2 zero3'.split(' '),
);

/** What to write for a name that is no policy: for data parallelism, and for a schedule that is a text of the examples. */
export const policyAdvice = (name: string): string | undefined =>
  dataParallelism.has(name.toLowerCase())
    ? 'A schedule orders the microbatches of stages. For data parallelism write "stages = balance(1)", "data = 8", "optimizer = adam_mixed(shard = fsdp)" and "schedule = 1f1b".'
    : textAdvice(name);

/** Configurations of Axolotl: a model of Hugging Face that is trained by FSDP, DeepSpeed or replicas, often with adapters. */
import { table } from '../../basics/table.ts';
import { readYaml } from '../yaml/read.ts';
import { finished, type RecipeImport } from './finish.ts';
import { type Keys, keysOf } from './keys.ts';
import { hasExperts, modelOfRepository, standardModel } from './models.ts';
import { sequenceOf, unknownModel } from './placeholders.ts';
import { mostDevices, type Recipe, usualDataRanks } from './toPipe.ts';

/** Whether a text has keys of Axolotl at the start of lines. */
export const isAxolotl = (text: string): boolean =>
  /^\uFEFF?base_model:/m.test(text) &&
  /^(?:micro_batch_size|sequence_len|gradient_accumulation_steps|adapter|datasets|lora_r|num_epochs|output_dir):/m.test(
    text,
  );

/** Keys that change neither time nor memory. */
const irrelevant =
  /^(?:(?:tokenizer|processor|model)_\w+|is_\w+_derived_model|trust_remote_code|special_tokens|tokens|chat_template\w*|hub_\w+|push_\w+|output_dir|save\w*|eval\w*|do_\w*eval|logging\w*|wandb\w*|mlflow\w*|comet\w*|use_(?:wandb|mlflow|comet|tensorboard)|learning_rate|lr_\w+|warmup\w*|weight_decay|adam_\w+|cosine\w*|num_epochs|max_steps|seed|resume\w*|auto_resume\w*|early_stopping\w*|load_best\w*|metric\w*|val_set_size|dataset\w*|test_datasets|pretraining_dataset|shuffle\w*|train_on_inputs|group_by_length|strict|debug|local_rank|lora_model_dir|lora_alpha|peft_use_\w+|dataloader\w*|remove_unused_columns|type|skip_\w+|save_first_step|profiler\w*|tf32|flash_attn_\w*loss\w*|gradient_checkpointing_kwargs|strict|include_tokens\w*|loraplus_\w+|revision_of_model|xformers_attention|flash_attention|sdp_attention|attn_implementation)(?:\.|$)|^fsdp_config\.(?:(?:fsdp_)?(?:state_dict_type|final_state_dict_type|cpu_ram_efficient_loading|sync_module_states|use_orig_params|auto_wrap_policy|transformer_layer_cls_to_wrap|version|limit_all_gathers|backward_prefetch))$|^fsdp_(?:version|final_state_dict_type)$/;

export function pipeOfAxolotl(text: string): RecipeImport {
  const read = readYaml(text, { values: 20_000, characters: 200 });
  if ('fault' in read) return { faults: [read.fault] };
  const keys = keysOf(read);
  const remarks: string[] = [];
  const name = keys.word('base_model') ?? '';
  const known = modelOfRepository(name);
  if (known === undefined) keys.leave('base_model');
  const model =
    known === undefined ? unknownModel('`base_model` is not a model of std:models', remarks) : standardModel(known);
  const tensor = keys.whole('tensor_parallel_size', { most: mostDevices }) ?? 1;
  const context =
    keys.whole('context_parallel_size', { most: mostDevices }) ??
    keys.whole('sequence_parallel_degree', { most: mostDevices }) ??
    1;
  const sharing = sharingOf(keys, tensor * context, remarks);
  const precision = precisionOf(keys);
  const trainable = adapters(keys, remarks);
  const checkpoints = (keys.choice('gradient_checkpointing') ?? false) !== false;
  const recipe: Omit<Recipe, 'remarks'> = {
    source: 'an Axolotl configuration',
    engine: sharing.zero === undefined ? 'pytorch' : 'deepspeed',
    model,
    sequence: keys.whole('sequence_len') ?? sequenceOf(model, remarks),
    microBatch: keys.whole('micro_batch_size') ?? 1,
    microbatches: keys.whole('gradient_accumulation_steps') ?? 1,
    precision,
    ...(trainable === undefined ? {} : { trainable }),
    pipeline: 1,
    tensor,
    context,
    data: sharing.data,
    expert: hasExperts(model, sharing.expert) ? sharing.expert : 1,
    keys: [
      ...(checkpoints ? [['recompute', 'full'] as const] : []),
      ['optimizer', optimizerOf(keys, sharing, { precision, adapts: trainable !== undefined }, remarks)],
      ...(sharing.shard === undefined && sharing.data > 1 ? [['sync', 'ddp'] as const] : []),
    ],
    stages: 1,
    schedule: '1f1b',
  };
  return finished(keys, recipe, {
    remarks,
    isIrrelevant: (path) => path === 'bf16' || irrelevant.test(path),
    ranks: 'dp_shard_size',
  });
}

/** Its default is bf16, if the devices have it. */
function precisionOf(keys: Keys): string {
  if (keys.flag('fp8') === true) return 'fp8';
  const [bf16, fp16] = [keys.choice('bf16') ?? keys.flag('bfloat16'), keys.flag('fp16') ?? keys.flag('float16')];
  if (fp16 === true) return 'fp16';
  return bf16 === false ? 'fp32' : 'bf16';
}

/** Who shares the weights. */
interface Sharing {
  readonly data: number;
  readonly expert: number;
  /** As `shard =` names it. */
  readonly shard?: string;
  readonly over?: number;
  readonly reshard: boolean;
  /** The stage of ZeRO, if DeepSpeed trains. */
  readonly zero?: number;
  /** Gradients stay whole up to the last of several microbatches (`no_sync`). */
  readonly syncsLast: boolean;
}

function sharingOf(keys: Keys, others: number, remarks: string[]): Sharing {
  const size = (name: string): number | undefined => keys.whole(name, { most: mostDevices });
  const [replicate, shard, expert] = [
    size('dp_replicate_size'),
    size('dp_shard_size'),
    size('expert_parallel_size') ?? 1,
  ];
  const zero = zeroOf(keys, remarks);
  const isEach = keys.flag('accelerator_config.gradient_accumulation_kwargs.sync_each_batch') === true;
  const syncsLast = zero === undefined && !isEach && (keys.whole('gradient_accumulation_steps') ?? 1) > 1;
  const named = zero === undefined ? strategyOf(keys) : zero === 0 ? undefined : `zero${zero}`;
  // Whole gradients are what the first stage has.
  const strategy = named === 'zero2' && syncsLast ? 'zero1' : named;
  const reshard = (keys.flag('fsdp_config.reshard_after_forward') ?? true) || strategy === undefined;
  const known = replicate === undefined && shard === undefined ? undefined : (replicate ?? 1) * (shard ?? 1) * expert;
  const data = known ?? usualDataRanks(others);
  if (known === undefined)
    remarks.push(`The file does not say how many devices there are: ${data} data ranks are written. Set \`data\`.`);
  const over = strategy === 'hybrid' ? 8 : shard;
  return {
    data,
    expert,
    reshard,
    syncsLast,
    ...(zero === undefined ? {} : { zero }),
    ...(strategy === undefined ? {} : { shard: strategy === 'hybrid' ? 'fsdp' : strategy }),
    ...(strategy === undefined || over === undefined || over >= data || data % over !== 0 ? {} : { over }),
  };
}

/** The stage in the name of a file that comes with Axolotl, such as `deepspeed_configs/zero3_bf16.json`; 0 for another file. */
function zeroOf(keys: Keys, remarks: string[]): number | undefined {
  const file = keys.word('deepspeed');
  if (file === undefined || file === '') return undefined;
  const stage = /^(?:\.\/)?deepspeed_configs\/zero([123])(?:_\w+)?\.json$/.exec(file)?.[1];
  if (stage !== undefined) return Number(stage);
  keys.leave('deepspeed');
  remarks.push('The stage of ZeRO is in another file: import that file too, and take its optimizer.');
  return 0;
}

const strategies: Readonly<Record<string, string>> = table({
  full_shard: 'fsdp',
  shard_grad_op: 'zero2',
  hybrid_shard: 'hybrid',
  hybrid_shard_zero2: 'zero2',
});

/** How FSDP shards, if it does: its second version by `reshard_after_forward`, its first by a strategy. */
function strategyOf(keys: Keys): string | undefined {
  const listed = keys.words('fsdp').map((word) => word.toLowerCase());
  if (listed.length === 0 && keys.names('fsdp_config').length === 0) return undefined;
  const named = ['fsdp_config.fsdp_sharding_strategy', 'fsdp_config.sharding_strategy'].map((path) =>
    keys.word(path)?.toLowerCase(),
  );
  const words = [...named, ...listed];
  if (words.includes('no_shard')) return undefined;
  const found = words.flatMap((word) => strategies[word ?? ''] ?? []);
  return found[0] ?? 'fsdp';
}

const products: Readonly<Record<string, string>> = table({
  q_proj: 'q',
  k_proj: 'k',
  v_proj: 'v',
  o_proj: 'o',
  gate_proj: 'gate',
  up_proj: 'up',
  down_proj: 'down',
});

/** `lora(…)` of the keys of PEFT, whose default are queries and values. */
function adapters(keys: Keys, remarks: string[]): string | undefined {
  const adapter = keys.word('adapter');
  if (adapter === undefined || adapter === '') return undefined;
  if (adapter !== 'lora' && adapter !== 'qlora') {
    keys.leave('adapter');
    remarks.push('Import reads the adapters lora and qlora only: all weights train here.');
    return undefined;
  }
  const rank = keys.whole('lora_r', { most: 2 ** 16 });
  if (rank === undefined) {
    if (!keys.has('lora_r')) keys.fault('adapter', 'An adapter needs `lora_r`, its rank.');
    return undefined;
  }
  const modules = keys.words('lora_target_modules');
  const named = modules.flatMap((module) => products[module] ?? []);
  if (named.length < modules.length) {
    keys.leave('lora_target_modules');
    remarks.push('Only products of attention and MLP get adapters here: the rest of lora_target_modules is left out.');
  }
  const isLinear = keys.flag('lora_target_linear') === true;
  const targets = named.length === 0 && !isLinear ? ['q', 'v'] : named;
  const dropout = keys.number('lora_dropout') ?? 0;
  if (dropout < 0 || dropout >= 1) keys.fault('lora_dropout', '`lora_dropout` must be at least 0 and under 1.');
  const isPacked = adapter === 'qlora' || keys.flag('load_in_4bit') === true;
  if (keys.flag('load_in_4bit') === false && adapter === 'qlora') keys.leave('load_in_4bit');
  if (keys.flag('load_in_8bit') === true) keys.leave('load_in_8bit');
  const given = [
    `rank = ${rank}`,
    ...(isLinear ? [] : [`targets = [${[...new Set(targets)].join(', ')}]`]),
    ...(dropout > 0 ? [`dropout = ${dropout}`] : []),
    ...(isPacked ? ['weights = nf4'] : []),
  ];
  return `lora(${given.join(', ')})`;
}

/**
 * FSDP reduces gradients in the precision of the model (`FullyShardedDataParallelPlugin.set_mixed_precision` of Accelerate), and none
 * before the last microbatch (`Accelerator.no_sync`, as Trainer of Transformers calls it).
 * FSDP and adapters keep trained weights in fp32, and DeepSpeed a main copy of 16-bit weights. Replicas train the 16-bit weights
 * that were loaded. Moments in 8 bits take a byte each.
 */
function optimizerOf(
  keys: Keys,
  { shard, over, reshard, zero, syncsLast }: Sharing,
  { precision, adapts }: { readonly precision: string; readonly adapts: boolean },
  remarks: string[],
): string {
  const name = (keys.choice('optimizer') ?? 'adamw_torch_fused').toString().toLowerCase();
  if (!/^(?:paged_)?adamw?(?:_|$)/.test(name)) {
    keys.leave('optimizer');
    remarks.push('Import reads Adam only: Adam is written instead of the optimizer of the file.');
  }
  const isWide = precision === 'fp32' || (shard !== undefined && zero === undefined && !adapts);
  const isMixed = adapts || zero !== undefined || precision === 'fp16';
  const given = [
    ...(shard === undefined ? [] : [`shard = ${shard}`]),
    ...(over === undefined ? [] : [`over = ${over}`]),
    ...(reshard ? [] : ['reshard = false']),
    ...(reshard && syncsLast && shard === 'fsdp' ? ['gradient_sync = last'] : []),
    ...((keys.number('max_grad_norm') ?? 1) > 0 ? ['clip = true'] : []),
  ];
  const [recipe, bytes] = isWide
    ? ['adamw', ['weight = 4', 'gradient = 4', 'state = 2']]
    : isMixed
      ? ['adam_mixed', ['weight = 2', 'gradient = 2', 'state = 6']]
      : ['adam_bf16', ['weight = 2', 'gradient = 2', 'state = 2']];
  if (name.includes('8bit')) return `custom(${[...bytes, ...given].join(', ')})`;
  if (isWide && shard !== undefined && precision !== 'fp32')
    given.push(`reduce = ${precision === 'fp16' ? 'fp16' : 'bf16'}`);
  return `${recipe}${given.length === 0 ? '' : `(${given.join(', ')})`}`;
}

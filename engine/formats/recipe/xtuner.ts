/** Configurations of xtuner: the Python of its trainer, and the YAML of its calculator of memory and time (`xtuner/tools/llm_calc`). */
import { table } from '../../basics/table.ts';
import { onlyCall } from '../python/onlyCall.ts';
import { readYaml } from '../yaml/read.ts';
import { finished, type RecipeImport } from './finish.ts';
import { type Keys, keysOf } from './keys.ts';
import { hasExperts, modelOfFolder, type RecipeModel, standardModel } from './models.ts';
import { sequenceOf, unknownModel } from './placeholders.ts';
import { mostDevices, type Recipe, usualDataRanks } from './toPipe.ts';

export const isXtunerPython = (text: string): boolean =>
  /\bTrainerConfig\(/.test(text) && /^\s*(?:from|import) xtuner\b/m.test(text);

export const isXtunerYaml = (text: string): boolean =>
  /^\uFEFF?MBS:/m.test(text) && /^zero_stage:/m.test(text) && /^MBN:/m.test(text);

/** Its classes of models with the widths of an entry of `std:models`. */
const classes: Readonly<Record<string, string>> = table({
  Qwen3Dense8BConfig: 'qwen3_8b',
  Qwen3MoE30BA3Config: 'qwen3_30b_a3b',
  Qwen3MoE235BA22Config: 'qwen3_235b_a22b',
  DeepSeekV3Config: 'deepseek_v3',
});

const irrelevantInPython =
  /(?:^|\.)_class$|^(?:load_from|tokenizer_path|dataset_cfg|lr_cfg|work_dir|log_dir|total_\w+|\w*resume\w*|strict_load|checkpoint\w*|load_checkpoint_cfg|async_\w+|snapshot\w*|check_health\w*|hf_\w+|exp_tracker|profile_\w+|seed|dist_backend|debug\w*|prober_list|grad_norm_dtype|hooks_config|internal_metrics_cfg|skip_\w+|patch_\w+)(?:\.|$)|^optim_cfg\.(?:lr|betas|eps|weight_decay|foreach|max_grad_norm)$|^dataloader_cfg\.(?:num_workers|dataset_config_list|collator|pack_level|pack_workers|\w*shuffle\w*)(?:\.|$)|^fsdp_cfg\.(?:checkpoint_preserve_rng_state|mesh_prefix|requires_grad)$/;

export function pipeOfXtunerPython(text: string, config?: string): RecipeImport {
  const read = onlyCall(text, (name) => name === 'TrainerConfig', config);
  if ('faults' in read) return read;
  const keys = keysOf(read.call);
  const remarks = [...read.remarks];
  const name = keys.word('model_cfg._class') ?? '';
  const model = modelOf(classes[name], '`model_cfg` is not a model of std:models', remarks);
  const size = (path: string): number => keys.whole(path, { most: mostDevices }) ?? 1;
  const [tensor, context] = [size('fsdp_cfg.tp_size'), size('sp_size')];
  const experts = [size('fsdp_cfg.ep_size'), size('model_cfg.ep_size')];
  const data = usualDataRanks(tensor * context);
  remarks.push(`The file does not say how many devices there are: ${data} data ranks are written. Set \`data\`.`);
  const microBatch = keys.whole('intra_layer_micro_batch') ?? 1;
  const over = keys.whole('fsdp_cfg.hsdp_sharding_size', { most: mostDevices });
  return finished(
    keys,
    {
      source: 'an xtuner configuration',
      engine: 'pytorch',
      model,
      sequence: keys.whole('dataloader_cfg.pack_max_length') ?? sequenceOf(model, remarks),
      microBatch,
      precision: 'bf16',
      pipeline: 1,
      tensor,
      context,
      data,
      expert: hasExperts(model, Math.max(...experts)) ? Math.max(...experts) : 1,
      keys: [
        ...exchange(context),
        ...recomputed(keys, 'fsdp_cfg.recompute_ratio', model, remarks),
        ['optimizer', optimizerOf(keys, over !== undefined && data % over === 0 && over < data ? over : undefined)],
      ],
      microbatches: microbatchesOf(keys.whole('global_batch_size') ?? microBatch * data, microBatch * data, remarks),
      stages: 1,
      schedule: '1f1b',
    },
    { remarks, isIrrelevant: (path) => irrelevantInPython.test(path), ranks: 'fsdp_cfg' },
  );
}

/** Widths follow from the name of the model, and bytes from the optimizer. */
const irrelevantInYaml =
  /^(?:capacity|\w+_type|vocab_size|D|LN|qn|kvn|H|mH|topk|e|hidden_size|num_\w+|head_dim|intermediate_size|moe_intermediate_size|mlp_act_dim|flash_attn|topk_weights_position|\w+_lora_rank|\w+_head_dim|n_shared_experts)$/;

export function pipeOfXtunerYaml(text: string): RecipeImport {
  const read = readYaml(text, { values: 20_000, characters: 200 });
  if ('fault' in read) return { faults: [read.fault] };
  const keys = keysOf(read);
  const remarks: string[] = [];
  const size = (path: string): number => keys.whole(path, { most: mostDevices }) ?? 1;
  const [pipeline, chunks, tensor] = [size('pp'), size('vpp'), size('tp')];
  const context = size('cp') * size('ulysses');
  const model = modelOf(modelOfFolder(keys.word('model') ?? ''), '`model` is not a model of std:models', remarks);
  const [devices, others] = [size('nodes') * size('gpu_per_node'), pipeline * tensor * context];
  if (devices % others !== 0)
    keys.fault('nodes', `${devices} devices are not a multiple of the ${others} of one data rank.`);
  const data = Math.max(1, Math.floor(devices / others));
  const stage = keys.whole('zero_stage', { least: 0, most: 3 }) ?? 0;
  const isSplit = keys.flag('TP_sp') !== false;
  const [expert, expertTensor] = [size('ep'), size('etp')];
  return finished(
    keys,
    {
      source: 'a calculation of xtuner',
      engine: 'pytorch',
      model,
      sequence: keys.whole('L') ?? sequenceOf(model, remarks),
      microBatch: keys.whole('MBS') ?? 1,
      precision: 'bf16',
      pipeline,
      tensor,
      context,
      data,
      expert: hasExperts(model, expert) ? expert : 1,
      keys: [
        ...(isSplit && tensor > 1 ? [['sequence_parallel', 'true'] as const] : []),
        ...(size('ulysses') > 1 ? exchange(context) : []),
        ...(hasExperts(model, expert) && expertTensor !== tensor
          ? [['expert_tensor', String(expertTensor)] as const]
          : []),
        ...(keys.flag('recompute') === true ? [['recompute', 'full'] as const] : []),
        ['optimizer', stage === 0 || data * context === 1 ? 'adam_mixed' : `adam_mixed(shard = zero${stage})`],
      ],
      microbatches: keys.whole('MBN') ?? 1,
      stages: pipeline * chunks,
      schedule: chunks === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${chunks})`,
    },
    { remarks, isIrrelevant: (path) => irrelevantInYaml.test(path), ranks: 'nodes' },
  );
}

const modelOf = (name: string | undefined, why: string, remarks: string[]): RecipeModel =>
  name === undefined ? unknownModel(why, remarks) : standardModel(name);

/** Sequence ranks exchange heads (Ulysses). */
const exchange = (context: number): Recipe['keys'] => (context > 1 ? [['context_exchange', 'all_to_all']] : []);

/** The share of layers whose activations are computed again; all of them by default. */
function recomputed(keys: Keys, path: string, { layers }: RecipeModel, remarks: string[]): Recipe['keys'] {
  const ratio = keys.number(path) ?? 1;
  if (ratio < 0 || ratio > 1) keys.fault(path, `\`${path}\` must be from 0 to 1.`);
  if (layers === undefined && ratio > 0 && ratio < 1) {
    remarks.push(`${ratio} of the layers are recomputed. Here none are: set recompute = full(layers = …).`);
    return [];
  }
  const count = layers === undefined ? ratio : Math.round(ratio * layers);
  return count <= 0 ? [] : [['recompute', count >= (layers ?? 1) ? 'full' : `full(layers = ${count})`]];
}

/** FSDP trains in fp32 and gathers in 16 bits. */
function optimizerOf(keys: Keys, over: number | undefined): string {
  const given = [
    'shard = fsdp',
    ...(over === undefined ? [] : [`over = ${over}`]),
    ...(keys.flag('fsdp_cfg.reshard_after_forward') === false ? ['reshard = false'] : []),
    ...(keys.flag('do_clip') === false ? [] : ['clip = true']),
  ];
  return `adamw(${given.join(', ')})`;
}

function microbatchesOf(batch: number, samples: number, remarks: string[]): number {
  const count = Math.max(1, Math.ceil(batch / samples));
  if (batch % samples !== 0)
    remarks.push(`A batch of ${batch} is not a multiple of the ${samples} samples of a step: ${count} are written.`);
  return count;
}

/** Configurations of Megatron Bridge and NeMo as they print them in YAML: arguments of Megatron-LM under other names. */
import { table } from '../../basics/table.ts';
import type { Flag } from '../megatron/flags.ts';
import { precisionOf, storedOf } from '../megatron/model.ts';
import { isWithoutEffect } from '../megatron/notCarried.ts';
import { type MegatronStages, numeric, sharing, stagesOf } from '../megatron/stages.ts';
import { pipeOfFlags, readFlags } from '../megatron/toPipe.ts';
import { trainingOf } from '../megatron/training.ts';
import { type Values, valuesOf } from '../megatron/values.ts';
import { readYaml } from '../yaml/read.ts';
import { flagsOfKeys } from './bridgeFlags.ts';
import { finished, type RecipeImport } from './finish.ts';
import { type Keys, keysOf, unusedRemarks } from './keys.ts';
import { hasExperts, modelOfRepository, modelOfWords, type RecipeModel, standardModel } from './models.ts';
import { sequenceOf, unknownModel } from './placeholders.ts';
import { usualDataRanks } from './toPipe.ts';

/** Whether a text has the tables of Bridge or NeMo with ranks or a batch of Megatron Core in them. */
export const isBridge = (text: string): boolean =>
  /^\uFEFF?(?:model|recipe|trainer|train):/m.test(text) &&
  (/^\s+(?:tensor_model_parallel_size|pipeline_model_parallel_size|_target_: ["']?(?:megatron\.bridge|nemo)\.)/m.test(
    text,
  ) ||
    (/^train:/m.test(text) &&
      /^\s+(?:global_batch_size|micro_batch_size|train_iters):/m.test(text) &&
      /^model:/m.test(text)));

/** Tables of what has no place in a plan, and what printed objects are made of. */
const irrelevant: readonly RegExp[] = [
  /^(?:checkpoint|dataset|data|logger|log|rng|scheduler|tokenizer|profiling|rerun_state_machine|straggler|nvrx_straggler|ft|inprocess_restart|tensor_inspect|validation|exp_manager|resume|run|recipe|callbacks|hydra|name|defaults|cluster|wandb|mixed_precision)(?:\.|$)/,
  /(?:^|\.)_(?:target_|call_|args_|partial_)(?:\.|$)|\.(?:tokenizer|data|sched|generation_config|timers)(?:\.|$)/,
  /^(?:train|trainer)\.(?!strategy)/,
  // Of a model and its optimizer: kernels that are assumed, formats that follow from the precision, and starting values.
  /\.(?:\w*(?:init_method|_func|_fusion|epsilon|_freq_factor|loss_scale|weight_decay|lr|_dtype)\w*|rotary\w*|fp[48]_\w+|mamba_\w+|cuda_graph_\w+|native_amp\w+|scatter_\w+|clone_\w+|adam_\w+|batch_p2p_\w+|inference_\w+|pin_cpu_\w+|moe_router_(?!num_groups|group_topk)\w+)(?:\.|$)/,
  /\.(?:tp_comm_\w+_(?:ag|rs|dgrad|wgrad|backend)|cpu_offloading_(?:activations|weights)|moe_(?:deepep_num_sms|token_drop_policy)|scale_factor|old_context_len|hysteresis|sgd_momentum|store_param_remainders|mlp_chunks_for_prefill|barrier_with_L1_time|deallocate_pipeline_outputs|parallel_output|persist_layer_norm|softmax_type|activation_func|activation|attention_backend|pre_process|post_process|mcore_gpt|megatron_amp_O2|transformer_engine|seed|use_te_rng_tracker|use_mamba_mem_eff_path|transformer_layer_spec|hf_\w+|model_type|layer_norm\w*|betas|attention_type|transformer_block_type|normalize_attention_scores)(?:\.|$)/,
  /^(?:ddp|dist|trainer\.strategy)\.(?:.*\.)?(?:check_for\w*|average_in_collective|\w*backend|\w*timeout\w*|lazy_\w+|local_rank|gradient_as_bucket_view|ckpt_\w+|pad_buckets\w*|use_gloo\w*|use_megatron_fsdp|fsdp)$/,
  /^peft\.(?:alpha|dropout_position|exclude_modules|a2a_experimental|network_alpha)$/,
];

const isIrrelevant = (path: string): boolean =>
  irrelevant.some((pattern) => pattern.test(path)) ||
  isWithoutEffect((path.split('.').at(-1) ?? '').replaceAll('_', '-'));

export function pipeOfBridge(text: string): RecipeImport {
  const read = readYaml(text, { values: 20_000, characters: 200 });
  if ('fault' in read) return { faults: [read.fault] };
  const keys = keysOf(read);
  const { flags, fields } = flagsOfKeys(keys);
  const remarks: string[] = [];
  complete(keys, flags, remarks);
  const isNamed = !flags.has('hidden-size') || !flags.has('num-attention-heads');
  const model = isNamed ? modelOf(keys, remarks) : undefined;
  const expert = Number(flags.get('expert-model-parallel-size')?.value?.text ?? 1);
  const trainable = adapters(
    keys,
    flags.has('num-experts') || (model !== undefined && hasExperts(model, expert)),
    remarks,
  );
  for (const path of ['model.hybrid_override_pattern', 'model.hybrid_layer_pattern'])
    if (keys.has(path))
      keys.fault(path, `\`${path}\`: Mamba layers have no shape here. Measure the layers, and write their times.`);
  if (keys.faults.length > 0) return { faults: keys.faults.toSorted((a, b) => a.start - b.start) };
  const said = (sentence: string): string => inFields(sentence, fields);
  if (model !== undefined) {
    const named = namedModel(
      { keys, flags, fields, model, text, ...(trainable === undefined ? {} : { trainable }) },
      remarks,
      said,
    );
    return 'faults' in named ? { faults: named.faults.map((one) => ({ ...one, message: said(one.message) })) } : named;
  }
  const made = readFlags(flags, { text, values: new Map() });
  if ('faults' in made) return { faults: made.faults.map((fault) => ({ ...fault, message: said(fault.message) })) };
  leaveUnread(keys, flags, made.values, fields);
  const all = [
    ...remarks,
    ...[...(made.model?.remarks ?? []), ...(made.training?.remarks ?? [])].map(said),
    'The file does not name its devices: nodes of eight H100 are written. Change them.',
    ...unusedRemarks(keys, isIrrelevant),
  ];
  const source = { title: 'a recipe of Megatron Bridge', engine: 'megatron_bridge', remarks: all };
  return {
    pipe: pipeOfFlags(made, flags, trainable === undefined ? source : { ...source, trainable }),
    remarks: all,
  };
}

/** Names of arguments in a sentence about them, as the file calls them. */
const inFields = (sentence: string, fields: ReadonlyMap<string, string>): string =>
  sentence
    .replaceAll(/--([a-z][\w-]*)/g, (whole, flag: string) => fields.get(flag) ?? whole)
    .replaceAll(/\b(The|the) script\b/g, '$1 file');

const put = (flags: Map<string, Flag>, name: string, text?: string): void => {
  const place = { start: 0, end: 1 };
  flags.set(name, { flag: { text: name, ...place }, ...(text === undefined ? {} : { value: { text, ...place } }) });
};

/** Arguments without a field, and arguments that mean something only with another one. */
function complete(keys: Keys, flags: Map<string, Flag>, remarks: string[]): void {
  const whole = (name: string): number => Number(flags.get(name)?.value?.text ?? 1);
  // Fields that are printed and mean nothing without these.
  if (!flags.has('num-experts')) for (const name of flags.keys()) if (name.startsWith('moe-')) flags.delete(name);
  if (!flags.has('recompute-granularity'))
    for (const name of ['method', 'num-layers', 'modules']) flags.delete(`recompute-${name}`);
  if (flags.has('num-query-groups')) put(flags, 'group-query-attention');
  if (!flags.has('num-virtual-stages-per-pipeline-rank'))
    flags.delete('microbatch-group-size-per-virtual-pipeline-stage');
  if (!flags.has('pipeline-model-parallel-size') && !flags.has('pipeline-model-parallel-layout'))
    put(flags, 'pipeline-model-parallel-size', '1');
  if ((keys.word('model.activation') ?? '').endsWith('swiglu')) put(flags, 'swiglu');
  const norm = keys.word('model.normalization') ?? keys.word('model.config.normalization') ?? '';
  if (norm.toLowerCase() === 'rmsnorm') put(flags, 'normalization', 'RMSNorm');
  const pad = keys.whole('model.make_vocab_size_divisible_by');
  // Bridge pads only if it is asked to.
  const isPadded = keys.flag('model.should_pad_vocab') ?? keys.has('trainer');
  put(flags, 'make-vocab-size-divisible-by', String(isPadded ? (pad ?? 128) : 1));
  precision(keys, flags);
  sharding(keys, flags, remarks);
  if (flags.has('nproc-per-node')) return;
  const each =
    whole('tensor-model-parallel-size') * whole('pipeline-model-parallel-size') * whole('context-parallel-size');
  const data = usualDataRanks(each);
  put(flags, 'world-size', String(each * data));
  remarks.push(`The file does not say how many devices there are: ${data} data ranks are written. Set \`data\`.`);
}

/** Names of precisions (`megatron/bridge/training/mixed_precision.py`), and recipes of fp8 in them. */
const recipes: Readonly<Record<string, string>> = table({
  delayed: 'delayed',
  current: 'tensorwise',
  subchannel: 'blockwise',
  mxfp8: 'mxfp8',
});

/** A precision by its name. Without any the recipes train in bf16. */
function precision(keys: Keys, flags: Map<string, Flag>): void {
  const [trainer] = keys.list('trainer.precision');
  const name = keys.names('mixed_precision').length === 0 ? keys.word('mixed_precision') : undefined;
  const said =
    name ??
    keys.word('trainer.plugins.precision') ??
    (trainer?.kind === 'string' ? trainer.value : trainer?.kind === 'number' ? String(trainer.value) : '');
  if (said.startsWith('bf16')) put(flags, 'bf16');
  else if (/^(?:fp)?16/.test(said)) put(flags, 'fp16');
  else if (said === '' && !keys.has('mixed_precision') && !keys.has('model.bf16') && !keys.has('model.fp16'))
    put(flags, 'bf16');
  const recipe = /(?:fp8_(delayed|current|subchannel)|(mxfp8))/.exec(said);
  if (recipe !== null) {
    put(flags, 'fp8-format', 'hybrid');
    put(flags, 'fp8-recipe', recipes[recipe[1] ?? recipe[2] ?? '']);
  }
  if (said.includes('nvfp4')) put(flags, 'fp4-format', 'e2m1');
}

/** Who shares weights and state. Only Megatron FSDP has a strategy. */
function sharding(keys: Keys, flags: Map<string, Flag>, remarks: string[]): void {
  const isFsdp =
    keys.flag('ddp.use_megatron_fsdp') === true ||
    keys.flag('dist.use_megatron_fsdp') === true ||
    (keys.has('trainer.strategy.fsdp') && keys.word('trainer.strategy.fsdp') === 'megatron');
  if (!isFsdp) flags.delete('data-parallel-sharding-strategy');
  if (keys.has('optim.name') && (keys.word('optim.name') ?? '').startsWith('distributed'))
    put(flags, 'use-distributed-optimizer');
  if ((keys.word('model.optim.name') ?? '').startsWith('distributed')) put(flags, 'use-distributed-optimizer');
  const isSaid = ['optimizer.use_distributed_optimizer', 'ddp.use_distributed_optimizer', 'trainer', 'optim'].some(
    (path) => keys.has(path),
  );
  if (isSaid || flags.has('use-torch-fsdp2')) return;
  put(flags, 'use-distributed-optimizer');
  if (keys.flag('ddp.overlap_grad_reduce') !== false) put(flags, 'overlap-grad-reduce');
  remarks.push(
    'The file changes a recipe. What it leaves out has the usual values of recipes, such as the distributed optimizer.',
  );
}

/** What the plan took no value of is not used. */
function leaveUnread(
  keys: Keys,
  flags: ReadonlyMap<string, Flag>,
  values: Values,
  fields: ReadonlyMap<string, string>,
): void {
  const carried = new Set([...values.read, ...numeric, ...sharing, 'pipeline-model-parallel-layout']);
  for (const name of flags.keys()) if (!carried.has(name)) keys.leave(fields.get(name) ?? name);
}

/** A model by the recipe, the class or the repository that the file names. */
function modelOf(keys: Keys, remarks: string[]): RecipeModel {
  const classes = ['recipe._target_', 'model._target_', 'model.config._target_'].map(
    (path) => keys.word(path)?.split('.').at(-1) ?? '',
  );
  const found = classes.flatMap((name) => {
    const [, recipe] = /^(\w+?)_(?:pretrain|sft|finetune|peft)(?:_|$)/.exec(name) ?? [];
    const [, family, size = ''] = /^(\w+?)(?:ModelProvider|Config)(\w*)$/.exec(name) ?? [];
    return modelOfWords(recipe ?? family ?? '', recipe === undefined ? size : '') ?? [];
  });
  const known =
    found[0] ??
    modelOfRepository(keys.word('model.hf_model_id') ?? '') ??
    modelOfRepository(keys.word('hf_path') ?? '');
  return known === undefined
    ? unknownModel('The file has no widths, and names no model of std:models', remarks)
    : standardModel(known);
}

const products: Readonly<Record<string, readonly string[]>> = table({
  linear_qkv: ['q', 'k', 'v'],
  linear_proj: ['o'],
  linear_fc1: ['gate', 'up'],
  linear_fc2: ['down'],
});

/** `lora(…)` of Bridge's `LoRA`, whose default are all products with rank 32. Experts of a rank share adapters. */
function adapters(keys: Keys, hasExperts: boolean, remarks: string[]): string | undefined {
  const isTable = keys.names('peft').length > 0;
  const name = isTable
    ? (keys.word('peft._target_')?.split('.').at(-1) ?? 'LoRA')
    : keys.has('peft')
      ? (keys.word('peft') ?? '')
      : '';
  if (name === '' || name === 'none') return undefined;
  if (name.toLowerCase() !== 'lora') {
    keys.leave('peft');
    remarks.push('Import reads the adapter LoRA only: all weights train here.');
    return undefined;
  }
  const modules = keys.words('peft.target_modules');
  const named = modules.flatMap((module) => products[module] ?? []);
  if (modules.some((module) => products[module] === undefined)) {
    keys.leave('peft.target_modules');
    remarks.push('Only whole products of all layers get adapters here: the rest of peft.target_modules is left out.');
  }
  const dropout = keys.number('peft.dropout') ?? 0;
  if (dropout < 0 || dropout >= 1) keys.fault('peft.dropout', '`peft.dropout` must be at least 0 and under 1.');
  const targets = named.length === 0 ? Object.values(products).flat() : named;
  const isShared = hasExperts && targets.some((target) => target === 'gate' || target === 'down');
  return `lora(${[
    `rank = ${keys.whole('peft.dim', { most: 2 ** 16 }) ?? 32}`,
    `targets = [${[...new Set(targets)].join(', ')}]`,
    ...(dropout > 0 ? [`dropout = ${dropout}`] : []),
    ...(isShared ? ['experts = shared'] : []),
  ].join(', ')})`;
}

interface Named {
  readonly keys: Keys;
  readonly flags: ReadonlyMap<string, Flag>;
  readonly fields: ReadonlyMap<string, string>;
  readonly model: RecipeModel;
  readonly text: string;
  readonly trainable?: string;
}

/** A pipeline of a published model, with the stages that Megatron Core makes of its layers. */
function namedModel(
  { keys, flags, fields, model, text, trainable }: Named,
  remarks: string[],
  said: (sentence: string) => string,
): RecipeImport {
  const layers = { text: String(model.layers), start: 0, end: 1 };
  const withLayers = new Map([...flags, ['num-layers', { flag: layers, value: layers }]]);
  const isKnown = model.layers !== undefined;
  const cut = isKnown ? stagesOf(withLayers, { text, values: new Map() }) : unknownCut(flags);
  if ('faults' in cut) return cut;
  const values = valuesOf(flags);
  const format = precisionOf(values);
  const microBatch = values.whole('micro-batch-size') ?? 1;
  const expert = values.whole('expert-model-parallel-size') ?? 1;
  const least = 2 * Math.max(cut.ranks, cut.group ?? 1);
  const training = trainingOf(
    values,
    { microBatch, experts: [hasExperts(model, expert)], precision: format },
    cut.ranks,
    least,
  );
  const chunks = cut.stages.length / cut.ranks;
  const grouped = cut.group === undefined || cut.group === cut.ranks ? '' : `, group = ${cut.group}`;
  const sequence = values.whole('seq-length') ?? sequenceOf(model, remarks);
  const own = new Set(['tensor', 'context', 'data', 'expert']);
  leaveUnread(keys, flags, values, fields);
  return finished(
    keys,
    {
      source: 'a recipe of Megatron Bridge',
      engine: 'megatron_bridge',
      model,
      sequence,
      microBatch,
      precision: format,
      ...storedOf(values),
      ...(trainable === undefined ? {} : { trainable }),
      pipeline: cut.ranks,
      tensor: training.tensor,
      context: training.context,
      data: training.data,
      expert: hasExperts(model, expert) ? expert : 1,
      keys: training.keys.filter(([key]) => !own.has(key)),
      microbatches: training.microbatches,
      stages: isKnown ? cut.stages.map((stage) => stage.filter((symbol) => symbol === 't').length) : cut.stages.length,
      schedule: chunks === 1 ? '1f1b' : `interleaved_1f1b(chunks = ${chunks}${grouped})`,
    },
    { remarks: [...remarks, ...training.remarks.map(said)], isIrrelevant, ranks: 'model' },
  );
}

/** As many stages as ranks and chunks: the layers of the model are not known. */
function unknownCut(flags: ReadonlyMap<string, Flag>): MegatronStages {
  const whole = (name: string): number => Number(flags.get(name)?.value?.text ?? 1);
  const ranks = whole('pipeline-model-parallel-size');
  const group = flags.get('microbatch-group-size-per-virtual-pipeline-stage')?.value?.text;
  return {
    ranks,
    stages: Array.from({ length: ranks * whole('num-virtual-stages-per-pipeline-rank') }, () => []),
    ...(group === undefined ? {} : { group: Number(group) }),
  };
}

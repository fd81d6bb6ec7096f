/** Configurations of torchtitan: `torchtitan/config/job_config.py` of its releases up to 0.2, whose defaults these are. */
import { table } from '../../basics/table.ts';
import { budgetMode } from '../../costs/recompute.ts';
import type { JsonValue } from '../json/value.ts';
import { onlyCall } from '../python/onlyCall.ts';
import { readToml } from '../toml/read.ts';
import { finished, type RecipeImport } from './finish.ts';
import { type Keys, keysOf } from './keys.ts';
import { hasExperts, modelOfFolder, modelOfWords, type RecipeModel, standardModel } from './models.ts';
import { unknownModel } from './placeholders.ts';
import { mostDevices, type Recipe, usualDataRanks } from './toPipe.ts';
import { checkShape, type Program } from './torchtitanShape.ts';

/** Whether a text has the tables of a torchtitan configuration. */
export const isTorchtitanToml = (text: string): boolean =>
  /^\s*\[(?:parallelism|training|activation_checkpoint)\]/m.test(text) &&
  /^\s*(?:(?:data|tensor|pipeline|context|expert)_parallel_\w+|flavor|local_batch_size|seq_len|hf_assets_path)\s*=/m.test(
    text,
  );

export function pipeOfTorchtitanToml(text: string): RecipeImport {
  const read = readToml(text);
  return 'fault' in read ? { faults: [read.fault] } : pipeOfTorchtitan(read);
}

/** Tables and keys that change neither time nor memory. */
const irrelevant =
  /^(?:job|profiling|metrics|lr_scheduler|checkpoint|validation|comm|experimental|debug|fault_tolerance)\b|^optimizer\.(?:lr|eps|beta\d|weight_decay|implementation)$|^training\.(?:steps|dataset\w*|gc_\w+|seed|deterministic|dataloader\b.*)$|^model\.(?:hf_assets_path|tokenizer_path|print_after_conversion)$|early_stop$|(?:^|\.)_class$|^(?:profiler|dataloader|validator|tokenizer|loss|hf_assets_path|dump_folder)\b/;

/** Whether a text is Python that makes a configuration of torchtitan. */
export const isTorchtitanPython = (text: string): boolean =>
  /\bTrainer\.Config\(/.test(text) && /^\s*(?:from|import) torchtitan\b/m.test(text);

/** `config`: the function of a file with several configurations, as `--config` of torchtitan has it. */
export function pipeOfTorchtitanPython(text: string, config?: string): RecipeImport {
  const read = onlyCall(text, (name) => name === 'Trainer.Config', config);
  return 'faults' in read ? read : pipeOfTorchtitan(read.call, read.remarks);
}

export function pipeOfTorchtitan(root: JsonValue, told: readonly string[] = [], program?: Program): RecipeImport {
  const keys = keysOf(root);
  const remarks = [...told];
  const degree = (name: string): number => keys.whole(`parallelism.${name}_degree`, { most: mostDevices }) ?? 1;
  const [pipeline, tensor, context] = [
    degree('pipeline_parallel'),
    degree('tensor_parallel'),
    degree('context_parallel'),
  ];
  const replicate = degree('data_parallel_replicate');
  if (program !== undefined) checkShape(keys, program);
  const model =
    program === undefined ? modelOf(keys, remarks) : program.base === undefined ? {} : standardModel(program.base);
  const layers = program === undefined ? model.layers : program.counts.reduce((sum, count) => sum + count, 0);
  // The model of another configuration may have other layers.
  const named =
    program !== undefined &&
    (program.base === undefined || program.layers.remarks.length > 0 || model.layers !== layers);
  if (named)
    remarks.push(...program.layers.remarks, 'The model is not in the program: each layer takes 3 ms. Replace them.');
  const shard = shardOf(keys, pipeline * tensor * context * replicate, remarks);
  const data = replicate * shard;
  const ranks = { pipeline, tensor, context, data };
  const cut: Cut =
    program?.table !== undefined
      ? { schedule: 'imported_order', stages: program.counts }
      : pipeline === 1
        ? { schedule: '1f1b', stages: 1 }
        : scheduleOf(keys, model, pipeline, remarks);
  const batch = keys.has('_class')
    ? batchOfTokens(keys, pipeline, data, remarks)
    : batchOf(keys, pipeline, data, remarks);
  const expert = degree('expert_parallel');
  const expertTensor = degree('expert_tensor_parallel');
  const recompute = recomputeOf(
    keys,
    typeof cut.stages !== 'number' ? Math.max(...cut.stages) : layers === undefined ? undefined : layers / cut.stages,
    remarks,
  );
  const recipe: Omit<Recipe, 'remarks'> = {
    ...ranks,
    ...batch,
    source: 'a torchtitan configuration',
    engine: 'torchtitan',
    model,
    ...(named ? { layers: program.layers } : {}),
    ...(program?.table === undefined ? {} : { order: program.table.order }),
    sequence: sequenceOf(keys),
    precision: precisionOf(keys),
    loss: lossOf(keys),
    expert: hasExperts(model, expert) ? expert : 1,
    keys: [
      // Its default: sequence parallelism with tensor ranks.
      ...(tensor > 1 && keys.flag('parallelism.enable_sequence_parallel') !== false
        ? [['sequence_parallel', 'true'] as const]
        : []),
      ...(hasExperts(model, expert) && tensor > 1 && expertTensor !== tensor
        ? [['expert_tensor', String(expertTensor)] as const]
        : []),
      ...(recompute === 'none' ? [] : [['recompute', recompute] as const]),
      ['optimizer', optimizerOf(keys, { ...ranks, ...batch }, replicate)],
      ...(shard * context === 1 && replicate > 1 ? [['sync', 'ddp'] as const] : []),
    ],
    ...cut,
  };
  const off = [irrelevant, ...withoutEffect(keys, pipeline)];
  return finished(keys, recipe, {
    remarks,
    isIrrelevant: (path) => off.some((pattern) => pattern.test(path)),
    ranks: 'parallelism',
  });
}

/** Tables of what is off. */
function withoutEffect(keys: Keys, pipeline: number): readonly RegExp[] {
  const isFloat8 = convertersOf(keys).some((converter) => converter.includes('float8'));
  const isCompiled = keys.flag('compile.enable') === true;
  if (isCompiled) keys.leave('compile.enable');
  return [
    ...(isCompiled ? [] : [/^compile\./]),
    ...(isFloat8 ? [] : [/^(?:quantize|float8)\./]),
    ...(pipeline === 1 ? [/^parallelism\.(?:pipeline_parallel_|module_fqns)/] : [/^training\.disable_cuda_graphs$/]),
  ];
}

function modelOf(keys: Keys, remarks: string[]): RecipeModel {
  const [name, flavor] = [keys.word('model.name') ?? '', keys.word('model.flavor') ?? ''];
  // In Python the flavor is of the module that the file is in, and the folder of the tokenizer is named after the model.
  const isPython = keys.has('model_spec') || keys.has('_class');
  const assets = keys.word('hf_assets_path') ?? '';
  if (isPython) keys.word('model_spec._0');
  // `8B_flex` has the widths of `8B`.
  const found =
    modelOfWords(name, flavor.replace(/_(?:flex|varlen)(?:_attn)?$/, '')) ??
    (isPython ? modelOfFolder(assets) : undefined);
  return found === undefined
    ? unknownModel(
        `${isPython ? '`hf_assets_path` does' : '`model.name` and `model.flavor` do'} not name a model of std:models`,
        remarks,
      )
    : standardModel(found);
}

const shardDegree = 'parallelism.data_parallel_shard_degree';

/** Ranks that share the weights. −1 are all that the other degrees leave. */
function shardOf(keys: Keys, others: number, remarks: string[]): number {
  const path = shardDegree;
  const written = keys.whole(path, { least: -1, most: mostDevices }) ?? -1;
  if (written === 0) keys.fault(path, `\`${path}\` must be −1 or at least 1.`);
  if (written !== -1) return Math.max(1, written);
  const ranks = usualDataRanks(others);
  remarks.push(
    `The file shards over all devices and does not say how many there are: ${ranks * others} are written. Set \`data\`.`,
  );
  return ranks;
}

interface Cut {
  readonly schedule: string;
  readonly stages: readonly number[] | number;
}

/** Schedules of PyTorch by their class in small letters: ours, and stages of a rank. */
const schedules: Readonly<Record<string, { readonly name: string; readonly kind: 'single' | 'loop' | 'v' }>> = table({
  gpipe: { name: 'gpipe', kind: 'single' },
  '1f1b': { name: '1f1b', kind: 'single' },
  interleaved1f1b: { name: 'interleaved_1f1b', kind: 'loop' },
  loopedbfs: { name: 'breadth_first', kind: 'loop' },
  interleavedzerobubble: { name: 'interleaved_zb', kind: 'loop' },
  zbvzerobubble: { name: 'zb_v', kind: 'v' },
  dualpipev: { name: 'dualpipe_v', kind: 'v' },
});

const at = (name: string): string => `parallelism.pipeline_parallel_${name}`;

function scheduleOf(keys: Keys, { layers }: RecipeModel, pipeline: number, remarks: string[]): Cut {
  const written = keys.word(at('schedule')) ?? '1F1B';
  const found = schedules[written.toLowerCase()];
  if (found === undefined) {
    keys.fault(
      at('schedule'),
      `PyTorch has no schedule of this name. Known schedules: ${Object.keys(schedules).join(', ')}.`,
    );
    return { schedule: '1f1b', stages: pipeline };
  }
  if ((keys.word(at('schedule_csv')) ?? '') !== '') {
    keys.leave(at('schedule_csv'));
    remarks.push('The order is in a CSV file: import that file too, and take its schedule.');
  }
  const { name, kind } = found;
  const weights = [
    keys.whole(at('first_stage_less_layers'), { least: 0 }) ?? 1,
    keys.whole(at('last_stage_less_layers'), { least: 0 }) ?? 1,
  ] as const;
  const effective = (layers ?? 0) + weights[0] + weights[1];
  const perStage = keys.whole(at('layers_per_stage'));
  if (layers === undefined) keys.leave(at('layers_per_stage'));
  const usual = kind === 'single' ? 1 : 2;
  const chunks = perStage === undefined || layers === undefined ? usual : Math.ceil(effective / perStage) / pipeline;
  const isPossible = kind === 'loop' ? Number.isInteger(chunks) && chunks >= 2 : chunks === usual;
  if (!isPossible)
    keys.fault(
      at('layers_per_stage'),
      `This makes ${Math.ceil(effective / (perStage ?? 1))} stages on ${pipeline} ranks. \`${name}\` needs ${kind === 'loop' ? `a multiple of ${pipeline}, and at least ${2 * pipeline}` : pipeline * usual}.`,
    );
  const schedule = kind === 'loop' ? `${name}(chunks = ${chunks})` : name;
  if (!isPossible || layers === undefined) return { schedule, stages: pipeline * usual };
  const stages = shared(layers, pipeline * chunks, weights);
  if (stages !== undefined) return { schedule, stages };
  keys.fault(
    at('degree'),
    `${layers} layers, with the ${weights[0]} and ${weights[1]} that the first and the last stage have less, are too few for ${pipeline * chunks} stages.`,
  );
  return { schedule, stages: pipeline };
}

/** Layers of each stage (torchtitan/distributed/pipeline_parallel.py, `generate_llm_fqn_per_model_part`); the first stages get what is left over. */
function shared(
  layers: number,
  stages: number,
  [first, last]: readonly [number, number],
): readonly number[] | undefined {
  const effective = layers + first + last;
  const each = Math.floor(effective / stages);
  if (each < Math.max(1, first, last) || effective > 1e6) return undefined;
  const counts = Array.from({ length: stages }, (_, stage) => each + (stage < effective % stages ? 1 : 0));
  counts[0] -= first;
  counts[stages - 1] -= last;
  return counts;
}

/** Tokens of a sample, by the name of the field before and after configurations became Python. */
const sequenceOf = (keys: Keys): number =>
  keys.whole('training.max_context_length') ?? keys.whole('training.seq_len') ?? 2048;

/** Samples of a microbatch and its microbatches, of a configuration that counts tokens. */
function batchOfTokens(
  keys: Keys,
  pipeline: number,
  data: number,
  remarks: string[],
): Pick<Recipe, 'microBatch' | 'microbatches'> {
  const path = 'training.num_tokens_per_microbatch_per_dp_rank';
  const [tokens, sequence] = [keys.whole(path) ?? 16384, sequenceOf(keys)];
  if (tokens % sequence !== 0)
    keys.fault(path, `${tokens} tokens of a microbatch are not a multiple of the ${sequence} tokens of a sample.`);
  const inPipeline = pipeline === 1 ? 1 : (keys.whole('parallelism.num_pp_microbatches') ?? 1);
  const step = keys.whole('training.num_tokens_per_train_step', { least: -1, most: 2 ** 45 }) ?? -1;
  const each = tokens * inPipeline * data;
  const rounds = step < 1 ? 1 : Math.max(1, Math.ceil(step / each));
  if (step > 0 && step % each !== 0)
    remarks.push(
      `training.num_tokens_per_train_step is not a multiple of ${each} tokens: ${rounds} steps are written.`,
    );
  if (pipeline > 1 && rounds > 1) remarks.push(severalRuns(rounds));
  return {
    microBatch: Math.max(1, Math.floor(tokens / sequence)),
    microbatches: pipeline === 1 ? rounds : inPipeline,
  };
}

const severalRuns = (rounds: number): string =>
  `An update takes ${rounds} runs of the pipeline (gradient accumulation), each with a bubble: one run is written.`;

/** Samples of a microbatch, and microbatches of an update. Without a pipeline those are the steps of gradient accumulation. */
function batchOf(
  keys: Keys,
  pipeline: number,
  data: number,
  remarks: string[],
): Pick<Recipe, 'microBatch' | 'microbatches'> {
  const local = keys.whole('training.local_batch_size') ?? keys.whole('training.batch_size') ?? 8;
  const whole = keys.whole('training.global_batch_size', { least: -1 }) ?? -1;
  const batch = whole < 1 ? local * data : whole;
  const rounds = Math.max(1, Math.ceil(batch / (local * data)));
  if (batch % (local * data) !== 0)
    remarks.push(
      `training.global_batch_size ${batch} is not a multiple of the ${local * data} samples of one step: ${rounds} steps are written.`,
    );
  if (pipeline === 1) return { microBatch: local, microbatches: rounds };
  const micro = keys.whole(at('microbatch_size')) ?? 1;
  if (local % micro !== 0)
    keys.fault(
      at('microbatch_size'),
      `${local} samples of a rank are not a multiple of the ${micro} samples of a microbatch.`,
    );
  if (rounds > 1) remarks.push(severalRuns(rounds));
  return { microBatch: micro, microbatches: Math.max(1, Math.floor(local / micro)) };
}

/** Converters of products by their names, which are classes in Python. */
const convertersOf = (keys: Keys): readonly string[] => [
  ...keys.words('model.converters'),
  ...keys.list('model_spec.converters').flatMap((each) => {
    const name = each.kind === 'object' ? each.members.get('_class')?.value : undefined;
    return name?.kind === 'string' ? [name.value.toLowerCase()] : [];
  }),
];

function precisionOf(keys: Keys): string {
  const converters = convertersOf(keys);
  if (converters.some((converter) => converter.includes('float8'))) return 'fp8';
  if (converters.length > 0) keys.leave('model.converters', 'model_spec.converters');
  const format = keys.word('training.mixed_precision_param') ?? 'bfloat16';
  return format === 'float32' && keys.word('training.dtype') !== 'bfloat16' ? 'fp32' : 'bf16';
}

function recomputeOf(keys: Keys, most: number | undefined, remarks: string[]): string {
  // In Python a class is the mode, and its selective one saves by operation.
  const kind = keys.word('activation_checkpoint._class');
  if (kind !== undefined && /\b(?:Full|Selective)AC\b/.test(kind)) return kind.includes('Full') ? 'full' : 'operations';
  const isBudget =
    kind?.includes('MemoryBudgetAC') === true || keys.word('activation_checkpoint.mode') === 'memory_budget';
  if (isBudget) return budgetMode(keys.number('activation_checkpoint.memory_budget') ?? 0.5);
  const mode = keys.word('activation_checkpoint.mode') ?? (kind === undefined ? 'selective' : 'another');
  if (keys.isNone('activation_checkpoint')) return 'none';
  if (keys.has('_class') && kind === undefined) return 'operations';
  const option = keys.word('activation_checkpoint.selective_ac_option') ?? '2';
  if (mode === 'none' || mode === 'full') return mode;
  if (mode !== 'selective') {
    keys.leave('activation_checkpoint.mode');
    remarks.push('Import reads the modes none, selective, full and memory_budget only: nothing is recomputed here.');
    return 'none';
  }
  if (option === 'op') return 'operations';
  const every = /^[1-9]\d{0,3}$/.test(option) ? Number(option) : 2;
  if (every === 1) return 'full';
  if (most === undefined) {
    remarks.push(`One of ${every} layers is recomputed. Here none are: set recompute = full(layers = …).`);
    return 'none';
  }
  const layers = Math.max(1, Math.round(most / every));
  remarks.push(`One of ${every} layers is recomputed: here the first ${layers} of each stage are.`);
  return `full(layers = ${layers})`;
}

/** In TOML the loss is never in chunks; undefined for a loss of the base configuration, or of another kind. */
function lossOf(keys: Keys): string | undefined {
  const chunks = keys.whole('loss.num_chunks');
  const kind = keys.word('loss._class') ?? (keys.has('_class') ? '' : 'CrossEntropyLoss');
  if (chunks !== undefined || kind.startsWith('ChunkedLossWrapper')) return `chunked(${chunks ?? 8})`;
  if (!kind.startsWith('CrossEntropyLoss')) return undefined;
  const components = keys.has('compile.components') ? keys.words('compile.components') : ['model', 'loss'];
  const isCompiled = keys.flag('compile.enable') === true && components.includes('loss');
  // What else is compiled is not used.
  keys.leave('compile.components');
  return isCompiled ? 'compiled' : 'eager';
}

/** Weights in fp32 that FSDP gathers in 16 bits, or all in bf16. */
function optimizerOf(
  keys: Keys,
  { pipeline, context, data, microbatches }: Pick<Recipe, 'pipeline' | 'context' | 'data' | 'microbatches'>,
  replicate: number,
): string {
  const shard = data / replicate;
  // All ranks that there are share the weights, however many are written in their place.
  const isSplit = shard * context > 1 || (keys.whole(shardDegree, { least: -1 }) ?? -1) === -1;
  const name = keys.word('optimizer.name') ?? 'AdamW';
  if (name !== 'AdamW' && name !== 'Adam') keys.leave('optimizer.name');
  const recipe = keys.word('training.dtype') === 'bfloat16' ? 'adam_bf16' : 'adamw';
  const policy = keys.word('parallelism.fsdp_reshard_after_forward') ?? 'default';
  const isKept = policy === 'never' || (policy === 'default' && pipeline > 1);
  const limit = keys.number('training.max_norm') ?? 1;
  // No gradient is as large as the highest limits.
  const isClipped = limit > 0 && limit < 1e29;
  if (keys.flag('training.enable_cpu_offload') === true) keys.leave('training.enable_cpu_offload');
  const given = [
    ...(isSplit ? ['shard = fsdp'] : []),
    // Context ranks are in the groups.
    ...(isSplit && replicate > 1 ? [`over = ${shard * context}`] : []),
    ...(isSplit && isKept ? ['reshard = false'] : []),
    // It accumulates without `set_requires_all_reduce`.
    ...(isSplit && !isKept && replicate > 1 && pipeline === 1 && microbatches > 1 ? ['gradient_sync = each'] : []),
    ...(isClipped ? ['clip = true'] : []),
  ];
  return given.length === 0 ? recipe : `${recipe}(${given.join(', ')})`;
}

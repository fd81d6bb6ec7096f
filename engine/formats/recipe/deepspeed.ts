/** Configurations of DeepSpeed (`ds_config.json`): batch, ZeRO stage, precision and optimizer. Models are in the training program. */
import { readJson } from '../json/read.ts';
import { finished, type RecipeImport } from './finish.ts';
import { type WrittenLayers, writtenLayers } from '../program/layers.ts';
import { constantsOf, isProgram } from '../program/read.ts';
import { type Keys, keysOf } from './keys.ts';
import { sequenceOf, unknownModel } from './placeholders.ts';
import { mostDevices, type Recipe } from './toPipe.ts';

/** Whether a text is an object with keys that only DeepSpeed has. */
export const isDeepspeed = (text: string): boolean =>
  /^\uFEFF?\s*\{/.test(text) &&
  /"(?:zero_optimization|train_micro_batch_size_per_gpu|zero_allow_untested_optimizer|zero_force_ds_cpu_optimizer)"\s*:/.test(
    text,
  );

/** Keys that change neither time nor memory. */
const irrelevant =
  /^(?:steps_per_print|wall_clock_breakdown|memory_breakdown|dump_state|scheduler|optimizer\.(?:params|legacy_fusion)|tensorboard|wandb|csv_monitor|comet|comms_logger|flops_profiler|checkpoint|zero_(?:allow_untested_optimizer|force_ds_cpu_optimizer)|seed|elasticity|autotuning|dataloader_drop_last|data_parallel_size|prescale_gradients|gradient_predivide_factor)\b|^(?:fp16|bf16)\.(?:auto_cast|loss_scale\w*|initial_scale_power|hysteresis|min_loss_scale|consecutive_hysteresis|check_grad_overflow)$|^zero_optimization\.(?:stage3_)?gather_\w+_weights_on_model_save$|^zero_optimization\.(?:elastic_checkpoint|load_from_fp32_weights)$|^pipeline\.(?:seed_layers|partition)$/;

/** Whether a text is a program that we wrote for DeepSpeed. */
export const isDeepspeedProgram = (text: string): boolean => isProgram(text) && configuration.test(text);

const configuration = /^CONFIG = """\r?\n([^]*?)\r?\n"""/m;

/** Its configuration, and the layers, ranks and stages that only the program has. */
export function pipeOfDeepspeedProgram(text: string): RecipeImport {
  const found = configuration.exec(text);
  if (found === null) return { faults: [{ start: 0, end: 1, message: 'The program has no configuration.' }] };
  const from = found.index + found[0].indexOf('\n') + 1;
  const { number, layers = [] } = constantsOf(text.replace(configuration, ''));
  const cut = writtenLayers(layers);
  const made = pipeOfDeepspeed(found[1], {
    cut,
    stages: layers.length,
    tensor: number('TENSOR'),
    dataIsOuter: /^AXES = \["data", "pipe"/m.test(text),
  });
  return 'faults' in made
    ? { faults: made.faults.map(({ start, end, message }) => ({ start: from + start, end: from + end, message })) }
    : made;
}

/** What a program says in addition to its configuration. */
interface Program {
  readonly cut: WrittenLayers;
  readonly stages: number;
  /** Absent without pipeline ranks: the configuration says it. */
  readonly tensor: number | undefined;
  readonly dataIsOuter: boolean;
}

export function pipeOfDeepspeed(text: string, program?: Program): RecipeImport {
  const read = readJson(text);
  if ('fault' in read) return { faults: [read.fault] };
  const keys = keysOf(read);
  const remarks: string[] = [...(program?.cut.remarks ?? [])];
  const ranks = {
    pipeline: keys.whole('pipeline.stages', { most: 512 }) ?? 1,
    tensor: program?.tensor ?? (keys.whole('tensor_parallel.autotp_size', { least: 0, most: mostDevices }) || 1),
    context: keys.whole('sequence_parallel_size', { most: mostDevices }) ?? 1,
  };
  if (program !== undefined && program.stages !== ranks.pipeline)
    keys.fault(
      'pipeline.stages',
      `The layers of the program are in ${program.stages} stages: \`pipeline.stages\` must be as many.`,
    );
  const model =
    program === undefined ? unknownModel('A configuration of DeepSpeed does not name the model', remarks) : {};
  if (program !== undefined)
    remarks.push('The program has no times and no sizes: each layer takes 3 ms. Replace them.');
  const batch = batchOf(keys, ranks.pipeline, remarks);
  const precision = precisionOf(keys, remarks);
  const stage = keys.whole('zero_optimization.stage', { least: 0, most: 3 }) ?? 0;
  const interval = keys.whole('pipeline.activation_checkpoint_interval', { least: 0 }) ?? 0;
  const isOverlapped = keys.flag('zero_optimization.overlap_comm') === true && ranks.pipeline === 1 && stage < 3;
  const recipe: Omit<Recipe, 'remarks'> = {
    ...ranks,
    ...batch,
    source: 'a DeepSpeed configuration',
    engine: 'deepspeed',
    model,
    ...(program === undefined ? { sequence: sequenceOf(model, remarks) } : { layers: program.cut }),
    precision,
    expert: 1,
    keys: [
      ...(program?.dataIsOuter === true ? [['rank_order', 'tp_cp_pp_dp'] as const] : []),
      ...(ranks.context === 1 ? [] : [['context_exchange', 'all_to_all'] as const]),
      ...(interval === 0
        ? []
        : [['recompute', interval === 1 ? 'full' : `full(layers = ${interval}, method = uniform)`] as const]),
      ['optimizer', optimizerOf(keys, { stage, precision, pipeline: ranks.pipeline, data: batch.data }, remarks)],
      ...(isOverlapped && batch.data > 1 ? [['sync', 'overlap'] as const] : []),
    ],
    stages: ranks.pipeline,
    schedule: '1f1b',
  };
  return finished(keys, recipe, { remarks, isIrrelevant: (path) => irrelevant.test(path), ranks: 'train_batch_size' });
}

/** The largest number of data ranks up to a node that divides a batch. */
const ranksThatDivide = (batch: number): number => [8, 7, 6, 5, 4, 3, 2].find((ranks) => batch % ranks === 0) ?? 1;

/** Batch = microbatch · steps of accumulation · data ranks; DeepSpeed computes what the file leaves out (`_set_batch_related_parameters`). */
function batchOf(
  keys: Keys,
  pipeline: number,
  remarks: string[],
): Pick<Recipe, 'microBatch' | 'microbatches' | 'data'> {
  const batch = keys.whole('train_batch_size');
  const micro = keys.whole('train_micro_batch_size_per_gpu');
  const steps = keys.whole('gradient_accumulation_steps');
  const each = (micro ?? 1) * (steps ?? 1);
  if (batch !== undefined && batch % each !== 0) {
    keys.fault(
      'train_batch_size',
      `\`train_batch_size\` ${batch} is not a multiple of the ${each} samples of a data rank.`,
    );
    return { microBatch: 1, microbatches: 1, data: 1 };
  }
  if (batch !== undefined && micro !== undefined && steps !== undefined)
    return { microBatch: micro, microbatches: steps, data: batch / each };
  const data = batch === undefined ? 8 : ranksThatDivide(batch / each);
  remarks.push(`The file does not say how many devices there are: ${data} data ranks are written. Set \`data\`.`);
  if (batch === undefined) {
    if (micro === undefined) remarks.push('The file has no batch: one sample of a microbatch is written. Replace it.');
    // A pipeline has at least as many microbatches as ranks in any case of interest.
    const usual = pipeline === 1 ? 1 : 2 * pipeline;
    if (steps === undefined && pipeline > 1)
      remarks.push(`The file has no steps of accumulation: ${usual} are written.`);
    return { microBatch: micro ?? 1, microbatches: steps ?? usual, data };
  }
  const rest = batch / each / data;
  // Of microbatch and steps, the one that is missing takes the rest.
  return micro === undefined
    ? { microBatch: rest, microbatches: steps ?? 1, data }
    : { microBatch: micro, microbatches: rest, data };
}

function precisionOf(keys: Keys, remarks: string[]): string {
  if (keys.flag('bf16.enabled') === true || keys.flag('bfloat16.enabled') === true) return 'bf16';
  if (keys.flag('fp16.enabled') === true) return 'fp16';
  if (!keys.automatic.has('bf16.enabled') && !keys.automatic.has('fp16.enabled')) return 'fp32';
  remarks.push('The launcher decides the precision: bf16 is written.');
  return 'bf16';
}

interface Setting {
  readonly stage: number;
  readonly precision: string;
  readonly pipeline: number;
  readonly data: number;
}

/** The optimizers that DeepSpeed wraps for a precision and a stage (deepspeed/runtime/engine.py, `_do_optimizer_sanity_check`). */
function optimizerOf(keys: Keys, { stage, precision, pipeline, data }: Setting, remarks: string[]): string {
  const type = (keys.word('optimizer.type') ?? '').toLowerCase();
  if (type === '') remarks.push('The file has no optimizer: Adam is written.');
  const isAdam = type === '' || /^(?:fused|cpu|onebit|zeroone|torch)?adamw?$/.test(type);
  const isSgd = type === 'sgd';
  if (!isAdam && !isSgd) {
    keys.leave('optimizer.type');
    remarks.push('Import reads Adam and SGD only: Adam is written instead of the optimizer of the file.');
  }
  const shard = keys.whole('zero_optimization.mics_shard_size', { least: -1, most: mostDevices }) ?? -1;
  if (shard > 0 && data % shard !== 0)
    keys.fault(
      'zero_optimization.mics_shard_size',
      `${data} data ranks are not a multiple of the ${shard} of a group.`,
    );
  // In bf16 the state of a pipeline is split in any case.
  const split = stage === 0 && pipeline > 1 && precision === 'bf16' ? 1 : stage;
  const given = [
    ...(split === 0 ? [] : [`shard = zero${split}`]),
    ...(stage > 0 && shard > 0 ? [`over = ${shard}`] : []),
    ...((keys.number('gradient_clipping') ?? 1) > 0 ? ['clip = true'] : []),
  ];
  const name = isSgd ? sgd(precision) : adam(keys, { stage, precision, pipeline });
  if (given.length === 0) return name;
  return name.endsWith(')') ? `${name.slice(0, -1)}, ${given.join(', ')})` : `${name}(${given.join(', ')})`;
}

const sgd = (precision: string): string => (precision === 'fp32' ? 'sgd' : 'sgd_mixed');

function adam(keys: Keys, { stage, precision, pipeline }: Omit<Setting, 'data'>): string {
  if (precision === 'fp32') return 'adam';
  if (precision === 'fp16') return 'adam_mixed';
  const sums = keys.word('data_types.grad_accum_dtype');
  const states = ['bf16.bf16_master_weights_and_grads', 'bf16.bf16_optimizer_states'].map((path) => keys.flag(path));
  if (states.every((state) => state === true)) return 'adam_bf16';
  if (states.includes(true)) keys.leave('bf16.bf16_master_weights_and_grads', 'bf16.bf16_optimizer_states');
  // `BF16_Optimizer` sums gradients in fp32 if asked to; the others keep them in bf16. All have main weights in fp32.
  if (stage === 1 && sums === 'fp32') return 'deepspeed_bf16';
  return stage === 0 && pipeline > 1 ? 'custom(weight = 2, gradient = 4, state = 12)' : 'adam_mixed';
}

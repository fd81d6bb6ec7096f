/** Keys of the pipeline that Megatron-LM's arguments give: ranks, batch, optimizer, recomputation. */
import { gcd } from '../../basics/gcd.ts';
import { count } from '../../basics/quantities.ts';
import { table } from '../../basics/table.ts';
import { overlapExpertShare, overlapTensorShare } from '../../costs/overlapShares.ts';
import { modulesMode, recomputeModules } from '../../costs/recompute.ts';
import type { MegatronModel } from './model.ts';
import type { Values } from './values.ts';

export interface Training {
  readonly tensor: number;
  readonly context: number;
  readonly data: number;
  readonly microbatches: number;
  /** Key and value, in the order of the file. */
  readonly keys: readonly (readonly [string, string])[];
  readonly remarks: readonly string[];
}

/** `ranks`: pipeline ranks. `least`: microbatches where the script says no batch. */
export function trainingOf(
  values: Values,
  model: Pick<MegatronModel, 'microBatch' | 'experts' | 'precision'>,
  ranks: number,
  least: number,
): Training {
  const remarks: string[] = [];
  const tensor = values.whole('tensor-model-parallel-size') ?? 1;
  const context = values.whole('context-parallel-size') ?? 1;
  const each = tensor * context * ranks;
  const expert = values.whole('expert-model-parallel-size') ?? 1;
  const expertTensor = values.whole('expert-tensor-parallel-size') ?? tensor;
  const isExperts = model.experts.includes(true);
  const inner = tensor * context;
  const data = forExperts(
    dataRanks(values, each, remarks),
    { inner, expert: isExperts ? expert : 1, expertTensor },
    remarks,
  );
  const microbatches = microbatchesOf(values, model.microBatch * data, least, remarks);
  const keys: [string, string][] = [
    ...(tensor === 1 ? [] : [['tensor', String(tensor)] as [string, string]]),
    ...(values.has('sequence-parallel') && tensor > 1 ? [['sequence_parallel', 'true'] as [string, string]] : []),
    ...(context === 1 ? [] : [['context', String(context)] as [string, string]]),
    ...contextExchange(values, context, remarks),
    ...(data === 1 ? [] : [['data', String(data)] as [string, string]]),
    ...(expert === 1 || !isExperts ? [] : [['expert', String(expert)] as [string, string]]),
    ...(expertTensor === tensor || !isExperts ? [] : [['expert_tensor', String(expertTensor)] as [string, string]]),
    ...(values.has('use-tp-pp-dp-mapping') ? [['rank_order', 'tp_cp_pp_dp'] as [string, string]] : []),
    ...recompute(values).map((mode): [string, string] => ['recompute', mode]),
    ['optimizer', optimizerOf(values, model)],
    ...overlapped(values, data * context),
    ...overlaps(values, { tensor, expert: isExperts ? expert : 1 }, remarks),
  ];
  return { tensor, context, data, microbatches, keys, remarks };
}

/** `p2p` is a ring, `all_gather` gathers and `a2a` is an all-to-all; one for all layers, or one for each. */
function contextExchange(values: Values, context: number, remarks: string[]): readonly [string, string][] {
  const kinds = [...new Set(values.words('cp-comm-type'))];
  if (context === 1 || kinds.length === 0 || (kinds.length === 1 && kinds[0] === 'p2p')) return [];
  if (kinds.length === 1 && kinds[0] === 'a2a') return [['context_exchange', 'all_to_all']];
  if (kinds.length === 1 && (kinds[0] === 'all_gather' || kinds[0] === 'allgather'))
    return [['context_exchange', 'all_gather']];
  remarks.push(
    `--cp-comm-type ${kinds.join(' ')} is not carried: context ranks exchange around a ring here, or by gathers or all-to-alls in all layers. A ring is written.`,
  );
  return [];
}

/**
 * Gradients are reduced during the last backwards in buckets of 40 million elements, or of a million for each rank if these are more
 * (`distributed_data_parallel.py`). Ranks that hold gradients in parts scatter them anyway.
 */
function overlapped(values: Values, ranks: number): readonly [string, string][] {
  const isAsked = values.has('overlap-grad-reduce');
  const elements = values.whole('ddp-bucket-size') ?? Math.max(40_000_000, 1_000_000 * ranks);
  if (!isAsked || ranks === 1 || inParts(values)) return [];
  // Weights come back during the next forwards: what the rule `megatron` does with the buckets of Megatron-LM.
  if (values.has('use-distributed-optimizer') && !values.has('ddp-bucket-size') && values.has('overlap-param-gather'))
    return [['sync', 'megatron']];
  // Buffers have the format of the main gradients.
  const bytes = elements * (formatsOf(values).includes('main_grads = bf16') ? 2 : 4);
  return [['sync', `overlap(bucket = ${bytes / 1e6}MB)`]];
}

/** Exchanges of tensor and expert ranks that compute hides. Nothing in a script says how much: what is usual is written. */
function overlaps(
  values: Values,
  { tensor, expert }: { readonly tensor: number; readonly expert: number },
  remarks: string[],
): readonly [string, string][] {
  const keys: [string, string][] = [];
  const write = (flag: string, group: string, share: number, why: string): void => {
    const key = `overlap(${group})`;
    const value = `${Math.round(100 * share)}%`;
    keys.push([key, value]);
    remarks.push(`--${flag} is written as \`${key} = ${value}\`: ${why}. Change it if you measured yours.`);
  };
  if (values.has('tp-comm-overlap') && values.has('sequence-parallel') && tensor > 1)
    write('tp-comm-overlap', 'tensor', overlapTensorShare(tensor), 'what its kernels can hide');
  if (values.has('overlap-moe-expert-parallel-comm') && expert > 1)
    write('overlap-moe-expert-parallel-comm', 'expert', overlapExpertShare, 'as much as computing covers');
  return keys;
}

/** Only Megatron FSDP asks for it. */
const strategyOf = (values: Values): string | undefined =>
  values.has('use-megatron-fsdp') ? values.word('data-parallel-sharding-strategy') : undefined;

/** Ranks that share the weights hold gradients in parts. */
const inParts = (values: Values): boolean =>
  values.has('use-torch-fsdp2') || (strategyOf(values) ?? '').startsWith('optim_grads');

/** Formats of the precision-aware optimizer, and gradients that are reduced in 16 bits. */
function formatsOf(values: Values): readonly string[] {
  const isAware = values.has('use-precision-aware-optimizer');
  const gradients = isAware ? values.word('main-grads-dtype') : undefined;
  const main = isAware ? values.word('main-params-dtype') : undefined;
  const [first, second] = ['exp-avg-dtype', 'exp-avg-sq-dtype'].map((name) =>
    isAware ? values.word(name) : undefined,
  );
  // Both moments have one format here; of two, the larger one is written.
  const sizes = ['fp32', 'bf16', 'fp16', 'fp8'];
  const moments = [first ?? 'fp32', second ?? 'fp32'].toSorted((a, b) => sizes.indexOf(a) - sizes.indexOf(b))[0];
  return [
    ...(gradients === 'bf16' || values.has('grad-reduce-in-bf16') ? ['main_grads = bf16'] : []),
    ...(values.has('grad-reduce-in-bf16') && !isAware ? ['gradient_copies = true'] : []),
    ...(main === 'fp16' ? ['main_params = fp16'] : []),
    ...(isAware && moments !== 'fp32' && sizes.includes(moments) ? [`moments = ${moments}`] : []),
  ];
}

/** Of all devices, which the launcher's arguments say: `--nproc_per_node` and `--nnodes`. */
function dataRanks(values: Values, each: number, remarks: string[]): number {
  const [perNode, nodes] = [values.whole('nproc-per-node'), values.whole('nnodes')];
  const world = values.whole('world-size') ?? (perNode === undefined ? undefined : perNode * (nodes ?? 1));
  if (world === undefined) {
    remarks.push('The script does not say how many devices there are: one data rank is written. Set `data`.');
    return 1;
  }
  if (world % each === 0) return world / each;
  remarks.push(`${world} devices are not a multiple of the ${each} of one data rank: one data rank is written.`);
  return 1;
}

/** Expert ranks are taken from tensor, context and data ranks. A script that leaves nodes to the shell may name too few of them. */
function forExperts(
  data: number,
  { inner, expert, expertTensor }: Readonly<Record<'inner' | 'expert' | 'expertTensor', number>>,
  remarks: string[],
): number {
  const least = expert === 1 ? 1 : (expert * expertTensor) / gcd(expert * expertTensor, inner);
  if (data % least === 0) return data;
  remarks.push(
    `--expert-model-parallel-size ${expert} needs a multiple of ${count(least, 'data rank', 'data ranks')}, and the script has ${data}: ${least} are written.`,
  );
  return least;
}

/** `samples`: in one microbatch of all data ranks. */
function microbatchesOf(values: Values, samples: number, least: number, remarks: string[]): number {
  const batch = values.whole('global-batch-size');
  // Without one, Megatron-LM takes a single microbatch, which no pipeline trains with.
  if (batch === undefined) {
    remarks.push(`The script has no --global-batch-size: ${least} microbatches are written. Replace them.`);
    return least;
  }
  if (batch % samples === 0) return batch / samples;
  remarks.push(
    `--global-batch-size ${batch} is not a multiple of the ${samples} samples of one microbatch: ${Math.ceil(batch / samples)} microbatches are written.`,
  );
  return Math.ceil(batch / samples);
}

function recompute(values: Values): readonly string[] {
  const granularity = values.word('recompute-granularity');
  const isSelective = values.has('recompute-activations') || granularity === 'selective';
  if (granularity === 'full') {
    const [method, layers] = [values.word('recompute-method'), values.whole('recompute-num-layers')];
    if (layers !== undefined && method === 'block') return [`full(layers = ${layers})`];
    if (layers !== undefined && layers > 1 && method === 'uniform')
      return [`full(layers = ${layers}, method = uniform)`];
    // Groups of one layer: each layer by itself, which is what `full` does.
    if (layers === undefined || method !== 'uniform') values.leave('recompute-method', 'recompute-num-layers');
    return ['full'];
  }
  if (!isSelective) return [];
  const names = values.words('recompute-modules').map((name) => (name === 'core_attn' ? 'core_attention' : name));
  const modules = recomputeModules.filter((module) => names.includes(module));
  if (modules.length < names.length) values.leave('recompute-modules');
  // The attention core alone is what Megatron-LM recomputes unless modules are named.
  return modules.length === 0 || modules.join() === 'core_attention' ? ['selective'] : [modulesMode(modules)];
}

const strategies: Readonly<Record<string, string>> = table({
  optim: 'distributed',
  optim_grads: 'zero2',
  optim_grads_params: 'fsdp',
});

function optimizerOf(values: Values, { precision }: Pick<MegatronModel, 'precision'>): string {
  const recipe =
    values.word('optimizer') === 'sgd' ? 'megatron_sgd' : precision === 'fp32' ? 'adam' : `megatron_${precision}`;
  const strategy = strategies[strategyOf(values) ?? ''];
  const isSplit = values.has('use-distributed-optimizer');
  const shard = values.has('use-torch-fsdp2') ? 'fsdp' : (strategy ?? (isSplit ? 'distributed' : undefined));
  const given = [
    ...(shard === undefined ? [] : [`shard = ${shard}`]),
    ...(recipe === 'megatron_fp8' && values.has('fp8-param-gather') ? ['primary = fp8'] : []),
    ...(recipe === 'megatron_fp4' && values.has('fp4-param-gather') ? ['primary = fp4'] : []),
    ...(['megatron_fp4', 'megatron_fp8', 'megatron_bf16'].includes(recipe) ? formatsOf(values) : []),
    `clip = ${(values.number('clip-grad') ?? 1) > 0}`,
  ];
  return `${recipe}(${given.join(', ')})`;
}

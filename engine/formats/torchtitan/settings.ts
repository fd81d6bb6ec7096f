/** What of a pipeline is a setting of torchtitan: lines that change a configuration. */
import { torchtitan } from '../../engines/torchtitan.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { type Launch, recomputeModeOf, type Unwritable } from '../launch.ts';

export interface Settings {
  /** By the path of the setting, as Python writes the value. */
  readonly values: readonly (readonly [path: string, value: string])[];
  /** The class of the activation checkpointing; absent: none. */
  readonly checkpointing?: 'FullAC' | 'SelectiveAC';
  readonly notes: readonly string[];
}

/** No gradient is so large: torchtitan clips always. */
const noClipping = '1e30';

export function settingsOf(
  launch: Launch,
  facts: { readonly split: boolean; readonly isV: boolean },
): Settings | Unwritable {
  const { plan, pipeline } = launch;
  const { mesh, model, optimizer, overlap } = pipeline;
  const mode = recomputeModeOf(plan, torchtitan.title);
  if (typeof mode !== 'string') return mode;
  const shards = shardsOf(launch);
  if ('problem' in shards) return shards;
  const isOverlapped = overlap.tensor > 0 && mesh.tensor > 1;
  if (isOverlapped && facts.split)
    return { problem: 'torchtitan overlaps tensor ranks with torch.compile, and compiles no split backwards' };
  if (optimizer?.offload !== undefined)
    return { problem: 'torchtitan keeps weights, gradients and state on the host together, and no part of them' };
  const recipe = optimizer?.recipe.name;
  if (recipe !== undefined && !recipes.has(recipe))
    return { problem: `torchtitan has no optimizer \`${recipe}\`. The nearest that it runs is \`optimizer = adamw\`` };
  const tokens = model.sequence;
  if (tokens === undefined && model.layers.some(({ cost }) => cost.kind === 'shape'))
    return { problem: 'the model does not say how many tokens a sample has' };
  const text = (value: boolean): string => (value ? 'True' : 'False');
  return {
    values: [
      ...batchValues(plan, tokens),
      ['training.dtype', recipe === 'adam_bf16' ? '"bfloat16"' : '"float32"'],
      ['training.mixed_precision_param', model.precision === 'fp32' ? '"float32"' : '"bfloat16"'],
      ['training.max_norm', optimizer?.clip === false ? noClipping : '1.0'],
      // Pipelines do not run in CUDA graphs.
      ['training.disable_cuda_graphs', 'True'],
      ['parallelism.pipeline_parallel_degree', String(plan.devices.length)],
      // The order comes from the table. The name decides where stages are, and nothing else.
      ['parallelism.pipeline_parallel_schedule', facts.isV ? '"ZBVZeroBubble"' : '"PipelineScheduleMulti"'],
      ['parallelism.num_pp_microbatches', String(plan.microbatches)],
      ['parallelism.pipeline_parallel_layers_per_stage', 'None'],
      ['parallelism.tensor_parallel_degree', String(mesh.tensor)],
      ...(mesh.tensor > 1 ? [['parallelism.enable_sequence_parallel', text(mesh.sequenceParallel)] as const] : []),
      ['parallelism.context_parallel_degree', String(mesh.context)],
      ['parallelism.expert_parallel_degree', String(mesh.expert)],
      ...shards.values,
      ...(facts.split ? [['compile.enable', 'False'] as const] : []),
      ...(isOverlapped
        ? ([
            ['compile.enable', 'True'],
            ['compile.enable_async_tensor_parallel', 'True'],
          ] as const)
        : []),
    ],
    ...(mode === 'full' ? { checkpointing: 'FullAC' } : mode === 'operations' ? { checkpointing: 'SelectiveAC' } : {}),
    notes: [
      ...(optimizer === undefined ? ['The file names no optimizer: the one of the base configuration trains.'] : []),
      ...(optimizer?.clip === false
        ? ['torchtitan computes the norm of the gradients in any case: the limit is set so high that it clips none.']
        : []),
      ...(model.precision === 'fp8' || model.precision === 'fp4'
        ? [`Products in ${model.precision} are converters of the model: the base configuration must have them.`]
        : []),
      ...(overlap.expert > 0 && mesh.expert > 1 ? ['The overlap of the exchanges of experts has no setting.'] : []),
      ...(optimizer?.step === undefined ? [] : ['The time of the update has no setting.']),
    ],
  };
}

const recipes: ReadonlySet<string> = new Set(['adam', 'adamw', 'adam_bf16']);

function batchValues(
  { microBatchSize }: PipelinePlan,
  tokens: number | undefined,
): readonly (readonly [path: string, value: string])[] {
  if (tokens === undefined) return [['training.num_tokens_per_train_step', '-1']];
  return [
    ['training.max_context_length', String(tokens)],
    ['training.num_tokens_per_microbatch_per_dp_rank', `${microBatchSize} * ${tokens}`],
    // One run of the pipeline is a step.
    ['training.num_tokens_per_train_step', '-1'],
  ];
}

/** Data ranks that share weights, and those that repeat them. */
function shardsOf({ pipeline: { optimizer, mesh } }: Launch): Pick<Settings, 'values'> | Unwritable {
  const shard = optimizer?.shard ?? 'none';
  if (shard === 'none' && mesh.context > 1)
    return {
      problem: 'torchtitan shares weights among context ranks (FSDP2). The nearest that it runs is `shard = fsdp`',
    };
  const sharing = shard === 'none' ? 1 : (optimizer?.over ?? mesh.data * mesh.context) / mesh.context;
  if (!Number.isInteger(sharing) || mesh.data % sharing !== 0)
    return { problem: 'torchtitan shares weights among all context ranks and a part of the data ranks' };
  return {
    values: [
      ['parallelism.data_parallel_replicate_degree', String(mesh.data / sharing)],
      ['parallelism.data_parallel_shard_degree', String(sharing)],
      ...(shard === 'none'
        ? []
        : [['parallelism.fsdp_reshard_after_forward', optimizer?.reshard === false ? '"never"' : '"always"'] as const]),
    ],
  };
}

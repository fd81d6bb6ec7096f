/** What of a pipeline is a setting of torchtitan: lines that change a configuration. */
import { budgetIn } from '../../costs/recompute.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import { lossesOf } from '../../engines/setupOf.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { hasPipeline, namesOptimizer, type Launch, type Unwritable } from '../launch.ts';

/** Without chunks: the loss that the base configuration computes for each of them. */
export const wholeLoss = 'config.loss.loss_fn';

export interface Settings {
  /** By the path of the setting, as Python writes the value. */
  readonly values: readonly (readonly [path: string, value: string])[];
  /** The class of the activation checkpointing; absent: none. */
  readonly checkpointing?: 'FullAC' | 'SelectiveAC' | 'MemoryBudgetAC';
  /** Of a budget, its share. */
  readonly budget?: number;
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
  const [mode] = plan.stages.map(({ recomputeMode }) => recomputeMode);
  const isOverlapped = overlap.tensor > 0 && mesh.tensor > 1;
  if (isOverlapped && facts.split)
    return { problem: 'torchtitan overlaps tensor ranks with torch.compile, and compiles no split backwards' };
  if (pipeline.local !== undefined)
    return { problem: 'islands are in torchtitan/experiments/torchft, whose configuration is not written' };
  const isBudget = budgetIn(mode) !== undefined;
  if (isBudget && facts.split)
    return { problem: 'torch.compile recomputes within a budget, and torchtitan compiles no split backwards' };
  const recipe = optimizer?.recipe.name;
  const isPipeline = hasPipeline(plan);
  const [loss] = lossesOf(model);
  const tokens = model.sequence;
  if (tokens === undefined && model.layers.some(({ cost }) => cost.kind === 'shape'))
    return { problem: 'the model does not say how many tokens a sample has' };
  const text = (value: boolean): string => (value ? 'True' : 'False');
  return {
    values: [
      ...batchValues(plan, mesh.data, tokens),
      ['training.dtype', recipe === 'adam_bf16' ? '"bfloat16"' : '"float32"'],
      ['training.mixed_precision_param', model.precision === 'fp32' ? '"float32"' : '"bfloat16"'],
      ['training.max_norm', optimizer?.clip === false ? noClipping : '1.0'],
      // Neither pipelines nor the usual exchanges of experts run in CUDA graphs.
      ...(isPipeline || mesh.expert > 1 ? [['training.disable_cuda_graphs', 'True'] as const] : []),
      ['parallelism.pipeline_parallel_degree', String(plan.devices.length)],
      ...(isPipeline ? pipelineValues(plan, facts.isV) : []),
      ['parallelism.tensor_parallel_degree', String(mesh.tensor)],
      ...(mesh.tensor > 1 ? [['parallelism.enable_sequence_parallel', text(mesh.sequenceParallel)] as const] : []),
      ['parallelism.context_parallel_degree', String(mesh.context)],
      ['parallelism.expert_parallel_degree', String(mesh.expert)],
      ...shardValues(launch),
      ...lossValues(loss),
      ...compileValues(loss, { isOverlapped, isModel: isOverlapped || isBudget, isSplit: facts.split }),
    ],
    ...checkpointingOf(mode),
    notes: [
      ...(!namesOptimizer(optimizer) ? ['The file names no optimizer: the one of the base configuration trains.'] : []),
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

/** The class that recomputes as the plan does. */
function checkpointingOf(mode: RecomputeMode): Pick<Settings, 'checkpointing' | 'budget'> {
  const budget = budgetIn(mode);
  if (budget !== undefined) return { checkpointing: 'MemoryBudgetAC', budget };
  return mode === 'full' ? { checkpointing: 'FullAC' } : mode === 'operations' ? { checkpointing: 'SelectiveAC' } : {};
}

/** How the heads compute the loss, if the plan says it. */
const lossValues = (loss: string | undefined): Settings['values'] => {
  const [, chunks] = /^chunked\((\d+)\)$/.exec(loss ?? '') ?? [];
  if (loss === undefined) return [];
  return [chunks === undefined ? ['loss', wholeLoss] : ['loss.num_chunks', chunks]];
};

/** Tensor ranks that overlap are compiled, and so is a loss of one kernel in each direction. Split backwards are not. */
function compileValues(
  loss: string | undefined,
  {
    isOverlapped,
    isModel,
    isSplit,
  }: { readonly isOverlapped: boolean; readonly isModel: boolean; readonly isSplit: boolean },
): Settings['values'] {
  const isLoss = loss === 'compiled';
  const components = [...(isModel || !isLoss ? ['"model"'] : []), ...(isLoss ? ['"loss"'] : [])];
  return [
    ...(isModel || isLoss || isSplit ? [['compile.enable', isModel || isLoss ? 'True' : 'False'] as const] : []),
    ...(loss === undefined ? [] : [['compile.components', `[${components.join(', ')}]`] as const]),
    ...(isOverlapped ? [['compile.enable_async_tensor_parallel', 'True'] as const] : []),
  ];
}

/** The order comes from the table. The name decides where stages are, and nothing else. */
const pipelineValues = ({ microbatches }: PipelinePlan, isV: boolean): Settings['values'] => [
  ['parallelism.pipeline_parallel_schedule', isV ? '"ZBVZeroBubble"' : '"PipelineScheduleMulti"'],
  ['parallelism.num_pp_microbatches', String(microbatches)],
  ['parallelism.pipeline_parallel_layers_per_stage', 'None'],
];

/** One run of a pipeline is a step. Without one, each microbatch is a step of accumulation. */
function batchValues(
  { devices, microBatchSize, microbatches }: PipelinePlan,
  data: number,
  tokens: number | undefined,
): Settings['values'] {
  const each = 'training.num_tokens_per_microbatch_per_dp_rank';
  const samples = tokens === undefined ? `config.${each}` : `${microBatchSize} * ${tokens}`;
  const isAccumulated = devices.length === 1 && microbatches > 1;
  return [
    ...(tokens === undefined
      ? []
      : ([
          ['training.max_context_length', String(tokens)],
          [each, samples],
        ] as const)),
    ['training.num_tokens_per_train_step', isAccumulated ? `${samples} * ${microbatches} * ${data}` : '-1'],
  ];
}

/** Data ranks that share weights, and those that repeat them. */
function shardValues({ pipeline: { optimizer, mesh } }: Launch): Settings['values'] {
  const shard = optimizer?.shard ?? 'none';
  const sharing = shard === 'none' ? 1 : (optimizer?.over ?? mesh.data * mesh.context) / mesh.context;
  return [
    ['parallelism.data_parallel_replicate_degree', String(mesh.data / sharing)],
    ['parallelism.data_parallel_shard_degree', String(sharing)],
    ...(shard === 'none'
      ? []
      : [['parallelism.fsdp_reshard_after_forward', optimizer?.reshard === false ? '"never"' : '"always"'] as const]),
  ];
}

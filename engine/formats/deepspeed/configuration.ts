/** The configuration of DeepSpeed for a pipeline, which `pipeOfDeepspeed` reads back. */
import { someLayersIn } from '../../costs/recompute.ts';
import { type Shard, shardsWeights } from '../../costs/optimizer.ts';
import type { RecomputeMode } from '../../costs/types.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { hasPipeline, type Launch, namesOptimizer } from '../launch.ts';

type Values = Readonly<Record<string, unknown>>;

interface Configuration {
  readonly json: string;
  readonly notes: readonly string[];
}

export function configurationOf(launch: Launch): Configuration {
  const { plan, pipeline } = launch;
  const { mesh, model, optimizer } = pipeline;
  const { precision } = model;
  const isPipeline = hasPipeline(plan);
  const [mode] = plan.stages.map(({ recomputeMode }) => recomputeMode);
  const interval = intervalOf(mode, plan);
  const settings = {
    train_batch_size: plan.microBatchSize * plan.microbatches * mesh.data,
    train_micro_batch_size_per_gpu: plan.microBatchSize,
    gradient_accumulation_steps: plan.microbatches,
    ...optimizerValues(launch),
    ...(precision === 'fp32' ? {} : { [precision]: { enabled: true, ...(isBf16(optimizer) ? inBf16 : {}) } }),
    gradient_clipping: optimizer?.clip === false ? 0 : 1,
    ...(isPipeline
      ? { pipeline: { stages: plan.devices.length, activation_checkpoint_interval: interval } }
      : rankValues(launch)),
  };
  return {
    json: JSON.stringify(settings, undefined, 2),
    notes: [
      ...(namesOptimizer(optimizer)
        ? ['The learning rate is 1e-4: write yours.']
        : ['The file names no optimizer: give one to deepspeed.initialize.']),
      ...(interval === 0
        ? []
        : isPipeline
          ? ['DeepSpeed recomputes every layer with weights, embedding and head too.']
          : [`\`recompute = ${mode}\` has no setting without pipeline ranks: it is in your model.`]),
    ],
  };
}

/** Main weights, gradients and state are in bf16 too. */
const isBf16 = (optimizer: OptimizerUse | undefined): boolean => optimizer?.recipe.name === 'adam_bf16';

const inBf16 = { bf16_master_weights_and_grads: true, bf16_optimizer_states: true };

/** Layers that are recomputed together: a whole stage has no more than the longest. */
function intervalOf(mode: RecomputeMode, { stages }: PipelinePlan): number {
  if (mode === 'none') return 0;
  if (mode === 'full') return 1;
  if (mode === 'stage') return Math.max(...stages.map(({ layers }) => layers.length));
  return someLayersIn(mode)?.layers ?? 1;
}

/** Ranks that a PipelineModule has in its topology. */
const rankValues = ({ pipeline: { mesh, overlap } }: Launch): Values => ({
  ...(mesh.tensor > 1
    ? {
        tensor_parallel: { autotp_size: mesh.tensor, ...(overlap.tensor > 0 ? { tp_overlap_comm: true } : {}) },
      }
    : {}),
  ...(mesh.context > 1 ? { data_parallel_size: mesh.data, sequence_parallel_size: mesh.context } : {}),
});

/** What each keeps is what the import takes it for. */
function optimizerValues(launch: Launch): Values {
  const { optimizer } = launch.pipeline;
  if (optimizer === undefined) return {};
  const { name } = optimizer.recipe;
  const type = name.startsWith('sgd') ? 'SGD' : name === 'adam' ? 'Adam' : 'AdamW';
  return {
    ...(namesOptimizer(optimizer) ? { optimizer: { type, params: { lr: 1e-4 } } } : {}),
    zero_optimization: zeroValues(launch, optimizer),
    ...(name === 'deepspeed_bf16' ? { data_types: { grad_accum_dtype: 'fp32' } } : {}),
  };
}

function zeroValues(
  { plan, pipeline: { mesh, sync, model } }: Launch,
  { shard, over, reshardTo, offload }: OptimizerUse,
): Values {
  const isPipeline = hasPipeline(plan);
  // In bf16 the state of a pipeline is always split over its data ranks, also over one.
  const stage = shard === 'none' && isPipeline && model.precision === 'bf16' ? 1 : stageOf(shard);
  return {
    stage,
    ...(!isPipeline && stage < 3 && sync !== undefined ? { overlap_comm: true } : {}),
    ...(stage === 3 && over !== undefined && over < mesh.data ? { mics_shard_size: over } : {}),
    // ZeRO++ keeps gathered weights in parts on the ranks of a node for the backward.
    ...(stage === 3 && reshardTo !== undefined ? { zero_hpz_partition_size: reshardTo } : {}),
    ...(offload === undefined
      ? {}
      : { offload_optimizer: { device: 'cpu', ...(offload.share < 1 ? { ratio: offload.share } : {}) } }),
  };
}

const stageOf = (shard: Shard): number => (shard === 'none' ? 0 : shardsWeights(shard) ? 3 : shard === 'zero2' ? 2 : 1);

import { shardsGradients, shardsWeights } from '../costs/optimizer.ts';
import { someLayersIn } from '../costs/recompute.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { Engine, Refusal, Setup } from './engine.ts';
import { notAmong, plain1f1b, recomputesAhead } from './orders.ts';
import {
  alikeRow,
  clipRow,
  ncclRow,
  oneMeshRow,
  otherMode,
  recipeRow,
  scatterRefusal,
  unlikeAccumulation,
} from './shared.ts';
import { ownAdaptersRow } from './partTraining.ts';

const title = 'DeepSpeed';

const schedules = ['1f1b'];

/** Its interval is a number of layers, or more than a stage has. */
const isInterval = (mode: string): boolean =>
  ['none', 'full', 'stage'].includes(mode) || someLayersIn(mode as RecomputeMode)?.method === 'uniform';

/** By precision, the usual one first. In bf16 only ZeRO-1 may sum gradients in fp32, and only ZeRO may keep all in bf16. */
function recipesOf({ precision, ranks, optimizer }: Setup): readonly string[] {
  if (precision === 'fp32') return ['adam', 'adamw', 'sgd'];
  const sums =
    precision === 'bf16' && (ranks > 1 || optimizer?.shard === 'zero1' || optimizer?.shard === 'distributed');
  const isSplit = precision === 'bf16' && optimizer !== undefined && optimizer.shard !== 'none';
  return [...(sums ? ['deepspeed_bf16'] : []), 'adam_mixed', 'sgd_mixed', ...(isSplit ? ['adam_bf16'] : [])];
}

function splitRefusal({ optimizer, precision, ranks, mesh }: Setup): Refusal | undefined {
  if (optimizer === undefined) return undefined;
  const { recipe, shard, over, offload } = optimizer;
  if (offload !== undefined) {
    if (ranks > 1) return { reason: `${title} keeps no part of the optimizer on the host under pipeline ranks` };
    if (shard === 'none')
      return {
        reason: `${title} keeps an optimizer on the host under ZeRO only`,
        nearest: { key: 'optimizer', argument: 'shard', value: 'zero1' },
      };
    if (offload < 1 && !shardsWeights(shard))
      return {
        reason: `${title} keeps a part of the optimizer on the host under ZeRO-3 only`,
        nearest: { key: 'optimizer', argument: 'shard', value: 'zero3' },
      };
  }
  if (shard === 'none' && precision === 'bf16' && ranks > 1 && recipe !== 'none' && mesh.data > 1)
    return {
      reason: `${title} splits the state of a pipeline in bf16 over its data ranks (ZeRO-1)`,
      nearest: { key: 'optimizer', argument: 'shard', value: 'zero1' },
    };
  return shard !== 'none' && !(ranks === 1 && shardsWeights(shard)) && over !== undefined && over < mesh.data
    ? { reason: `${title} splits the state over all data ranks, and over a part of them under ZeRO-3 only (MiCS)` }
    : undefined;
}

export const deepspeed: Engine = {
  name: 'deepspeed',
  title,
  doc: 'DeepSpeed and its `PipelineModule`.',
  read: 'deepspeedai/DeepSpeed edaa7221 (0.19.6)',
  schedules,
  shards: [{ shard: 'zero1' }, { shard: 'zero3' }],
  loss: 'eager',
  rows: [
    {
      key: 'schedule',
      runs: '`1f1b`, with one stage a device and whole backwards. Without pipeline ranks microbatches are steps of accumulation.',
      source: 'deepspeed/runtime/pipe/schedule.py: TrainSchedule; runtime/engine.py: is_gradient_accumulation_boundary',
      refusesOrder: (plan) =>
        plan.devices.length === 1
          ? unlikeAccumulation(plan, title)
          : (notAmong(plan, schedules, title) ?? plain1f1b(plan, title) ?? recomputesAhead(plan, title)),
    },
    oneMeshRow(title, 'deepspeed/runtime/pipe/topology.py: PipelineParallelGrid'),
    {
      key: 'optimizer',
      runs: '`shard = zero1` with pipeline ranks, and all shards without.',
      source: 'deepspeed/runtime/pipe/engine.py: PipelineEngine.__init__ (ZeRO-2 and ZeRO-3 are incompatible)',
      refuses: ({ optimizer, ranks }) =>
        optimizer !== undefined && ranks > 1 && shardsGradients(optimizer.shard)
          ? {
              reason: `${title} shards only the state of the optimizer (ZeRO-1) with pipeline ranks, not as \`${optimizer.shard}\``,
              nearest: { key: 'optimizer', argument: 'shard', value: 'zero1' },
            }
          : undefined,
    },
    recipeRow(title, {
      runs: 'fp32: `adam`, `adamw` and `sgd`. fp16: `adam_mixed` and `sgd_mixed`. bf16: `adam_mixed` and `sgd_mixed`. In bf16 ZeRO-1 also has `deepspeed_bf16`, which sums gradients in fp32, and each stage of ZeRO `adam_bf16`.',
      source:
        'deepspeed/runtime/engine.py: _do_optimizer_sanity_check, _configure_bf16_optimizer; runtime/bf16_optimizer.py: BF16_Optimizer',
      has: recipesOf,
    }),
    {
      key: 'optimizer',
      runs: 'Gradients in parts are scattered after each backward. ZeRO splits over all data ranks, ZeRO-3 also over groups of `over` (MiCS). In bf16 the state of a pipeline is always split. The host keeps an optimizer under ZeRO without pipeline ranks, a part of it under ZeRO-3.',
      source: 'deepspeed/runtime/bf16_optimizer.py: BF16_Optimizer; runtime/zero: mics.py, offload_config.py (ratio)',
      refusesAsWritten: (setup) => splitRefusal(setup) ?? scatterRefusal(setup, title),
    },
    clipRow(
      'clips gradients by their norm',
      'Gradients are clipped by their norm, at 1. This is the default.',
      'deepspeed/runtime/constants.py: GRADIENT_CLIPPING_DEFAULT',
    ),
    {
      key: 'context',
      runs: '`all_to_all` (Ulysses) without pipeline ranks: pipelines have pipeline, data and model ranks.',
      source:
        'deepspeed/sequence/layer.py: DistributedAttention; deepspeed/runtime/pipe/topology.py: PipelineParallelGrid',
      refuses: ({ mesh, ranks }) => {
        if (mesh.context === 1) return undefined;
        if (ranks > 1)
          return {
            reason: `pipelines of ${title} have pipeline, data and model ranks, and no context ranks`,
            nearest: { key: 'context', value: '1' },
          };
        return mesh.contextExchange === 'all_to_all'
          ? undefined
          : {
              reason: `context ranks of ${title} exchange heads (Ulysses)`,
              nearest: { key: 'context_exchange', value: 'all_to_all' },
            };
      },
    },
    {
      key: 'expert',
      runs: 'Any number that divides the experts.',
      source: 'deepspeed/moe/layer.py: MoE.__init__ (ep_size)',
    },
    {
      key: 'expert_tensor',
      runs: '1, or all tensor ranks.',
      source: 'deepspeed/moe/layer.py: MoE.__init__ (enable_expert_tensor_parallelism)',
      refuses: ({ hasExperts, mesh }) =>
        hasExperts && ![1, mesh.tensor].includes(mesh.expertTensor)
          ? {
              reason: `${title} splits experts over all tensor ranks, or over none`,
              nearest: { key: 'expert_tensor', value: '1' },
            }
          : undefined,
    },
    {
      key: 'recompute',
      runs: '`full`, `stage`, and `full(layers = k, method = uniform)`: an interval of layers.',
      source: 'deepspeed/runtime/pipe/module.py: PipelineModule.forward (activation_checkpoint_interval)',
      refuses: (setup) => {
        const mode = otherMode(setup, isInterval);
        return mode === undefined
          ? undefined
          : {
              reason: `${title} recomputes groups of whole layers, not \`${mode}\``,
              nearest: { key: 'recompute', value: 'full' },
            };
      },
    },
    alikeRow(title, 'deepspeed/runtime/pipe/module.py: PipelineModule.__init__ (activation_checkpoint_interval)'),
    {
      key: 'offload',
      runs: 'No activations but the inputs of recomputed layers.',
      source: 'deepspeed/runtime/activation_checkpointing/checkpointing.py: cpu_checkpointing',
      refuses: ({ offload }) =>
        offload
          ? {
              reason: `${title} moves only the inputs of recomputed layers to the host`,
              nearest: { key: 'offload' },
            }
          : undefined,
    },
    {
      key: 'overlap',
      runs: '`tensor` without sequence parallelism: only sums over tensor ranks overlap.',
      source: 'deepspeed/runtime/tensor_parallel/config.py: TPTrainingConfig (tp_overlap_comm)',
      refuses: ({ overlap, mesh }) =>
        overlap.tensor > 0 && mesh.tensor > 1 && mesh.sequenceParallel
          ? { reason: `${title} overlaps only sums over tensor ranks, and sequence parallelism has none` }
          : undefined,
    },
    {
      key: 'sync',
      runs: '`end` with pipeline ranks: gradients are reduced in the last step of the schedule. `overlap` without.',
      source: 'deepspeed/runtime/pipe/schedule.py: TrainSchedule.steps (ReduceGrads)',
      refuses: ({ sync, ranks }) =>
        sync.name === 'end' || (ranks === 1 && sync.name === 'overlap' && !sync.arguments)
          ? undefined
          : {
              reason: `${title} reduces gradients ${ranks > 1 ? 'after the last step of a pipeline' : 'in buckets or at the end'}, not by ${sync.arguments ? 'these arguments of `overlap`' : `\`${sync.name}\``}`,
              nearest: { key: 'sync', value: 'end' },
            },
    },
    ncclRow(title),
    {
      key: 'model',
      runs: 'The loss is the user’s (`loss_fn`). A head that leaves it open has PyTorch’s, step by step (`eager`).',
      source: 'deepspeed/runtime/pipe/module.py: PipelineModule.__init__ (loss_fn)',
    },
    ownAdaptersRow(
      title,
      'deepspeed/runtime/pipe/module.py: PipelineModule; pipe/engine.py: PipelineEngine.__init__ (requires_grad)',
    ),
    {
      key: 'model',
      runs: 'fp32, fp16 and bf16.',
      source: 'deepspeed/runtime/config.py: get_float16_config, get_bfloat16_config',
      refuses: ({ precision }) =>
        precision === 'fp8' || precision === 'fp4'
          ? { reason: `${title} trains in bf16, fp16 or fp32, not in ${precision}` }
          : undefined,
    },
  ],
};

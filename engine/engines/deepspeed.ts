import { shardsGradients } from '../costs/optimizer.ts';
import { someLayersIn } from '../costs/recompute.ts';
import type { RecomputeMode } from '../costs/types.ts';
import type { Engine } from './engine.ts';
import { notAmong, plain1f1b, recomputesAhead } from './orders.ts';
import { clipRow, ncclRow, oneMeshRow, otherMode } from './shared.ts';

const title = 'DeepSpeed';

const schedules = ['1f1b'];

/** Its interval is a number of layers, or more than a stage has. */
const isInterval = (mode: string): boolean =>
  ['none', 'full', 'stage'].includes(mode) || someLayersIn(mode as RecomputeMode)?.method === 'uniform';

export const deepspeed: Engine = {
  name: 'deepspeed',
  title,
  doc: 'DeepSpeed and its `PipelineModule`.',
  read: 'deepspeedai/DeepSpeed edaa7221 (0.19.6)',
  schedules,
  shards: [{ shard: 'zero1' }, { shard: 'zero3' }],
  rows: [
    {
      key: 'schedule',
      runs: '`1f1b`, with one stage a device and whole backwards.',
      source: 'deepspeed/runtime/pipe/schedule.py: TrainSchedule',
      refusesOrder: (plan) =>
        plan.devices.length === 1 && plan.stages.length === 1
          ? undefined
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
      runs: 'Any number that divides the experts, with `expert_tensor` of 1 or all tensor ranks.',
      source: 'deepspeed/moe/layer.py: MoE.__init__ (ep_size, enable_expert_tensor_parallelism)',
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
      runs: 'fp32, fp16 and bf16.',
      source: 'deepspeed/runtime/config.py: get_float16_config, get_bfloat16_config',
    },
  ],
};

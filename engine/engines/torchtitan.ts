import type { Mesh } from '../costs/mesh.ts';
import { shardsWeights } from '../costs/optimizer.ts';
import type { Engine, LocalSetup, OptimizerSetup, OrderPlan, Refusal, Setup, Usual } from './engine.ts';
import { isLoop, isV, nearestOrder } from './orders.ts';
import { pytorchOrder } from './pytorch.ts';
import {
  alikeRow,
  clipRow,
  gatheredRefusal,
  partsRefusal,
  lossRow,
  ncclRow,
  oneMeshRow,
  otherMode,
  recipeRow,
  scatterRefusal,
  unlikeAccumulation,
} from './shared.ts';
import { titanAdaptersRow } from './partTraining.ts';

const title = 'torchtitan';

/** The name of its schedule decides where stages are, also under a table. */
function otherPlaces(plan: OrderPlan): Refusal | undefined {
  if (isLoop(plan) || isV(plan)) return undefined;
  return {
    reason: `${title} puts stage s on rank s mod p, or two stages on each rank in a V, and this schedule puts them elsewhere`,
    nearest: nearestOrder(plan),
  };
}

/** Modes that are also in torchtitan, where `operations` is its selective one. */
const modes = ['none', 'full', 'operations'];

const offloadRefusal = (optimizer: OptimizerSetup | undefined): Refusal | undefined =>
  optimizer?.offload !== undefined
    ? { reason: `${title} keeps weights, gradients and state on the host together, and no part of them` }
    : undefined;

/** `train_step` accumulates without `set_requires_all_reduce`. Pipelines exchange gradients once. */
const groupsUsually = ({ optimizer, ranks, mesh, microbatches }: Setup): Usual | undefined =>
  ranks === 1 &&
  microbatches > 1 &&
  optimizer?.over !== undefined &&
  optimizer.over < mesh.data * mesh.context &&
  optimizer.reshard &&
  shardsWeights(optimizer.shard) &&
  !optimizer.writes('gradient_sync')
    ? {
        does: 'reduces gradients among groups after each backward',
        write: { key: 'optimizer', argument: 'gradient_sync', value: 'each' },
      }
    : undefined;

const reduceRefusal = (optimizer: OptimizerSetup | undefined): Refusal | undefined =>
  (optimizer?.written.get('reduce') ?? 'fp32') !== 'fp32'
    ? {
        reason: `${title} reduces gradients in fp32`,
        nearest: { key: 'optimizer', argument: 'reduce', value: 'fp32' },
      }
    : undefined;

/** Ranks of a context share the weights of their layers. */
function sharingRefusal(optimizer: OptimizerSetup | undefined, { data, context }: Mesh): Refusal | undefined {
  if (optimizer === undefined || optimizer.shard === 'none')
    return context === 1
      ? undefined
      : {
          reason: `${title} shares weights among context ranks (FSDP2)`,
          ...(optimizer === undefined
            ? {}
            : { nearest: { key: 'optimizer', argument: 'shard', value: 'fsdp' } as const }),
        };
  const sharing = (optimizer.over ?? data * context) / context;
  return Number.isInteger(sharing) && data % sharing === 0
    ? undefined
    : { reason: `${title} shares weights among all context ranks and a part of the data ranks` };
}

/** The model of a rank is one module, and `should_quantize` is fp8. */
const runsLocal = (local: LocalSetup | undefined, ranks: number): boolean =>
  local !== undefined && ranks === 1 && (local.bits === 32 || local.bits === 8) && local.backup === 'host';

export const torchtitan: Engine = {
  name: 'torchtitan',
  title,
  doc: 'torchtitan, over the pipelines of PyTorch.',
  read: 'pytorch/torchtitan b5bcd76c (0.2.2)',
  // With pipeline ranks, gathered weights stay: `reshard_after_forward` of its FSDP is off by default there.
  shards: [{ shard: 'fsdp' }, { shard: 'fsdp', reshard: 'false' }],
  sync: 'overlap',
  loss: 'chunked(8)',
  keepsGathered: true,
  // torchtitan/distributed/parallel_dims.py: the meshes `fsdp` and `efsdp` also exist at size 1, for mixed precision.
  copiesAlone: true,
  contextExchange: 'all_gather',
  rows: [
    {
      key: 'schedule',
      runs: 'All that PyTorch runs, with stages in a loop or in a V of two a rank; other orders from a table. One stage on one rank without a table: microbatches are then steps of accumulation. Split backwards not with `torch.compile`. Its own tests of split backwards are off, since FlexAttention became its default.',
      source:
        'torchtitan/distributed/pipeline_parallel.py: _get_pp_rank_to_stage_indices_mapping, _build_pipeline_schedule, trainer.py (gradient_accumulation_steps); tests/integration_tests/features.py',
      refusesOrder: (plan) => pytorchOrder(plan) ?? otherPlaces(plan) ?? unlikeAccumulation(plan, title),
    },
    oneMeshRow(title, 'torchtitan/distributed/parallel_dims.py: ParallelDims.build_mesh'),
    {
      key: 'optimizer',
      runs: '`shard = fsdp` or `zero3` over data and context ranks, in groups of `over` (HSDP), or none (replicas). With pipeline ranks, gathered weights and whole gradients stay (`reshard = false`).',
      source:
        'torchtitan/distributed/fsdp.py: get_fsdp_reshard_after_forward_policy; torch/distributed/pipelining/stage.py: backward_maybe_with_nosync',
      refuses: (setup) =>
        setup.optimizer === undefined || ['none', 'fsdp', 'zero3'].includes(setup.optimizer.shard)
          ? gatheredRefusal(setup, title)
          : {
              reason: `${title} shards weights, gradients and state together (FSDP2), not as \`${setup.optimizer.shard}\``,
              nearest: { key: 'optimizer', argument: 'shard', value: 'fsdp' },
            },
      usually: ({ optimizer, mesh, ranks }) =>
        optimizer === undefined ||
        optimizer.writes('shard') ||
        (mesh.data * mesh.context === 1 && optimizer.recipe === 'none')
          ? undefined
          : {
              does:
                mesh.data * mesh.context === 1
                  ? 'wraps layers in FSDP on one data rank too (copies of weights and gradients)'
                  : 'shards over all data and context ranks',
              write: { key: 'optimizer', argument: 'shard', value: ranks > 1 ? 'fsdp, reshard = false' : 'fsdp' },
            },
    },
    recipeRow(title, {
      runs: '`adamw` and `adam`; `adam_bf16` with all of a parameter in bf16 (`training.dtype`).',
      source:
        'torchtitan/components/optimizer/optimizer.py: OptimizersContainer; config/configs.py: TrainingConfig.dtype',
      has: () => ['adamw', 'adam', 'adam_bf16'],
    }),
    {
      key: 'optimizer',
      runs: 'Weights, gradients and state on the host together, and no part of them. Context ranks share weights, and a group of `over` has all of them. Gradients are reduced in fp32; without pipeline ranks after each backward, among groups too (`gradient_sync = each`).',
      source:
        'torchtitan/config/configs.py: TrainingConfig.enable_cpu_offload, mixed_precision_reduce; distributed/fsdp.py: resolve_fsdp_mesh, trainer.py: train_step',
      refusesAsWritten: (setup) =>
        offloadRefusal(setup.optimizer) ??
        sharingRefusal(setup.optimizer, setup.mesh) ??
        partsRefusal(setup, title) ??
        scatterRefusal(setup, title) ??
        reduceRefusal(setup.optimizer),
      usually: groupsUsually,
    },
    clipRow(
      'clips gradients by their norm',
      'Gradients are clipped by their norm, at 1. This is the default.',
      'torchtitan/config/configs.py: TrainingConfig.max_norm',
    ),
    {
      key: 'sequence_parallel',
      runs: 'With tensor ranks; on by default.',
      source: 'torchtitan/config/configs.py: ParallelismConfig.enable_sequence_parallel',
      usually: ({ mesh, writes }) =>
        mesh.tensor > 1 && !mesh.sequenceParallel && !writes('sequence_parallel') && !writes('sequence')
          ? {
              does: 'uses sequence parallelism with tensor ranks',
              write: { key: 'sequence_parallel', value: 'true' },
            }
          : undefined,
    },
    {
      key: 'context_exchange',
      runs: '`all_gather`. This is the default. `ring` is near to what torchtitan did with the `context_parallel` of PyTorch: it gathered during the first block of the core, and again in the backward.',
      source:
        'torchtitan/models/common/decoder_sharding.py: set_gqa_inner_attention_local_map (k and v unsharded on CP); torch/distributed/tensor/experimental/_context_parallel/_attention.py: _templated_ring_attention',
      refuses: ({ mesh }) =>
        mesh.context > 1 && mesh.contextExchange === 'all_to_all'
          ? {
              reason: `${title} gathers keys and values over context ranks, and exchanges no heads`,
              nearest: { key: 'context_exchange', value: 'all_gather' },
            }
          : undefined,
    },
    {
      key: 'expert_tensor',
      runs: '1: expert ranks are taken from data, context and tensor ranks, and no expert is split.',
      source: 'torchtitan/distributed/parallel_dims.py: ParallelDims._validate',
      refuses: ({ mesh, hasExperts }) =>
        hasExperts && mesh.tensor > 1 && mesh.expertTensor !== 1
          ? {
              reason: `${title} splits no expert over tensor ranks`,
              nearest: { key: 'expert_tensor', value: '1' },
            }
          : undefined,
    },
    {
      key: 'recompute',
      runs: '`full`, `operations` (its selective mode) and `budget(…)`.',
      source: 'torchtitan/distributed/activation_checkpoint.py: FullAC, SelectiveAC, MemoryBudgetAC',
      refuses: (setup) => {
        const mode = otherMode(setup, (each) => modes.includes(each) || each.startsWith('budget('));
        return mode === undefined
          ? undefined
          : {
              reason: `${title} recomputes all of each layer (\`full\`) or operations of it (\`operations\`, \`budget(…)\`), not \`${mode}\``,
              nearest: {
                key: 'recompute',
                value: mode === 'selective' || mode.startsWith('modules') ? 'operations' : 'full',
              },
            };
      },
    },
    alikeRow(title, 'torchtitan/trainer.py: Trainer.Config.activation_checkpoint'),
    {
      key: 'offload',
      runs: 'No activations. FSDP may keep weights, gradients and state on the host.',
      source: 'torchtitan/config/configs.py: TrainingConfig.enable_cpu_offload',
      refuses: ({ offload }) =>
        offload ? { reason: `${title} moves no activations to the host`, nearest: { key: 'offload' } } : undefined,
    },
    {
      key: 'overlap',
      runs: '`tensor`, with `torch.compile`.',
      source: 'torchtitan/distributed/compile.py: _maybe_enable_async_tp',
    },
    {
      key: 'sync',
      runs: '`end`, `overlap` and `ddp`: FSDP and replicas exchange a layer after its last backward. `local` by torchft, in 32 or 8 bits, without pipeline ranks, and with the backup on the host.',
      source:
        'torchtitan/distributed/fsdp.py; torch/distributed/pipelining/schedules.py: REDUCE_GRAD; torchtitan/experiments/torchft/manager.py: maybe_semi_sync_training',
      refuses: ({ sync, ranks }) =>
        runsLocal(sync.local, ranks) ||
        ['end', 'ddp'].includes(sync.name) ||
        (sync.name === 'overlap' && !sync.arguments)
          ? undefined
          : {
              reason: `${title} exchanges gradients layer by layer (FSDP2), not by ${sync.name === 'overlap' || sync.local !== undefined ? `these arguments of \`${sync.name}\`` : `\`${sync.name}\``}`,
              nearest: { key: 'sync', value: 'overlap' },
            },
    },
    ncclRow(title),
    {
      key: 'rank_order',
      runs: '`tp_cp_dp_pp`.',
      source: 'torchtitan/distributed/parallel_dims.py: ParallelDims.build_mesh',
      refuses: ({ rankOrder }) =>
        rankOrder === 'tp_cp_pp_dp'
          ? {
              reason: `pipeline ranks are outermost in the mesh of ${title}`,
              nearest: { key: 'rank_order', value: 'tp_cp_dp_pp' },
            }
          : undefined,
    },
    lossRow(
      title,
      {
        runs: '`loss = chunked(k)`, in 8 chunks by default; `eager`, and `compiled` with `torch.compile`.',
        source: 'torchtitan/components/loss.py: ChunkedLossWrapper, CrossEntropyLoss; models/llama3/config_registry.py',
        losses: /^(?:chunked\(|eager$|compiled$)/,
        nearest: 'chunked(8)',
      },
      'computes the loss in 8 chunks',
    ),
    titanAdaptersRow(title),
    {
      key: 'model',
      runs: 'bf16 and fp32; fp8 and fp4 (NVFP4) products by converters.',
      source: 'torchtitan/config/configs.py: TrainingConfig.mixed_precision_param; torchtitan/components/quantization',
      refuses: ({ precision }) =>
        precision === 'fp16' ? { reason: `${title} trains in bf16 or fp32, not in fp16` } : undefined,
    },
  ],
};

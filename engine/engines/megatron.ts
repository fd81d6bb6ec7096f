import { someLayersIn } from '../costs/recompute.ts';
import type { Engine, OrderPlan, Refusal, Row, Setup } from './engine.ts';
import { chunksOf, notAmong, plain1f1b, recomputesAhead } from './orders.ts';
import { modelRows } from './megatronModel.ts';
import { optimizerRows } from './megatronOptimizer.ts';
import { alikeRow, clipRow, lossRow, ncclRow, oneMeshRow, otherMode } from './shared.ts';
import { allTrainRow } from './partTraining.ts';

export const megatronSchedules: readonly string[] = ['1f1b', 'interleaved_1f1b'];

export const overlapWarmup = 1;

/** Rows of Megatron Core. Megatron Bridge has the same under its name. */
export const megatronRows = (title: string): readonly Row[] => [
  {
    key: 'schedule',
    runs: '`1f1b`, and `interleaved_1f1b` on two or more ranks with a group of p to m microbatches, whose last group is whole or has at least p. Backwards are whole.',
    source:
      'megatron/core/pipeline_parallel/schedules.py: get_forward_backward_func, forward_backward_pipelining_with_interleaving',
    refusesOrder: (plan) =>
      notAmong(plan, megatronSchedules, title) ??
      plain1f1b(plan, title) ??
      recomputesAhead(plan, title) ??
      wrongGroup(plan, title),
    refusesAsWritten: (setup) => wrongWarmup(setup, title),
    usually: ({ extraWarmup }) =>
      extraWarmup?.written === false && extraWarmup.forwards > 0
        ? {
            does: 'runs one more forward before the first backward where exchanges of experts overlap',
            write: { key: 'schedule', argument: 'extra_warmup', value: String(extraWarmup.forwards) },
          }
        : undefined,
  },
  oneMeshRow(title, 'megatron/core/transformer/pipeline_parallel_layer_layout.py: validate_layer_layout'),
  {
    key: 'optimizer',
    runs: '`shard = distributed` (`zero1`); `zero2`, `zero3` and `fsdp` by Megatron FSDP 1. Its FSDP 2 and the FSDP of PyTorch refuse pipelines. `over` is the number of ranks of an instance of the distributed optimizer.',
    source: 'megatron/training/arguments.py: validate_args (use_megatron_fsdp, use_torch_fsdp2)',
  },
  ...optimizerRows(title),
  clipRow(
    'clips gradients by their norm',
    'Gradients are clipped by their norm, at 1. This is the default.',
    'megatron/core/optimizer/optimizer_config.py: clip_grad',
  ),
  {
    key: 'sequence_parallel',
    runs: 'With tensor ranks, and not without. Layers with experts need it where there are tensor ranks.',
    source: 'megatron/core/transformer/moe/moe_layer.py: MoELayer.forward; model_parallel_config.py: __post_init__',
    refuses: ({ mesh, hasExperts }) =>
      hasExperts && mesh.tensor > 1 && !mesh.sequenceParallel
        ? {
            reason: `layers with experts on ${mesh.tensor} tensor ranks train under ${title} with sequence parallelism only`,
            nearest: { key: 'sequence_parallel', value: 'true' },
          }
        : undefined,
  },
  {
    key: 'context',
    runs: '`ring` (`p2p`), `all_gather` and `all_to_all` (`a2a`). Twice the context ranks divide the tokens of a sample.',
    source: 'megatron/training/arguments.py: validate_args (seq_length); --cp-comm-type',
    refuses: ({ mesh, sequence }) =>
      mesh.context > 1 && sequence !== undefined && sequence % (2 * mesh.context) !== 0
        ? {
            reason: `${title} gives each of ${mesh.context} context ranks two equal parts of a sample, and ${sequence} tokens do not divide into ${2 * mesh.context}`,
          }
        : undefined,
  },
  {
    key: 'expert',
    runs: 'Any number that divides the experts, with any `expert_tensor` that divides the tensor ranks.',
    source: 'megatron/training/arguments.py: validate_args (expert_model_parallel_size)',
  },
  {
    key: 'recompute',
    runs: '`selective`, `modules(…)`, `full`, `full(layers = k)` and `full(layers = k, method = uniform)`.',
    source: 'megatron/core/transformer/transformer_config.py: __post_init__ (recompute_granularity, recompute_method)',
    refuses: (setup) => {
      const mode = otherMode(
        setup,
        (each) => !/^(stage|operations|budget\(.*)$/.test(each) && someLayersIn(each as 'full')?.method !== 'every',
      );
      return mode === undefined
        ? undefined
        : {
            reason: `${title} recomputes \`full\` layers or \`selective\` modules of them, not \`${mode}\``,
            nearest: { key: 'recompute', value: mode === 'operations' ? 'selective' : 'full' },
          };
    },
  },
  alikeRow(title, 'megatron/core/transformer/transformer_config.py: recompute_granularity'),
  {
    key: 'offload',
    runs: '`activations(…)` of layers without pipeline ranks.',
    source: 'megatron/core/transformer/transformer_config.py: __post_init__ (cpu_offloading)',
    refuses: ({ offload, ranks }) =>
      offload && ranks > 1
        ? { reason: `${title} offloads layers without pipeline ranks only`, nearest: { key: 'offload' } }
        : undefined,
  },
  {
    key: 'overlap',
    runs: '`tensor` with sequence parallelism. `expert` without full recomputation, in bf16 or fp16, and with several stages a device where there are pipeline ranks.',
    source:
      'megatron/training/arguments.py: validate_args (tp_comm_overlap); transformer_config.py: __post_init__ (overlap_moe_expert_parallel_comm)',
    refuses: (setup) => overlapRefusal(setup, title),
  },
  {
    key: 'sync',
    runs: '`end`, `megatron`, and `overlap` in buckets.',
    source: 'megatron/core/distributed/distributed_data_parallel_config.py: overlap_grad_reduce, bucket_size',
    refuses: ({ sync }) =>
      ['end', 'megatron'].includes(sync.name) || (sync.name === 'overlap' && !sync.arguments)
        ? undefined
        : {
            reason: `${title} exchanges gradients at the \`end\` or in its buckets (\`megatron\`), not by ${sync.name === 'overlap' ? 'these arguments of `overlap`' : `\`${sync.name}\``}`,
            nearest: { key: 'sync', value: 'megatron' },
          },
  },
  ncclRow(title),
  {
    key: 'rank_order',
    runs: 'Both: `tp_cp_dp_pp`, and `tp_cp_pp_dp` by `--use-tp-pp-dp-mapping`.',
    source: 'megatron/core/parallel_state.py: initialize_model_parallel (order)',
  },
  {
    key: 'transfer',
    runs: '`buffered`, with one message ahead, and `rendezvous`. With several stages a rank, `rendezvous` needs three pipeline ranks or more.',
    source:
      'megatron/core/pipeline_parallel/p2p_communication.py; megatron/training/arguments.py: validate_args (overlap_p2p_comm)',
    refusesAsWritten: ({ blocks, ranks, chunks }) =>
      blocks && chunks > 1 && ranks === 2
        ? {
            reason: `${title} interleaves stages of two pipeline ranks only if messages overlap with compute`,
            nearest: { key: 'transfer', value: 'buffered' },
          }
        : undefined,
    refuses: ({ receivesAll }) =>
      receivesAll
        ? {
            reason: `${title} receives one message ahead, and has no buffers for every microbatch`,
            nearest: { key: 'transfer', value: 'buffered' },
          }
        : undefined,
  },
  ...modelRows(title),
  {
    key: 'model',
    runs: 'fp32, fp16, bf16, fp8 and fp4 (NVFP4).',
    source: 'megatron/training/arguments.py: validate_args (fp16, bf16, fp8, fp4)',
  },
];

/** What the policy takes and Megatron does not: groups are at least as long as the pipeline. The policy has its other rules. */
function wrongGroup(plan: OrderPlan, title: string): Refusal | undefined {
  const { schedule, devices, microbatches } = plan;
  if (schedule.name !== 'interleaved_1f1b' || chunksOf(plan) < 2) return undefined;
  const ranks = devices.length;
  if (ranks < 2)
    return {
      reason: `${title} interleaves stages of two or more pipeline ranks`,
      nearest: { key: 'schedule', value: '1f1b' },
    };
  if (microbatches >= ranks) return undefined;
  return {
    reason: `${title} interleaves groups of ${ranks} microbatches or more, as many as pipeline ranks, and there are ${microbatches}`,
    nearest: { key: 'microbatches', value: String(ranks) },
  };
}

const overlapsExperts = ({ overlap, mesh, ranks, chunks }: Setup): boolean =>
  overlap.expert > 0 && mesh.expert > 1 && ranks > 1 && chunks > 1;

/** `schedules.py: get_pp_rank_microbatches`: one more where exchanges of experts overlap, and none elsewhere. */
function wrongWarmup(setup: Setup, title: string): Refusal | undefined {
  const { extraWarmup } = setup;
  const runs = overlapsExperts(setup) ? overlapWarmup : 0;
  if (extraWarmup === undefined || extraWarmup.forwards === runs) return undefined;
  // Stages of one rank are refused as that, and not for a warm-up that the file does not ask for.
  if (runs === 0 && !extraWarmup.written) return undefined;
  return {
    reason:
      runs > 0
        ? `${title} runs one more forward before the first backward where exchanges of experts overlap, and keeps its activations`
        : `${title} runs further forwards before the first backward only where exchanges of experts overlap`,
    nearest: { key: 'schedule', argument: 'extra_warmup', value: String(runs) },
  };
}

function overlapRefusal(setup: Setup, title: string): Refusal | undefined {
  const { overlap, mesh, ranks, chunks, recompute, precision } = setup;
  if (overlap.tensor > 0 && mesh.tensor > 1 && !mesh.sequenceParallel)
    return {
      reason: `${title} overlaps the communication of tensor ranks under sequence parallelism only`,
      nearest: { key: 'sequence_parallel', value: 'true' },
    };
  if (overlap.expert === 0 || mesh.expert === 1) return undefined;
  if (recompute.some((mode) => mode.startsWith('full')))
    return { reason: `${title} overlaps the exchanges of experts without full recomputation only` };
  if (precision !== 'bf16' && precision !== 'fp16' && precision !== 'fp8' && precision !== 'fp4')
    return { reason: `${title} overlaps the exchanges of experts in bf16 or fp16 only` };
  if (ranks > 1 && chunks < 2)
    return { reason: `${title} overlaps the exchanges of experts with several stages on each device only` };
  return undefined;
}

export const megatron: Engine = {
  name: 'megatron',
  title: 'Megatron',
  doc: 'Megatron-LM with Megatron Core.',
  read: 'NVIDIA/Megatron-LM d98e8a64 (Megatron Core 0.20)',
  schedules: megatronSchedules,
  shards: [{ shard: 'distributed' }],
  sync: 'megatron',
  loss: 'usual',
  keepsGathered: false,
  overlapWarmup,
  copiesAlone: false,
  rows: [
    ...megatronRows('Megatron'),
    allTrainRow('Megatron', 'pretrain_gpt.py, gpt_builders.py: gpt_builder; megatron/training/arguments.py'),
    lossRow('Megatron', {
      runs: '`loss = parallel`, its default; `--cross-entropy-loss-fusion` keeps the same bytes. Its arguments refuse the loss of Transformer Engine (`fused`) as not stable.',
      source: 'megatron/training/arguments.py: validate_args (cross_entropy_fusion_impl)',
      losses: /^parallel$/,
      nearest: 'parallel',
    }),
  ],
};

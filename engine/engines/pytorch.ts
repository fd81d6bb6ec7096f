import { findPolicy } from '../policies/registry.ts';
import type { Engine, OrderPlan, Refusal } from './engine.ts';
import { nearestOrder, outsideTables, recomputesAhead, withoutFlush } from './orders.ts';
import { gatheredRefusal, ncclRow } from './shared.ts';
import { ownAdaptersRow } from './partTraining.ts';

const title = 'PyTorch';

/** Why no schedule table of PyTorch is this order. */
export const tableRefusal = (plan: OrderPlan): Refusal | undefined => outsideTables(plan) ?? withoutFlush(plan);

/** Operations for which a table has no action. Exports leave them out and say so. */
function withoutAction(plan: OrderPlan): Refusal | undefined {
  const { schedule } = plan;
  const evicts =
    schedule.kind === 'policy'
      ? findPolicy(schedule.name)?.partners !== undefined
      : schedule.kind === 'greedy' && schedule.rule?.keeper !== undefined;
  if (!evicts) return undefined;
  return {
    reason: `the schedule "${schedule.name}" moves activations to other devices, and a PyTorch table has no action for it`,
    nearest: nearestOrder(plan),
  };
}

/** Why PyTorch does not run an order as it is. */
export const pytorchOrder = (plan: OrderPlan): Refusal | undefined =>
  tableRefusal(plan) ?? recomputesAhead(plan, title) ?? withoutAction(plan);

export const pytorch: Engine = {
  name: 'pytorch',
  title,
  doc: '`torch.distributed.pipelining`, with the rest of the training by the user.',
  read: 'pytorch/pytorch 00722e64, and release 2.14.1',
  sync: 'overlap',
  loss: 'eager',
  rows: [
    {
      key: 'schedule',
      runs: 'By name `GPipe`, `1F1B` (m ≥ p), `Interleaved1F1B` and `InterleavedZeroBubble` (m divides into max(1, ⌊m/p⌋) rounds), `LoopedBFS`, `ZBVZeroBubble` (two stages a rank) and `DualPipeV` (two stages a rank, m ≥ 2p). Any other order as a table, with split backwards: no copies of stages, no segments of a sequence, and one update after a flush.',
      source: 'torch/distributed/pipelining/schedules.py: get_schedule_class, _PipelineScheduleRuntime',
      refusesOrder: pytorchOrder,
    },
    {
      key: 'stages',
      runs: 'Any stage on any rank; modules, ranks of a stage and sharding are the user’s.',
      source: 'torch/distributed/pipelining/stage.py: PipelineStage',
    },
    {
      key: 'recompute',
      runs: 'Whole layers, all layers of a stage, and chosen operations. Not `modules(…)`: a checkpoint keeps the output of its module, and Megatron-LM’s kernels do not.',
      source: 'torch/utils/checkpoint.py: checkpoint, create_selective_checkpoint_contexts',
      refuses: ({ recompute }) => {
        const mode = recompute.find((each) => each.startsWith('modules('));
        return mode === undefined
          ? undefined
          : {
              reason: `\`${mode}\` frees what kernels of Megatron-LM do not keep, and a checkpoint of ${title} keeps the output of its module`,
              nearest: { key: 'recompute', value: 'operations' },
            };
      },
    },
    {
      key: 'transfer',
      runs: 'Sends and receives in batches, with receive buffers for every microbatch.',
      source: 'torch/distributed/pipelining/stage.py: _prepare_forward_infra',
      usually: ({ writes, ranks }) =>
        ranks > 1 && !writes('transfer')
          ? {
              does: 'has receive buffers for every microbatch',
              write: { key: 'transfer', value: 'buffered(receive = all)' },
            }
          : undefined,
    },
    {
      key: 'optimizer',
      runs: 'Any `shard`. With pipeline ranks, gathered weights and whole gradients stay (`reshard = false`).',
      source: 'torch/distributed/pipelining/stage.py: backward_maybe_with_nosync',
      refuses: (setup) => gatheredRefusal(setup, title),
    },
    {
      key: 'model',
      runs: 'The loss is the user’s. A head that leaves it open has PyTorch’s, step by step (`eager`).',
      source:
        'torch/distributed/pipelining/schedules.py: _PipelineSchedule (loss_fn); torch/nn/functional.py: cross_entropy',
    },
    ownAdaptersRow(title, 'torch/distributed/pipelining/_backward.py: stage_backward (requires_grad)'),
    ncclRow(title),
  ],
};

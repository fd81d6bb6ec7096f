import type { Engine, Setup } from './engine.ts';
import { lossRow } from './shared.ts';
import { bridgeAdaptersRow } from './partTraining.ts';
import { megatronRows, megatronSchedules, overlapWarmup } from './megatron.ts';

const title = 'Megatron Bridge';

const shares = ({ mesh, optimizer }: Setup): boolean => optimizer !== undefined && mesh.data * mesh.context > 1;

/** Megatron Core under recipes of NeMo: what it runs is the same, and recipes leave less open. */
export const megatronBridge: Engine = {
  name: 'megatron_bridge',
  title,
  doc: 'Megatron Bridge, the recipes of NeMo over Megatron Core.',
  read: 'NVIDIA-NeMo/Megatron-Bridge 067f987d (0.7)',
  schedules: megatronSchedules,
  shards: [{ shard: 'distributed' }],
  sync: 'megatron',
  loss: 'usual',
  keepsGathered: false,
  overlapWarmup,
  copiesAlone: false,
  rows: [
    ...megatronRows(title),
    bridgeAdaptersRow(title),
    lossRow(title, {
      runs: '`loss = parallel`, its default; `fused` by `cross_entropy_fusion_impl = te`.',
      source: 'src/megatron/bridge/models/gpt_provider.py: cross_entropy_loss_fusion, cross_entropy_fusion_impl',
      losses: /^(?:parallel|fused)$/,
      nearest: 'parallel',
    }),
    {
      key: 'optimizer',
      runs: 'Recipes use the distributed optimizer.',
      source: 'src/megatron/bridge/recipes/common.py: use_distributed_optimizer',
      usually: (setup) =>
        shares(setup) && setup.optimizer?.writes('shard') === false
          ? {
              does: 'distributes the state of the optimizer over data ranks',
              write: { key: 'optimizer', argument: 'shard', value: 'distributed' },
            }
          : undefined,
    },
    {
      key: 'sync',
      runs: 'With the distributed optimizer on two or more data ranks, gradients are exchanged during the last backwards.',
      source: 'src/megatron/bridge/training/comm_overlap.py: _get_optimizer_overlap_cfgs',
      usually: (setup) =>
        shares(setup) && setup.mesh.data > 1 && !setup.writes('sync') && setup.optimizer?.shard !== 'none'
          ? {
              does: 'exchanges gradients during the last backwards',
              write: { key: 'sync', value: 'megatron' },
            }
          : undefined,
    },
  ],
};

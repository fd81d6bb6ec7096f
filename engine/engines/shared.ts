/** Rows that engines share. */
import { shardsWeights } from '../costs/optimizer.ts';
import type { Refusal, Row, Setup } from './engine.ts';

/** How NCCL reduces: engines call it, and have no other collectives. */
const ncclCollectives = ['ring', 'tree', 'nccl', 'table'];

export const ncclRow = (title: string): Row => ({
  key: 'collective',
  runs: 'What NCCL has: `ring`, `tree`, `nccl`, and measured ones by `table`.',
  source: 'torch.distributed, ProcessGroupNCCL',
  refuses: ({ collective }) =>
    collective === undefined || ncclCollectives.includes(collective)
      ? undefined
      : {
          reason: `${title} exchanges gradients through NCCL, which has no \`${collective}\``,
          nearest: { key: 'collective', value: 'nccl' },
        },
});

/** Engines whose ranks are one mesh. */
export const oneMeshRow = (title: string, source: string): Row => ({
  key: 'stages',
  runs: 'Any number of layers a stage. All stages have the same ranks.',
  source,
  refuses: ({ unlike }) =>
    unlike ? { reason: `stages have different ranks or replicas, and ${title} gives every stage the same` } : undefined,
});

export const clipRow = (does: string, runs: string, source: string): Row => ({
  key: 'optimizer',
  runs,
  source,
  usually: ({ optimizer }) =>
    optimizer === undefined || optimizer.writes('clip')
      ? undefined
      : { does, write: { key: 'optimizer', argument: 'clip', value: 'true' } },
});

/** The modes that are not among `allowed`, as they are written. */
export const otherMode = ({ recompute }: Setup, allowed: (mode: string) => boolean): string | undefined =>
  recompute.find((mode) => !allowed(mode));

/** Each backward of a PyTorch pipeline runs without giving up gathered weights, and without scattering gradients. */
export const gatheredRefusal = ({ optimizer, ranks, mesh }: Setup, title: string): Refusal | undefined =>
  optimizer !== undefined &&
  shardsWeights(optimizer.shard) &&
  optimizer.reshard &&
  ranks > 1 &&
  mesh.data * mesh.context > 1
    ? {
        reason: `pipelines of ${title} keep gathered weights and whole gradients up to the last backward`,
        nearest: { key: 'optimizer', argument: 'reshard', value: 'false' },
      }
    : undefined;

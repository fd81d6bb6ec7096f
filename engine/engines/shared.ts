/** Rows that engines share. */
import { list } from '../basics/quantities.ts';
import { shardsWeights } from '../costs/optimizer.ts';
import type { OrderPlan, Refusal, Row, Setup } from './engine.ts';

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

/** How an engine computes the loss: `losses` are the ways that it has, `nearest` the one for a head that asks for another. */
export const lossRow = (
  title: string,
  has: { readonly runs: string; readonly source: string; readonly losses: RegExp; readonly nearest: string },
  does?: string,
): Row => ({
  key: 'model',
  runs: has.runs,
  source: has.source,
  refuses: ({ losses }) => {
    const other = losses.find((loss) => loss !== undefined && !has.losses.test(loss));
    return other === undefined
      ? undefined
      : {
          reason: `${title} computes no loss as \`${other}\``,
          nearest: { block: 'model', key: 'loss', value: has.nearest },
        };
  },
  ...(does === undefined
    ? {}
    : {
        usually: ({ losses }) =>
          losses.includes(undefined) ? { does, write: { block: 'model', key: 'loss', value: has.nearest } } : undefined,
      }),
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

/** What an optimizer keeps is said by its recipe. `has` gives those that the engine has, the usual one first. */
export const recipeRow = (
  title: string,
  {
    has,
    ...row
  }: { readonly runs: string; readonly source: string; readonly has: (setup: Setup) => readonly string[] },
): Row => ({
  key: 'optimizer',
  ...row,
  refusesAsWritten: (setup) => {
    const { optimizer, precision, ranks } = setup;
    // Without a recipe, or with bytes of its own, a file names no optimizer.
    if (optimizer === undefined || optimizer.recipe === 'none' || optimizer.recipe === 'custom') return undefined;
    const names = has(setup);
    if (names.includes(optimizer.recipe)) return undefined;
    return {
      reason: `${title} is not known to keep an optimizer as \`${optimizer.recipe}\` does, in ${precision} ${ranks > 1 ? 'with' : 'without'} pipeline ranks`,
      nearest: { key: 'optimizer', value: optimizer.shared === '' ? names[0] : `${names[0]}(${optimizer.shared})` },
    };
  },
});

/** Stages that recompute differently: engines have one setting for all of them. */
export const alikeRow = (title: string, source: string): Row => ({
  key: 'recompute',
  runs: 'The same in all stages.',
  source,
  refusesAsWritten: ({ recompute }) =>
    recompute.length < 2
      ? undefined
      : {
          reason: `${title} recomputes every stage alike, and stages here have ${list(recompute.map((mode) => `\`recompute = ${mode}\``))}`,
        },
});

/** Without pipeline ranks, microbatches are steps of accumulation: each has its backward before the next forward. */
export function unlikeAccumulation(plan: OrderPlan, title: string): Refusal | undefined {
  const { schedule, devices, stages, microbatches } = plan;
  if (devices.length > 1) return undefined;
  if (stages.length > 1)
    return {
      reason: `${title} has several stages on two or more pipeline ranks, and here is one`,
      nearest: { key: 'stages', value: 'balance(1)' },
    };
  const isAlternating = schedule.kind === 'policy' && schedule.name === '1f1b' && schedule.args['warmup'] === undefined;
  return microbatches === 1 || isAlternating
    ? undefined
    : {
        reason: `without pipeline ranks ${title} runs the backward of each microbatch before the next forward, as \`1f1b\` does, and not "${schedule.name}"`,
        nearest: { key: 'schedule', value: '1f1b' },
      };
}

/** The modes that are not among `allowed`, as they are written. */
export const otherMode = ({ recompute }: Setup, allowed: (mode: string) => boolean): string | undefined =>
  recompute.find((mode) => !allowed(mode));

/** Weights that stay on a few neighbours between passes. */
export const partsRefusal = ({ optimizer }: Setup, title: string): Refusal | undefined =>
  optimizer?.reshardTo === undefined || !shardsWeights(optimizer.shard)
    ? undefined
    : {
        reason: `${title} gives up gathered weights after each pass of a layer, or keeps them whole`,
        nearest: { key: 'optimizer', argument: 'reshard', value: 'true' },
      };

/** Gradients that are whole for longer than one backward. */
export const scatterRefusal = ({ optimizer, mesh }: Setup, title: string): Refusal | undefined =>
  optimizer?.syncsLast === true && mesh.data * mesh.context > 1
    ? {
        reason: `${title} scatters gradients after each backward`,
        nearest: { key: 'optimizer', argument: 'gradient_sync', value: 'scatter' },
      }
    : undefined;

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

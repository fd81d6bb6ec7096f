/** How long an optimizer that orthogonalises matrices works on them, and gathers them, on each rank. */
import { collectiveTime } from '../../costs/collectives.ts';
import { newtonSchulzTime } from '../../costs/optimizer/newtonSchulz.ts';
import { shardRanks, shardsState } from '../../costs/optimizer.ts';
import { findShape } from '../../costs/shapes.ts';
import type { WeightMatrix } from '../../costs/weightMatrix.ts';
import type { DeviceSpeed } from '../../costs/types.ts';
import { speedAt } from '../../definitions/device.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Holders } from '../exchange/holders.ts';
import type { Site, SitedRanks } from '../place/sites.ts';
import { trainedOf } from './trained.ts';

/** Bytes of an element of a momentum, in fp32, as tensor ranks gather it (Emerging-Optimizers, `newton_schulz_tp`). */
const momentum = 4;

/** By stage of the plan, the matrices of its layers that train, whole; empty if no update orthogonalises them, or the file times it. */
export function orthogonalMatrices(
  { model, optimizer }: Pick<SettledPipeline, 'model' | 'optimizer'>,
  elements: readonly (readonly number[])[],
  stages: readonly { readonly stage: number }[],
): readonly (readonly WeightMatrix[])[] {
  if (optimizer?.recipe.newtonSchulz === undefined || optimizer.step !== undefined) return [];
  const trained = trainedOf(model);
  const of = (element: number): readonly WeightMatrix[] => {
    const { cost } = model.layers[model.layerOf[element]];
    if (cost.kind === 'measured' || (trained.of(element)?.trains ?? 'all') !== 'all') return [];
    return findShape(cost.shape)?.matrices?.(cost.args) ?? [];
  };
  return stages.map(({ stage }) => elements[stage].flatMap(of));
}

/** Matrices that a device has a part of: `dense` ones, and of its experts. */
export interface HeldMatrices {
  readonly dense: readonly WeightMatrix[];
  readonly experts: readonly WeightMatrix[];
}

/** Matrices of a rank's stages, by stage of the plan. */
export function heldMatrices(
  { held }: Pick<Holders, 'held'>,
  byStage: readonly (readonly WeightMatrix[])[],
  { mesh }: Pick<Site, 'mesh'>,
): HeldMatrices {
  const all = held.flatMap(({ on }) => byStage[[...on.values()][0]] ?? []);
  return {
    dense: all.filter(({ ofExperts }) => ofExperts !== true),
    experts: all
      .filter(({ ofExperts }) => ofExperts === true)
      .map((one) => ({ ...one, count: one.count / mesh.expert })),
  };
}

/** Parameters of matrices on one device. */
export function matrixParameters(matrices: readonly WeightMatrix[], ranks: number): number {
  return matrices.reduce(
    (sum, { rows, columns, count, unsplit }) => sum + (count * rows * columns) / (unsplit === true ? 1 : ranks),
    0,
  );
}

/**
 * Seconds by rank. Tensor ranks gather the momentum of a matrix, and each orthogonalises all of it (Megatron-LM, `--muon-tp-mode
 * duplicated`). Ranks that split the state have whole matrices each (`LayerWiseDistributedOptimizer`; torchtitan, `DistMuon`, `Owned`), so
 * that they take a share of the time, but none less than one matrix takes.
 */
export function orthogonalTimes(
  { optimizer, ranks }: Pick<SettledPipeline, 'optimizer'> & { readonly ranks: SitedRanks },
  groups: readonly Holders[],
  byStage: readonly (readonly WeightMatrix[])[],
): Float64Array {
  const seconds = new Float64Array(ranks.ranks.length);
  const steps = optimizer?.recipe.newtonSchulz;
  if (optimizer === undefined || steps === undefined) return seconds;
  for (const group of groups) {
    for (const member of group.members) {
      const { kind } = ranks.ranks[member];
      const device = speedIn16Bits(kind);
      if (device === undefined) continue;
      const held = heldMatrices(group, byStage, kind);
      for (const [matrices, alike, split] of [
        [held.dense, kind.ranks, kind.mesh.tensor],
        [held.experts, kind.expertRanks, kind.mesh.expertTensor],
      ] as const) {
        const each = matrices.map((one) => newtonSchulzTime(one, steps, device) + gatherTime(one, split, kind));
        const all = each.reduce((sum, time, index) => sum + time * matrices[index].count, 0);
        const over = shardsState(optimizer.shard) ? shardRanks(alike, optimizer.over) : 1;
        seconds[member] += Math.max(all / over, ...each, 0);
      }
    }
  }
  return seconds;
}

const gatherTime = ({ rows, columns, unsplit }: WeightMatrix, ranks: number, { rings }: Site): number =>
  unsplit === true
    ? 0
    : collectiveTime({ pattern: 'all_gather', bytes: momentum * rows * columns }, ranks, rings.tensor);

/** Absent where the device has no rate. */
function speedIn16Bits(site: Site): DeviceSpeed | undefined {
  const { bandwidth, memoryEfficiency, launch, memoryOverlap, speed, rings, overlap } = site;
  const { compute, ...rest } = speedAt(site, 'bf16');
  if (compute === undefined || compute === 0) return undefined;
  const scale = speed > 0 ? speed : 1;
  return {
    compute: compute * scale,
    ...rest,
    bandwidth,
    memoryEfficiency,
    launch,
    memoryOverlap,
    speed,
    rings,
    overlap,
  };
}

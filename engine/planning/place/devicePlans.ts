import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { EngineOptions } from '../../host.ts';
import type { Precision } from '../../costs/types.ts';
import { type DeviceDefinition, speedAt } from '../../definitions/device.ts';
import { type Mesh, sameRanks } from '../../mesh.ts';
import type { DevicePlan, MeshPlan } from '../../plan.ts';
import { communicatorsOf, reservedOf } from '../cost/reserved.ts';
import type { SitedRanks } from './sites.ts';

/** One for each pipeline rank. Peaks only where all layers are derived, so that their FLOPs are known. */
export function devicePlans(
  { model, cluster, mesh }: SettledPipeline,
  ranks: SitedRanks,
  memory: EngineOptions['memory'],
): readonly DevicePlan[] {
  const derived = model.layers.every((layer) => layer.cost.kind === 'shape');
  return ranks.ranks.map(({ devices, kind, mesh: rankMesh }, index) => ({
    name: cluster.devices[devices[0]].name,
    kind: kind.name,
    ...(devices.length > 1 ? { members: devices.length } : {}),
    ...(sameRanks(rankMesh, mesh) ? {} : { mesh: ranksIn(rankMesh) }),
    ...(derived ? { compute: peakOf(kind, model.precision) } : {}),
    memory: kind.memory,
    ...(kind.host === undefined ? {} : { host: kind.host }),
    ...reservedOf(kind, communicatorsOf(ranks, index), memory),
  }));
}

/**
 * FLOP/s that MFU is a share of. A slowed device is measured by its data sheet; a device that is faster than its figures say has a
 * higher peak, so MFU never exceeds 1.
 */
function peakOf(kind: DeviceDefinition, precision: Precision): number | undefined {
  const { compute } = speedAt(kind, precision);
  return compute === undefined ? undefined : compute * Math.max(1, kind.speed);
}

/** The ranks of a mesh that a plan names. */
export const ranksIn = ({ tensor, context, data, expert }: Mesh): MeshPlan => ({ tensor, context, data, expert });

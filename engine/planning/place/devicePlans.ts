import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { EngineOptions } from '../../host.ts';
import { speedAt } from '../../definitions/device.ts';
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
    ...(derived ? { compute: speedAt(kind, model.precision).compute } : {}),
    memory: kind.memory,
    ...reservedOf(kind, communicatorsOf(ranks, index), memory),
  }));
}

/** The ranks of a mesh that a plan names. */
export const ranksIn = ({ tensor, context, data, expert }: Mesh): MeshPlan => ({ tensor, context, data, expert });

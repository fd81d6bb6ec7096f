import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { EngineOptions } from '../../basics/host.ts';
import type { Precision } from '../../costs/types.ts';
import { type DeviceDefinition, speedAt } from '../../definitions/device.ts';
import { workspaceBytes } from '../../costs/framework.ts';
import { type Mesh, sameRanks } from '../../costs/mesh.ts';
import type { DevicePlan, MeshPlan, PipelinePlan } from '../../values/plan.ts';
import { communicatorsOf, reservedOf } from '../cost/reserved.ts';
import { hostPlans } from './hosts.ts';
import type { SitedRank, SitedRanks } from './sites.ts';

/** One for each pipeline rank. Peaks only where all layers are derived, so that their FLOPs are known. */
export function devicePlans(
  pipeline: SettledPipeline,
  ranks: SitedRanks,
  memory: EngineOptions['memory'],
): Pick<PipelinePlan, 'devices' | 'hosts'> {
  const { model, cluster, mesh } = pipeline;
  const derived = model.layers.every((layer) => layer.cost.kind === 'shape');
  const { hosts, on } = hostPlans(cluster, ranks.ranks);
  const devicePlan = ({ devices, kind, mesh: rankMesh }: SitedRank, index: number): DevicePlan => ({
    name: cluster.devices[devices[0]].name,
    kind: kind.name,
    ...(devices.length > 1 ? { members: devices.length } : {}),
    ...(sameRanks(rankMesh, mesh) ? {} : { mesh: ranksIn(rankMesh) }),
    ...(derived ? { compute: peakOf(kind, model.precision) } : {}),
    memory: kind.memory,
    ...(kind.host === undefined ? {} : { host: kind.host }),
    ...(on[index] === undefined ? {} : { on: on[index] }),
    ...reservedOf(kind, communicatorsOf(ranks, index), memory),
    ...(kind.reserved !== 'framework' || kind.family === undefined
      ? {}
      : { workspaces: Math.min(memory.context, workspaceBytes(kind.family, isMegatron(pipeline))) }),
  });
  return { devices: ranks.ranks.map(devicePlan), ...(hosts.length > 0 ? { hosts } : {}) };
}

/** Whether Megatron-LM trains it, whose layers are Transformer Engine's. */
const isMegatron = ({ engine, optimizer }: SettledPipeline): boolean =>
  (engine ?? optimizer?.recipe.engine ?? '').startsWith('megatron');

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

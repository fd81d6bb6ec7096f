/** The number of stages of `balance` without one: what the schedule puts on the devices of the cluster. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import { type Mesh, sizeOf } from '../costs/mesh.ts';
import type { ReadContext } from './context.ts';

export interface StagePlaces {
  readonly use: ScheduleUse;
  readonly cluster: ClusterDefinition;
  readonly mesh: Mesh;
}

/** Pipeline ranks that the devices make, and stages of each; `undefined` where the schedule is wrong for them (reported). */
export function stageCount(
  context: ReadContext,
  { use, cluster, mesh }: StagePlaces,
): { readonly ranks: number; readonly stages: number } | undefined {
  // One rank too large for the cluster is reported where devices are placed.
  const ranks = Math.max(1, Math.floor(cluster.devices.length / sizeOf(mesh)));
  if (use.kind === 'policy') return { ranks, stages: ranks * use.policy.chunks(use.args) };
  const { on, placement } = use.definition;
  if (on !== undefined) {
    const stages = on.stages(ranks, context.report);
    return stages === undefined ? undefined : { ranks, stages };
  }
  if (placement === undefined) return { ranks, stages: ranks };
  const { rule, chunks } = placement;
  if (typeof rule === 'string') return { ranks, stages: ranks * chunks };
  return { ranks: rule.length, stages: rule.reduce((sum, stages) => sum + stages.length, 0) };
}

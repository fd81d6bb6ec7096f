/** The number of stages of `balance` without one: what the schedule puts on the devices of the cluster. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import { type Mesh, sizeOf } from '../costs/mesh.ts';
import type { Span } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';

export interface StagePlaces {
  readonly use: ScheduleUse;
  readonly cluster: ClusterDefinition;
  readonly mesh: Mesh;
}

/**
 * Pipeline ranks that the devices make, and stages of each; `undefined` where the schedule is wrong for them, or refuses them
 * (reported, the latter at `at`).
 */
export function stageCount(
  { report }: ReadContext,
  at: Span,
  { use, cluster, mesh }: StagePlaces,
): { readonly ranks: number; readonly stages: number } | undefined {
  // One rank too large for the cluster is reported where devices are placed.
  const ranks = Math.max(1, Math.floor(cluster.devices.length / sizeOf(mesh)));
  if (use.kind === 'policy') return { ranks, stages: ranks * use.policy.chunks(use.args) };
  const { on, placement, name } = use.definition;
  if (on !== undefined) {
    const stages = on.stages(ranks, report);
    if (typeof stages === 'number') return { ranks, stages };
    if (stages === undefined) return undefined;
    const { problem, place } = stages;
    const related = [{ place, message: 'The condition.' }];
    report.report('schedule/shape', at, { policy: name, problem, ...stages.nearest() }, { related });
    return undefined;
  }
  if (placement === undefined) return { ranks, stages: ranks };
  const { rule, chunks } = placement;
  if (typeof rule === 'string') return { ranks, stages: ranks * chunks };
  return { ranks: rule.length, stages: rule.reduce((sum, stages) => sum + stages.length, 0) };
}

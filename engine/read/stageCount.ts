/** The number of stages of `balance` without one: what the schedule puts on the devices of the cluster. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import { type Mesh, sizeOf } from '../costs/mesh.ts';
import type { Span } from '../../grammar/syntax.ts';
import { takeFindings } from '../findings/takeFindings.ts';
import type { ReadContext } from './context.ts';
import { scheduleEvaluator } from './scheduleEvaluator.ts';

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
  const { definition } = use;
  const { name, placement } = definition;
  const { value, findings } = scheduleEvaluator.stages(definition, ranks);
  takeFindings(report, at, findings, 'the devices of the pipeline');
  if (value === undefined) return undefined;
  if (typeof value === 'number')
    return { ranks: typeof placement?.rule === 'object' ? placement.rule.length : ranks, stages: value };
  const { problem, place, numbers } = value;
  const nearest = scheduleEvaluator.nearest(definition, numbers);
  const related = [{ place, message: 'The condition.' }];
  report.report('schedule/shape', at, { policy: name, problem, ...nearest }, { related });
  return undefined;
}

import { groupNames } from '../../costs/types.ts';
import type { GroupSpan, PipelinePlan } from '../../values/plan.ts';
import type { PlacedPipeline } from './placePipeline.ts';
import { groupsOf } from './rankGroups.ts';

/** Of each kind of ranks the group that is in most nodes, if that is more than one. */
export function spansOf({ pipeline: { cluster }, ranks }: PlacedPipeline): Pick<PipelinePlan, 'spans'> {
  const spans: Partial<Record<(typeof groupNames)[number], GroupSpan>> = {};
  for (const name of groupNames)
    for (const { devices, mesh } of ranks.ranks) {
      if (mesh[name] === 1) continue;
      for (const group of groupsOf(devices, mesh, name)) {
        const nodes = new Set(group.map((device) => cluster.devices[device].group)).size;
        if (nodes > (spans[name]?.nodes ?? 1)) spans[name] = { ranks: group.length, nodes };
      }
    }
  return Object.keys(spans).length === 0 ? {} : { spans };
}

/** Links through which several stages exchange their gradients. */
import { type MovedBytes, shardsGradients, shardsState } from '../../costs/optimizer.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { SharedLinkPlan } from '../../values/exchangePlan.ts';
import { sharedLinks } from '../../network/index.ts';
import { dataGroups, expertDataGroups, joinedGroups } from '../place/rankGroups.ts';
import type { SitedRanks } from '../place/sites.ts';
import type { Holders } from './holders.ts';

/** Empty for servers, which send other bytes, and for gradients in parts, which are scattered after each backward. */
export function linksOfStages(
  { cluster, optimizer, exchange }: Pick<SettledPipeline, 'cluster' | 'optimizer' | 'exchange'>,
  { ranks }: SitedRanks,
  holders: readonly Holders[],
  per: MovedBytes,
): readonly SharedLinkPlan[] {
  const shard = optimizer?.shard ?? 'none';
  const collective = exchange?.collective?.name ?? exchange?.sync?.preset.collective;
  if (holders.length < 2 || shardsGradients(shard) || collective === 'ps' || collective === 'hybrid') return [];
  // Updated weights may be gathered later, so only their gradients are counted.
  const times = shardsState(shard) ? 1 : 2;
  const parts = holders.flatMap((holder, index) => {
    const members = holder.members.map((member) => ranks[member]);
    const bytesOf = (parameters: number): number => times * parameters * per.gradient;
    const reductions = [{ index, groups: joinedGroups(members, dataGroups).groups, bytes: bytesOf(holder.dense) }];
    if (holder.experts > 0) {
      const { groups } = joinedGroups(members, expertDataGroups);
      reductions.push({ index, groups, bytes: bytesOf(holder.experts) });
    }
    return reductions;
  });
  return sharedLinks(cluster, parts).flatMap(({ link, bandwidth, bytes }) => {
    const users = holders.flatMap(({ members, held }, index) => {
      const sent = parts.reduce((sum, part, at) => sum + (part.index === index ? bytes[at] : 0), 0);
      const stages = held.flatMap(({ on }) => [...on.values()].slice(0, 1));
      return sent > 0 ? [{ devices: members, stages, bytes: sent }] : [];
    });
    return users.length > 1 ? [{ link, bandwidth, users }] : [];
  });
}

import type { ClusterDefinition } from '../../../engine/definitions/cluster.ts';
import { allToAllRing } from '../../../engine/network/collectives/allToAll.ts';
import type { Groups, UnreachableRank } from '../../../engine/network/collectives/rings.ts';

/** Seconds of an all-to-all of groups of one size n: (n − 1)·α + (n − 1) / n · S / B of its ring. */
export function allToAllAtOnce(
  cluster: ClusterDefinition,
  groups: Groups,
  bytesPerRank: number,
): number | UnreachableRank {
  const ring = allToAllRing(cluster, groups, bytesPerRank);
  if ('from' in ring) return ring;
  const steps = groups.reduce((most, group) => Math.max(most, group.length), 1) - 1;
  const moving = ring.bandwidth === 0 ? 0 : ((steps / (steps + 1)) * bytesPerRank) / ring.bandwidth;
  return steps * ring.latency + moving;
}

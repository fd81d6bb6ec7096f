import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { collectiveTime } from '../../costs/collectives.ts';
import type { Ring } from '../../costs/types.ts';
import {
  allToAllRing,
  levelRing,
  levelsOf,
  ringsAtOnce,
  type NodeLimit,
  type UnreachableRank,
} from '../../network/index.ts';
import type { Rank } from './ranks.ts';
import { figuresOfGroups } from './ofGroups.ts';
import type { Groups } from './rankGroups.ts';

/** Bytes for which routes are chosen: the size of a large tensor. */
const typical = 64 * 1024 ** 2;

/** `byLevel`: rings inside nodes and between them take as long as this one. */
export type GroupRing = Ring & { readonly byLevel?: true };

/**
 * The ring of the slowest of the ranks, with all groups of one rank at work at once; for an all-to-all, the ring that takes as
 * long. Groups may have several devices in each of several nodes. Then it is the faster of one ring through all of them, and of
 * rings inside nodes and between them, as libraries choose. `limit` is for all-to-alls. `undefined` if two devices of a group have no route (reported).
 */
export function groupRing(
  notes: Notes,
  { cluster, at }: Pick<SettledPipeline, 'cluster' | 'at'>,
  pattern: 'ring' | 'all_to_all',
  ranks: readonly Pick<Rank, 'devices' | 'mesh' | 'at'>[],
  groupsIn: (rank: Pick<Rank, 'devices' | 'mesh'>) => Groups,
  limit?: NodeLimit,
): GroupRing | undefined {
  let bandwidth = Infinity;
  let latency = 0;
  let sent: number | undefined;
  let byLevel = false;
  for (const rank of ranks) {
    const groups = groupsIn(rank);
    const ring =
      pattern === 'ring'
        ? fasterRing(cluster, groups)
        : rings(cluster, groups, `all to all ${JSON.stringify(limit ?? '')}`, () =>
            allToAllRing(cluster, groups, typical, limit),
          );
    if ('from' in ring) {
      notes.report.report('device/unknown-route', rank.at ?? at('devices'), {
        from: cluster.devices[ring.from].name,
        to: cluster.devices[ring.to].name,
      });
      return undefined;
    }
    if (ring.bandwidth > 0) bandwidth = Math.min(bandwidth, ring.bandwidth);
    latency = Math.max(latency, ring.latency);
    if ('byLevel' in ring) byLevel = true;
    if (ring.sent !== undefined) sent = Math.max(sent ?? 0, ring.sent);
  }
  return {
    bandwidth: bandwidth === Infinity ? 0 : bandwidth,
    latency,
    ...(sent === undefined ? {} : { sent }),
    ...(byLevel ? { byLevel } : {}),
  };
}

/** Whether groups reduce in rings inside nodes and between them. */
export const isRingByLevel = (cluster: ClusterDefinition, groups: Groups): boolean =>
  'byLevel' in fasterRing(cluster, groups);

const rings = figuresOfGroups<GroupRing | UnreachableRank>(4096);

const fasterRing = (cluster: ClusterDefinition, groups: Groups): GroupRing | UnreachableRank =>
  rings(cluster, groups, 'ring', () => chosenRing(cluster, groups));

function chosenRing(cluster: ClusterDefinition, groups: Groups): GroupRing | UnreachableRank {
  const flat = ringsAtOnce(cluster, groups, typical);
  if ('from' in flat) return flat;
  const levels = levelsOf(cluster, groups, typical);
  if (levels === undefined || 'from' in levels) return flat;
  const ring = levelRing(levels);
  const time = (candidate: Ring) =>
    collectiveTime({ pattern: 'all_reduce', bytes: typical }, groups[0].length, candidate);
  return time(ring) < time(flat) ? { ...ring, byLevel: true } : flat;
}

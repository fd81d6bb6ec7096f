import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Ring } from '../../costs/types.ts';
import {
  allToAllRing,
  allToAllSteps,
  ringsAtOnce,
  usualRing,
  type NodeLimit,
  type UnreachableRank,
} from '../../network/index.ts';
import type { Rank } from './ranks.ts';
import { figuresOfGroups } from './ofGroups.ts';
import type { Groups } from './rankGroups.ts';

/** Bytes for which routes are chosen: the size of a large tensor. */
const typical = 64 * 1024 ** 2;

/** `reduce`: all-reduces and their halves. `pass`: each rank passes blocks on to the next one. */
type Pattern = 'reduce' | 'pass' | 'all_to_all';

/**
 * The ring of the slowest of the ranks, with all groups of one rank at work at once; for an all-to-all, the ring that takes as
 * long. `limit` is for all-to-alls. `undefined` if two devices of a group have no route (reported).
 */
export function groupRing(
  notes: Notes,
  { cluster, at }: Pick<SettledPipeline, 'cluster' | 'at'>,
  pattern: Pattern,
  ranks: readonly Pick<Rank, 'devices' | 'mesh' | 'at'>[],
  groupsIn: (rank: Pick<Rank, 'devices' | 'mesh'>) => Groups,
  limit?: NodeLimit,
): Ring | undefined {
  let bandwidth = Infinity;
  let latency = 0;
  let sent: number | undefined;
  let tree: Ring['tree'];
  for (const rank of ranks) {
    const groups = groupsIn(rank);
    const ring = rings(cluster, groups, pattern === 'all_to_all' ? wordOf(limit) : pattern, () =>
      found[pattern](cluster, groups, typical, limit),
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
    if (ring.sent !== undefined) sent = Math.max(sent ?? 0, ring.sent);
    if (ring.tree !== undefined) tree = slower(tree ?? ring.tree, ring.tree);
  }
  return {
    bandwidth: bandwidth === Infinity ? 0 : bandwidth,
    latency,
    ...(sent === undefined ? {} : { sent }),
    ...(tree === undefined ? {} : { tree }),
  };
}

const found: Readonly<Record<Pattern, typeof allToAllRing>> = {
  reduce: usualRing,
  pass: ringsAtOnce,
  all_to_all: allToAllRing,
};

const slower = (one: NonNullable<Ring['tree']>, other: NonNullable<Ring['tree']>): NonNullable<Ring['tree']> => ({
  latency: Math.max(one.latency, other.latency),
  bandwidth: Math.min(one.bandwidth, other.bandwidth),
});

const wordOf = (limit: NodeLimit | undefined): string => `all to all ${JSON.stringify(limit ?? '')}`;

/** Finds the ring of an all-to-all in steps, before `groupRing` is asked for it: with thousands of devices it takes long. */
export const allToAllAhead = (
  cluster: ClusterDefinition,
  groups: Groups,
  limit: NodeLimit | undefined,
): Generator<void, unknown, void> =>
  rings.ahead(cluster, [groups], wordOf(limit), () => allToAllSteps(cluster, groups, typical, limit));

const rings = figuresOfGroups<Ring | UnreachableRank>(4096);

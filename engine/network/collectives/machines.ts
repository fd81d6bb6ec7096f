/** What servers see of the ranks of a node: one worker, which sums up its gradients before it sends them. */
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { levelsOf } from './levels.ts';
import { type Leaving, leavingBandwidth } from './nodeLinks.ts';
import type { Groups, UnreachableRank } from './rings.ts';

export interface Machines {
  /** The ranks of each that send together, and how many machines there are. */
  readonly ranks: number;
  readonly count: number;
  /** Bytes per second that leave a machine, over all of its cards. */
  readonly bandwidth: number;
  /** Ranks that send to servers or to each other. */
  readonly senders: Groups;
  /** Seconds of a step outside. */
  readonly latency: number;
  /** Of the reduce-scatter inside, which is as long as the all-gather: seconds, and seconds for each byte. */
  readonly inside: { readonly fixed: number; readonly perByte: number };
}

/** Ranks whose links are asked about, and the ring over all of them. */
export interface Asked {
  readonly cluster: ClusterDefinition;
  readonly groups: Groups;
  readonly ring: Ring;
  /** Of each byte of a rank, what leaves its node. */
  readonly leaving: Leaving;
}

/** Bytes for which routes are chosen: the size of a large tensor. */
const typical = 64 * 1024 ** 2;

/**
 * Each of g ranks of a node sums up a part of the gradients, sends it, and gets it back, as in BytePS (Jiang et al., OSDI'20, section
 * 5). Both levels work at the same time, on different pieces. Ranks of one node, of nodes with one each, and of nodes that hold
 * different numbers of them, are machines each.
 */
export function machinesOf(asked: Asked): Machines | UnreachableRank {
  const { cluster, groups } = asked;
  const levels = levelsOf(cluster, groups, typical);
  if (levels === undefined) return ranksAlone(asked);
  if ('from' in levels) return levels;
  const [within, across] = levels;
  const { ranks } = within;
  // Those that have summed up the same part, one of each node, go to servers or among each other.
  const senders = across.rings?.groups ?? groups;
  const leaving = leavingBandwidth(cluster, senders, typical, asked.leaving);
  return {
    ...{ ranks, count: across.ranks, senders, latency: across.ring.latency },
    bandwidth: ranks * Math.min(across.ring.bandwidth, leaving),
    inside: { fixed: (ranks - 1) * within.ring.latency, perByte: (ranks - 1) / ranks / within.ring.bandwidth },
  };
}

/** Ranks that each send everything. */
export const ranksAlone = ({ cluster, groups, ring, leaving }: Asked): Machines => ({
  ...{ ranks: 1, count: groups[0].length, senders: groups, latency: ring.latency },
  bandwidth: Math.min(ring.bandwidth, leavingBandwidth(cluster, groups, typical, leaving)),
  inside: { fixed: 0, perByte: 0 },
});

/** How the bytes of a call use links: passes, each with its flows. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { CollectiveUse } from '../../exchange/collectives.ts';
import type { Ring } from '../../costs/types.ts';
import { type Channels, channelsOf } from './channels.ts';
import type { Exchanging } from './costOf.ts';
import { factorsAreFewer } from './factors.ts';
import type { Level } from './levels.ts';
import { leavingFlows, type LinkFlows, ringFlows } from './linkFlows.ts';
import { machinesOf } from './machines.ts';
import { leavingBandwidth, toEachOther, toServers } from './nodeLinks.ts';
import { levelsOver, nodePartitions } from './partitions.ts';
import { type Groups, ringsAtOnce } from './rings.ts';

export interface LinkPass {
  /** Seconds for each byte of the gradients, or in proportion to them. */
  readonly weight: number;
  /** Bytes per second of each flow, if nothing else uses its links. */
  readonly rate: number;
  readonly flows: LinkFlows;
}

export interface CallTraffic {
  readonly push: readonly LinkPass[];
  readonly pull?: readonly LinkPass[];
  readonly scatter?: readonly LinkPass[];
  readonly gather?: readonly LinkPass[];
}

/** Bytes for which routes are chosen: the size of a large tensor. */
const typical = 64 * 1024 ** 2;

/**
 * `undefined` where a collective names no links (`table`), or where they depend on a search or on the size of a message (`trees`, `plink`,
 * `best`). A collective that takes the bandwidth of the group's ring uses links as that ring does.
 */
export function callTraffic(use: CollectiveUse, exchanging: Exchanging): CallTraffic | undefined {
  const { cluster, groups, matrix } = exchanging;
  const ring = ringsAtOnce(cluster, groups, typical);
  if ('from' in ring) return undefined;
  if (groups[0].length === 1) return { push: [] };
  switch (use.name) {
    case 'ring':
    case 'halving':
    case 'tree':
    case 'nccl': {
      // Switches sum up, so cards carry other bytes than a ring's.
      if (use.algorithm !== undefined && use.algorithm !== 'ring' && use.algorithm !== 'tree') return undefined;
      const channels = channelsOf(cluster, groups, typical, use.channels);
      return 'from' in channels || 'most' in channels ? undefined : bothHalves(ringsPass(cluster, groups, channels));
    }
    case 'trees':
      return (use.servers ?? 0) > 0 ? { push: [ringsPass(cluster, groups, { count: 1, groups, ring })] } : undefined;
    case 'blueconnect': {
      const partitions = nodePartitions(cluster, groups);
      const levels = 'problem' in partitions ? undefined : levelsOver(cluster, partitions, typical);
      return levels === undefined || 'from' in levels ? undefined : inLevels(exchanging, levels);
    }
    case 'ps':
      return servers(use, exchanging, ring);
    case 'hybrid':
      return sendsFactors(use, groups, matrix)
        ? { push: [amongWorkers(exchanging, ring)] }
        : servers(use, exchanging, ring);
    case 'plink':
    case 'table':
    case 'best':
      return undefined;
  }
}

/** All rings of all channels at once, each with its part of the bytes. */
const ringsPass = (cluster: ClusterDefinition, groups: Groups, { count, groups: rings, ring }: Channels): LinkPass => ({
  weight: (groups[0].length - 1) / groups[0].length / ring.bandwidth,
  ...{ rate: ring.bandwidth / count, flows: ringFlows(cluster, rings, typical) },
});

const bothHalves = (half: LinkPass): CallTraffic => ({
  ...{ push: [{ ...half, weight: 2 * half.weight }], scatter: [half], gather: [half] },
});

/** Reduce-scatters go out level by level, and all-gathers come back. */
function inLevels({ cluster }: Exchanging, levels: readonly Level[]): CallTraffic {
  let left = 1;
  const scatter: LinkPass[] = [];
  for (const { ranks: size, ring, rings } of levels) {
    if (size <= 1 || rings === undefined) continue;
    const weight = (((size - 1) / size) * left) / ring.bandwidth;
    scatter.push({ weight, rate: ring.bandwidth, flows: ringFlows(cluster, rings.groups, rings.bytes) });
    left /= size;
  }
  const gather = scatter.toReversed();
  return { scatter, gather, push: [...scatter, ...gather] };
}

const sendsFactors = ({ servers: asked }: CollectiveUse, groups: Groups, matrix: FactorShape | undefined): boolean =>
  matrix !== undefined && factorsAreFewer(matrix, groups[0].length, asked ?? groups[0].length);

/** Servers are machines of no node, or they are the workers. */
function servers({ colocated, servers: asked, link }: CollectiveUse, exchanging: Exchanging, ring: Ring): CallTraffic {
  const { cluster, groups } = exchanging;
  const leaving = colocated === true ? toEachOther : toServers;
  const machines = machinesOf({ cluster, groups, ring, leaving });
  if ('from' in machines) return { push: [] };
  const { count, ranks, bandwidth, inside, senders } = machines;
  // Of each byte, what a machine sends.
  const sent = colocated === true && ranks > 1 ? (count - 1) / count : 1;
  const served = ((asked ?? groups[0].length) * (link?.bandwidth ?? ring.bandwidth)) / count;
  const most = Math.min(bandwidth, colocated === true ? Infinity : served, sent / inside.perByte);
  const { out, in: into } = leavingFlows(cluster, senders, typical, leaving);
  const pass = (flows: LinkFlows): readonly LinkPass[] => [{ weight: 1, rate: most / ranks, flows }];
  if (colocated === true) {
    const both = pass(mostOf(out, into));
    return { push: both, pull: both, scatter: both, gather: both };
  }
  const [push, pull] = [pass(out), pass(into)];
  return { push, pull, scatter: push, gather: pull };
}

/** Each worker sends to all others, and all others send to it. */
function amongWorkers({ cluster, groups }: Exchanging, ring: Ring): LinkPass {
  const rate = Math.min(ring.bandwidth, leavingBandwidth(cluster, groups, typical, toEachOther));
  const { out, in: into } = leavingFlows(cluster, groups, typical, toEachOther);
  return { weight: 1, rate, flows: mostOf(out, into) };
}

/** By link, the more of both. */
function mostOf(out: LinkFlows, into: LinkFlows): LinkFlows {
  const flows = new Map(out);
  for (const [link, count] of into) flows.set(link, Math.max(count, flows.get(link) ?? 0));
  return flows;
}

/** What a call of a collective takes on a cluster, as a function of its bytes. A new collective is a row here and its file. */
import { leastOf, linear, withFixed } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { CollectiveName, CollectiveUse } from '../../exchange/collectives.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { blueconnectCall } from './blueconnect.ts';
import { channelsOf } from './channels.ts';
import { collnetCall } from './collnet.ts';
import { factorsAreFewer, factorsCall } from './factors.ts';
import { halvingCall } from './halving.ts';
import { ncclCall } from './nccl.ts';
import { levelsOf } from './levels.ts';
import { ncclRanksOf } from './ncclRanks.ts';
import { type NvlsAlgorithm, nvlsCall, type NvlsRanks } from './nvls.ts';
import { levelsOver, nodePartitions } from './partitions.ts';
import { plinkCall, unlikeRanks } from './plink.ts';
import { ringCall } from './ring.ts';
import { type Machines, machinesOf, ranksAlone } from './machines.ts';
import { leavingBandwidth, toEachOther, toServers } from './nodeLinks.ts';
import { type Groups, ringsAtOnce, type UnreachableRank } from './rings.ts';
import { colocatedCall, serversCall, withFactorsPushed } from './servers.ts';
import { treeCall } from './tree.ts';
import { usualRing } from './usual.ts';
import { mostRanks, treesCall, treesWithServers } from './trees.ts';

/** Groups of devices that reduce at the same time; `matrix` describes a fully connected layer. */
export interface Exchanging {
  readonly cluster: ClusterDefinition;
  readonly groups: Groups;
  readonly matrix?: FactorShape;
}

/** What of a collective does not fit these ranks, and what would. */
export interface CollectiveProblem {
  readonly argument: string;
  readonly value: string;
  readonly allowed: string;
}

/** Bytes for which routes are chosen: the size of a large tensor. */
const typical = 64 * 1024 ** 2;

type Found = LaneCall | CollectiveProblem | UnreachableRank;
type Setting = Exchanging & {
  /** One ring. */
  readonly ring: Ring;
  /** Rings through all cards of the nodes. */
  readonly channels: Ring;
  readonly ranks: number;
};

/** Seconds as a function of bytes of gradients. Every call costs `use.call` more. */
export function costOf(use: CollectiveUse, exchanging: Exchanging): Found {
  const ring = ringsAtOnce(exchanging.cluster, exchanging.groups, typical);
  if ('from' in ring) return ring;
  const channels = channelsOf(exchanging.cluster, exchanging.groups, typical, use.channels);
  if ('from' in channels) return channels;
  if ('most' in channels)
    return {
      argument: 'channels',
      value: String(use.channels),
      allowed: channels.most === 1 ? '1 over these ranks' : `at most the ${channels.most} ranks of a node`,
    };
  const ranks = exchanging.groups[0].length;
  const found = rows[use.name](use, { ...exchanging, ring, channels: channels.ring, ranks });
  return 'push' in found ? withCall({ sends: sentByAll(ranks), ...found }, use.call) : found;
}

/** Every all-reduce sends at least that: n − 1 ranks send all bytes once up and once down. */
const sentByAll = (ranks: number): number => (2 * (ranks - 1)) / ranks;

const rows: Readonly<Record<CollectiveUse['name'], (use: CollectiveUse, setting: Setting) => Found>> = {
  ring: (_, { channels, ranks }) => ringCall(ranks, channels),
  tree: (_, { channels, ranks }) => treeCall(ranks, channels),
  halving: (_, { channels, ranks }) => {
    const found = halvingCall(ranks, channels);
    return 'push' in found
      ? found
      : { argument: 'ranks', value: String(found.ranks), allowed: `a power of two, such as ${found.nearest}` };
  },
  blueconnect: (_, setting) => blueconnect(setting),
  plink: (_, setting) => plink(setting),
  trees: (use, setting) => trees(use, setting),
  nccl: (use, setting) => nccl(use, setting),
  ps: (use, setting) => servers(use, setting),
  hybrid: (use, setting) => hybrid(use, setting),
  table: ({ table }) => {
    const { bytes, seconds } = table ?? { bytes: [0, 1], seconds: [0, 0] };
    return { name: 'table', push: { kind: 'table', fixed: 0, bytes, seconds } };
  },
  best: (use, setting) => best(use, setting),
};

/** Over all nested nodes around the ranks. */
function blueconnect({ cluster, groups }: Setting): Found {
  const partitions = nodePartitions(cluster, groups);
  if ('problem' in partitions)
    return { argument: 'ranks of a node', value: partitions.sizes.join(' and '), allowed: 'the same in every node' };
  const levels = levelsOver(cluster, partitions, typical);
  return 'from' in levels ? levels : blueconnectCall(levels);
}

/** Ranks whose links all differ: the route of each pair must be found. */
const mostUnlike = 500;

function plink({ cluster, groups }: Setting): Found {
  const unlike = Math.max(...groups.slice(0, 8).map((group) => unlikeRanks(cluster, group)));
  if (unlike > mostUnlike)
    return {
      argument: 'ranks with different links',
      value: String(unlike),
      allowed: `at most ${mostUnlike}; write equal ones as one \`node[n]\`, or with \`ports\` of a switch`,
    };
  return plinkCall(cluster, groups, typical);
}

function trees({ servers: asked = 0 }: CollectiveUse, { cluster, groups, ring, ranks }: Setting): Found {
  if (asked > 0) {
    const machines = machinesOf({ cluster, groups, ring, leaving: toServers });
    if ('from' in machines) return machines;
    const { count } = machines;
    const allowed = `at most the ${count} ${count === ranks ? 'ranks' : 'nodes'}`;
    return asked > count
      ? { argument: 'servers', value: String(asked), allowed }
      : treesWithServers(machines, asked, ring.bandwidth);
  }
  const found = treesCall(cluster, groups, ring, typical);
  if (!('problem' in found)) return found;
  const allowed =
    found.problem === 'too-many'
      ? `at most ${mostRanks}`
      : 'fewer, because the search for trees over these links takes too long';
  return { argument: 'ranks', value: String(found.ranks), allowed };
}

function nccl({ algorithm }: CollectiveUse, { cluster, groups, ring, channels }: Setting): Found {
  const ranks = ncclRanksOf(cluster, groups, typical);
  if (algorithm === undefined || algorithm === 'ring' || algorithm === 'tree')
    return ncclCall({ ...ranks, bandwidth: channels.bandwidth }, algorithm);
  const wrong = (allowed: string): CollectiveProblem => ({ argument: 'algorithm', value: algorithm, allowed });
  const others = '`ring` or `tree`: ';
  const { nodes } = ranks;
  const inNetwork = algorithm === 'collnet_direct' || algorithm === 'collnet_chain';
  const what = inNetwork ? 'CollNet' : 'NVLink SHARP';
  if (algorithm !== 'collnet_chain' && ranks.inside === 'pci')
    return wrong(`${others}${what} needs NVLinks inside the nodes`);
  if (nodes === 1) {
    if (inNetwork) return wrong(`${others}all ranks are in one node`);
    return ranks.ranks === 1 || algorithm === 'nvls'
      ? nvlsIn({ heads: ranks.ranks, nodes, inside: ring.bandwidth, card: Infinity }, algorithm)
      : wrong('`nvls`: all ranks are in one node');
  }
  const levels = levelsOf(cluster, groups, typical);
  if (levels === undefined) return wrong(`${others}${what} needs two ranks or more in a node, and equally many in all`);
  if ('from' in levels) return levels;
  const [within, across] = levels;
  const of = { heads: within.ranks, inside: within.ring.bandwidth, card: across.ring.bandwidth };
  return inNetwork ? collnetCall(of, algorithm) : nvlsIn({ ...of, nodes }, algorithm);
}

const nvlsIn = (ranks: NvlsRanks, algorithm: NvlsAlgorithm): LaneCall =>
  ranks.heads === 1 ? { name: 'nccl', push: linear(0, 0) } : nvlsCall(ranks, algorithm);

function servers(use: CollectiveUse, setting: Setting): Found {
  const { servers: asked, link, factors } = use;
  const { cluster, groups, ring, ranks, matrix } = setting;
  if (asked !== undefined && asked > ranks && link === undefined)
    return {
      argument: 'servers',
      value: String(asked),
      allowed: `at most the ${ranks} ranks, or servers with a \`link\``,
    };
  const among = { cluster, groups, ring, leaving: use.colocated === true ? toEachOther : toServers };
  const machines = machinesOf(among);
  if ('from' in machines) return machines;
  const call = callOfServers(use, setting, machines);
  return factors === true && matrix !== undefined
    ? withFactorsPushed(call, callOfServers(use, setting, ranksAlone(among)), matrix)
    : call;
}

function callOfServers(
  { servers: asked, link, colocated }: CollectiveUse,
  { ring, ranks }: Setting,
  machines: Machines,
): LaneCall {
  const call =
    colocated === true
      ? colocatedCall(machines)
      : serversCall(machines, {
          count: asked ?? ranks,
          bandwidth: link?.bandwidth ?? ring.bandwidth,
          latency: link?.latency ?? ring.latency,
        });
  const oneLane = link?.half === true || call.oneLane === true;
  const own = colocated === true ? {} : { sends: 1 };
  return { ...call, ...own, ...(oneLane ? { oneLane: true } : {}) };
}

/** Each worker sends to all others. */
const amongWorkers = ({ cluster, groups, ring }: Setting): Ring => ({
  ...ring,
  bandwidth: Math.min(ring.bandwidth, leavingBandwidth(cluster, groups, typical, toEachOther)),
});

/** A fully connected layer goes as factors between workers if these are fewer elements; all others go through servers. */
function hybrid(use: CollectiveUse, setting: Setting): Found {
  const { matrix, ranks } = setting;
  const fewer = matrix !== undefined && factorsAreFewer(matrix, ranks, use.servers ?? ranks);
  return fewer ? factorsCall(matrix, ranks, amongWorkers(setting)) : servers(use, setting);
}

/** Those that need nothing but the ranks and their links. */
const candidates: readonly CollectiveName[] = ['ring', 'halving', 'tree', 'blueconnect', 'plink', 'trees'];

/** For each size the fastest. */
function best(use: CollectiveUse, setting: Setting): Found {
  const { cluster, groups, ranks } = setting;
  const usual = usualRing(cluster, groups, typical);
  if ('from' in usual) return usual;
  const named = candidates.flatMap((name) => {
    const found = rows[name](use, setting);
    return 'push' in found ? [found] : [];
  });
  const calls = [ringCall(ranks, usual), ...named];
  const halves = calls.flatMap((call) => (call.halves === undefined ? [] : [call.halves]));
  return {
    name: 'best',
    push: leastOf(calls.map(({ push }) => push)),
    halves: {
      scatter: leastOf(halves.map(({ scatter }) => scatter)),
      gather: leastOf(halves.map(({ gather }) => gather)),
    },
  };
}

const withCall = (call: LaneCall, seconds: number): LaneCall =>
  seconds === 0
    ? call
    : {
        ...call,
        push: withFixed(call.push, seconds),
        ...(call.pull === undefined ? {} : { pull: withFixed(call.pull, seconds) }),
        ...(call.halves === undefined
          ? {}
          : {
              halves: {
                scatter: withFixed(call.halves.scatter, seconds),
                gather: withFixed(call.halves.gather, seconds),
              },
            }),
      };

/** Why a call of a collective is slow: too few servers, or links that another collective spares. */
import { callSeconds } from '../../basics/callCost.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { CollectiveName, CollectiveUse } from '../../exchange/collectives.ts';
import type { CallLimit, LaneCall } from '../../values/exchangePlan.ts';
import { costOf, type Exchanging } from './costOf.ts';
import { machinesOf } from './machines.ts';
import { toServers } from './nodeLinks.ts';
import { ringsAtOnce } from './rings.ts';
import { unlikeRanks } from './plink.ts';
import { slowLinks } from './slowLinks.ts';

/** Bytes for which calls are compared: the size of a large tensor. */
const typical = 64 * 1024 ** 2;
/** Share of a call that another collective must save. */
const leastGain = 0.05;
/** Ranks up to which a packing of trees is searched for just to compare. */
const fewRanks = 8;

/** Ranks that are linked differently, up to which they are grouped by their routes just to compare. */
const fewUnlike = 100;

/** `undefined` where neither is so. `use` is absent where the pipeline names no collective. */
export function callLimit(
  call: LaneCall,
  use: CollectiveUse | undefined,
  exchanging: Exchanging,
): CallLimit | undefined {
  return use?.name === 'ps' || use?.name === 'hybrid' ? fewServers(use, exchanging) : slowFabric(call, use, exchanging);
}

/** Servers whose links are full before the links of the workers. */
function fewServers(use: CollectiveUse, exchanging: Exchanging): CallLimit | undefined {
  if (use.colocated === true) return undefined;
  const { cluster, groups } = exchanging;
  const ring = ringsAtOnce(cluster, groups, typical);
  if ('from' in ring || ring.bandwidth === 0) return undefined;
  const machines = machinesOf({ cluster, groups, ring, leaving: toServers });
  if ('from' in machines) return undefined;
  const { count: workers, bandwidth, inside } = machines;
  const servers = use.servers ?? groups[0].length;
  const filled = workers * Math.min(bandwidth, 1 / inside.perByte);
  const needed = filled / (use.link?.bandwidth ?? ring.bandwidth);
  // 8 workers of 10 GB/s and servers of 10 GB/s need 8, though rounding may give 8.000000001.
  const enough = Math.ceil(needed * (1 - 1e-9));
  if (enough <= servers) return undefined;
  const without = costOf({ ...use, servers: enough }, exchanging);
  return 'push' in without ? { kind: 'servers', workers, servers, enough, without } : undefined;
}

/** Those that need nothing but the ranks and their links. */
const others: readonly CollectiveName[] = ['ring', 'halving', 'tree', 'blueconnect', 'plink', 'trees'];

/** Links of different speeds, of which another collective uses the slow ones less. */
function slowFabric(call: LaneCall, use: CollectiveUse | undefined, exchanging: Exchanging): CallLimit | undefined {
  if (use?.name === 'best' || use?.name === 'table') return undefined;
  const { cluster, groups } = exchanging;
  const slow = slowLinks(cluster, groups, typical);
  if (slow === undefined) return undefined;
  const now = callSeconds(call.push, typical);
  let [least, collective]: [number, CollectiveName | undefined] = [now * (1 - leastGain), undefined];
  let without: LaneCall | undefined;
  const isLarge = (name: CollectiveName): boolean =>
    (name === 'trees' && groups[0].length > fewRanks) ||
    (name === 'plink' && unlikeRanks(cluster, groups[0]) > fewUnlike);
  for (const name of others) {
    if (name === use?.name || isLarge(name)) continue;
    const found = costOf({ name, call: use?.call ?? 0 }, exchanging);
    if (!('push' in found)) continue;
    const seconds = callSeconds(found.push, typical);
    if (seconds < least) [least, collective, without] = [seconds, name, found];
  }
  if (collective === undefined || without === undefined) return undefined;
  const [ends] = slow.ends;
  return {
    kind: 'links',
    link: ends.map((vertex) => vertexName(cluster, vertex)).join(' – '),
    others: slow.ends.length - 1,
    bandwidth: slow.bandwidth,
    collective,
    without,
  };
}

/** `gpu[3]`, or a switch by its name and its node: `node[1].nic`. */
function vertexName({ devices, groups }: ClusterDefinition, vertex: number): string {
  if (vertex < devices.length) return devices[vertex].name;
  for (const { switches, first, end, depth } of groups)
    for (const [symbol, at] of switches ?? [])
      if (at === vertex) {
        const name = symbol.slice(symbol.search(/[^:./]*$/));
        const nodes = first < end ? devices[first].name.split('.').slice(0, depth) : [];
        return [...nodes, name].join('.');
      }
  return 'a switch';
}

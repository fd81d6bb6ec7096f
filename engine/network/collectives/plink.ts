import { leastOf } from '../../basics/callCost.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { type NetworkRoutes, routesOf } from '../routes/routesOf.ts';
import { blueconnectCall } from './blueconnect.ts';
import { type Bandwidths, singleLinkage } from './linkage.ts';
import { levelsOver, partitionsBy } from './partitions.ts';
import type { Groups, UnreachableRank } from './rings.ts';

/**
 * Levels that follow measured bandwidth instead of nodes (Luo et al., *PLink*, MLSys'20). Ranks are grouped by single linkage of the
 * bandwidths of their routes. The call is the least of: one ring over all ranks, each grouping into equal parts as a level, each
 * pair of them as two levels.
 */
export function plinkCall(cluster: ClusterDefinition, groups: Groups, bytes: number): LaneCall | UnreachableRank {
  const chains: ReadonlyMap<number, Int32Array>[] = [];
  for (const group of groups) {
    const chain = evenGroupings(cluster, group, bytes);
    if ('from' in chain) return chain;
    chains.push(chain);
  }
  const sizes = [...(chains[0]?.keys() ?? [])].filter((size) => chains.every((chain) => chain.has(size)));
  const choices = [
    [],
    ...sizes.map((size) => [size]),
    ...sizes.flatMap((a, at) => sizes.slice(at + 1).map((b) => [a, b])),
  ];
  const calls: LaneCall[] = [];
  for (const choice of choices) {
    const partitions = partitionsBy(groups, (group) => {
      const chain = chains[groups.indexOf(group)];
      // From the coarsest in.
      return choice.toReversed().map((size) => (rank: number) => chain.get(size)?.[group.indexOf(rank)]);
    });
    if ('problem' in partitions) continue;
    const levels = levelsOver(cluster, partitions, bytes);
    if ('from' in levels) return levels;
    calls.push(blueconnectCall(levels));
  }
  const halves = calls.flatMap((call) => (call.halves === undefined ? [] : [call.halves]));
  return {
    name: 'plink',
    push: leastOf(calls.map(({ push }) => push)),
    halves: {
      scatter: leastOf(halves.map(({ scatter }) => scatter)),
      gather: leastOf(halves.map(({ gather }) => gather)),
    },
  };
}

/** Ranks of a group of which no two are linked alike: the route of each pair must be found. */
export function unlikeRanks(cluster: ClusterDefinition, group: readonly number[]): number {
  const { role } = routesOf(cluster).alike;
  return new Set(group.map((rank) => role[rank])).size;
}

/** Numbers that are kept at most. */
const mostKept = 1_000_000;

/**
 * What pairs of ranks have, computed once for all pairs of the same roles: nodes that are alike can change places. Pairs in one node
 * are looked at one by one.
 */
function ofAlike(
  { alike: { role, nodeOf } }: NetworkRoutes,
  group: readonly number[],
  compute: (from: number, to: number) => number,
): Bandwidths {
  const numbers = new Map<number, number>();
  const place = Int32Array.from(group, (rank) => {
    const number = numbers.get(role[rank]) ?? numbers.size;
    numbers.set(role[rank], number);
    return number;
  });
  const roles = numbers.size;
  if (roles ** 2 > mostKept) return (from, to) => compute(group[from], group[to]);
  const nodes = Int32Array.from(group, (rank) => nodeOf[rank]);
  const known = new Float64Array(roles ** 2).fill(NaN);
  return (from, to) => {
    const node = nodes[from];
    if (node >= 0 && node === nodes[to]) return compute(group[from], group[to]);
    const at = place[from] * roles + place[to];
    if (Number.isNaN(known[at])) known[at] = compute(group[from], group[to]);
    return known[at];
  };
}

/** Groupings whose parts are equally large, by that size, rising; without single ranks and without the whole. */
function evenGroupings(
  cluster: ClusterDefinition,
  group: readonly number[],
  bytes: number,
): ReadonlyMap<number, Int32Array> | UnreachableRank {
  const routes = routesOf(cluster);
  let missing: UnreachableRank | undefined;
  const oneWay = (from: number, to: number): number => {
    const route = routes.between(from, to, bytes);
    if (route === undefined) missing ??= { from, to };
    return route?.bandwidth ?? 0;
  };
  const slower = (from: number, to: number): number => Math.min(oneWay(from, to), oneWay(to, from));
  const groupings = singleLinkage(group.length, ofAlike(routes, group, slower));
  if (missing !== undefined) return missing;
  const even = new Map<number, Int32Array>();
  for (const parts of groupings) {
    const count = new Map<number, number>();
    for (const part of parts) count.set(part, (count.get(part) ?? 0) + 1);
    const [size, ...others] = new Set(count.values());
    if (others.length === 0 && size > 1 && size < group.length) even.set(size, parts);
  }
  return even;
}

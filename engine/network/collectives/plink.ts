import { leastOf } from '../../basics/callCost.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { routesOf } from '../routes/routesOf.ts';
import { blueconnectCall } from './blueconnect.ts';
import { singleLinkage } from './linkage.ts';
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
  const groupings = singleLinkage(group.length, (from, to) =>
    Math.min(oneWay(group[from], group[to]), oneWay(group[to], group[from])),
  );
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

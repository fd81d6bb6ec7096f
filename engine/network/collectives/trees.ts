import { linear } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import { packTrees } from '../trees/pack.ts';
import { packPorts } from '../trees/ports.ts';
import { mergeAlike, type TreeProblem } from '../trees/problem.ts';
import type { Machines } from './machines.ts';
import type { Groups, UnreachableRank } from './rings.ts';
import { treeProblems } from './treeLinks.ts';

/** There are too many ranks to begin, or the search for trees has not ended. */
export interface NoTrees {
  readonly problem: 'too-many' | 'too-long';
  readonly ranks: number;
}

/** Of one group. With more of them an editor would wait. */
export const mostRanks = 64;
/** Pairs of ranks in all groups. */
const mostPairs = 30_000;
/** Steps times squared resources: what the search may take. */
const mostWork = 1.2e8;

/**
 * Trees reduce and broadcast in parallel, each its share of the bytes: 2 · depth · α + S/Y, where Y is the most that trees can move
 * and α is the latency of the group's ring. The slowest group decides. It has no halves, because no rank holds just a part of the sum.
 */
export function treesCall(
  cluster: ClusterDefinition,
  groups: Groups,
  { latency }: Ring,
  bytes: number,
): LaneCall | UnreachableRank | NoTrees {
  const ranks = groups[0]?.length ?? 0;
  if (ranks <= 1) return { name: 'trees', push: linear(0, 0) };
  if (ranks > mostRanks || groups.length * ranks ** 2 > 2 * mostPairs) return { problem: 'too-many', ranks };
  const problems = treeProblems(cluster, groups, bytes);
  if ('from' in problems) return problems;
  let slowest: Trees = { rate: Infinity, depth: 0 };
  for (const problem of problems) {
    const trees = knownTrees(problem);
    if (trees === undefined) return { problem: 'too-long', ranks };
    slowest = { rate: Math.min(slowest.rate, trees.rate), depth: Math.max(slowest.depth, trees.depth) };
  }
  return call(slowest, latency);
}

/**
 * With further ports that have no gradients, of `port` bytes per second each. Ranks of a node sum up first and gather at last, while
 * other pieces are sent outside.
 */
export function treesWithServers(
  { count, bandwidth, latency, inside }: Machines,
  servers: number,
  port: number,
): LaneCall {
  if (count <= 1) return { name: 'trees', push: linear(0, 0) };
  const ports = (of: number, each: number) => Array.from({ length: of }, () => each);
  const { rate, depth } = packPorts(ports(count, bandwidth), ports(servers, port));
  const perByte = Math.max(1 / rate, 2 * inside.perByte);
  return { name: 'trees', push: linear(2 * depth * latency + 2 * inside.fixed, perByte) };
}

interface Trees {
  readonly rate: number;
  readonly depth: number;
}

const call = ({ rate, depth }: Trees, latency: number): LaneCall => ({
  name: 'trees',
  push: linear(2 * depth * latency, 1 / rate),
});

/** Packings of the last problems: groups are alike, and an edit seldom changes links. */
const known = new Map<string, Trees | undefined>();
const mostKnown = 64;

function knownTrees(problem: TreeProblem): Trees | undefined {
  const key = JSON.stringify(problem);
  if (known.has(key)) return known.get(key);
  if (known.size >= mostKnown) known.clear();
  const trees = treesOf(problem);
  known.set(key, trees);
  return trees;
}

/** `undefined` if the search has not ended. */
function treesOf(problem: TreeProblem): Trees | undefined {
  const ports = portsOf(problem);
  if (ports !== undefined) return packPorts(ports);
  const resources = mergeAlike(problem).problem.capacity.length;
  const packing = packTrees(problem, Math.ceil(mostWork / resources ** 2));
  if (packing === undefined || packing.bound > packing.rate * (1 + 1e-9)) return undefined;
  return { rate: packing.rate, depth: packing.depth };
}

/** Bytes per second of each rank's port, if all pairs are joined and nothing but ports limits them. */
export function portsOf(given: TreeProblem): readonly number[] | undefined {
  const { ranks, edges, capacity } = mergeAlike(given).problem;
  if (ranks < 3 || edges.length !== (ranks * (ranks - 1)) / 2) return undefined;
  const degree = new Int32Array(capacity.length * ranks);
  const users = new Int32Array(capacity.length);
  for (const { from, to, uses } of edges)
    for (const { resource, amount } of uses) {
      if (amount !== 1) return undefined;
      users[resource] += 1;
      degree[resource * ranks + from] += 1;
      degree[resource * ranks + to] += 1;
    }
  const ports = Array.from({ length: ranks }, () => Infinity);
  for (const [resource, room] of capacity.entries()) {
    const rank = degree.subarray(resource * ranks, (resource + 1) * ranks).indexOf(ranks - 1);
    if (users[resource] !== ranks - 1 || rank < 0) return undefined;
    ports[rank] = Math.min(ports[rank], room);
  }
  return ports;
}

/** What ranks run where a pipeline names no collective: rings and trees as NCCL forms them, over the links of the file. */
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { routesOf } from '../routes/routesOf.ts';
import { channelsOf } from './channels.ts';
import { levelsOf } from './levels.ts';
import { treeShare } from './ncclTuning.ts';
import type { Groups, UnreachableRank } from './rings.ts';

/**
 * A ring through all cards of the nodes. If there are several nodes, also two trees of nodes with chains inside. Steps are counted as
 * in NCCL (`ncclTopoTuneModel` in src/graph/tuning.cc), with latencies of the file's links: α₁ of the slowest step inside nodes, α₂
 * of the slowest between them. Of the n − 1 steps of a ring, N − 1 go to another one of N nodes. A tree takes
 * 2((n/N − 1) · α₁ + ⌊log₂N⌋ · α₂) up and down.
 */
export function usualRing(cluster: ClusterDefinition, groups: Groups, bytes: number): Ring | UnreachableRank {
  const channels = channelsOf(cluster, groups, bytes);
  if ('from' in channels) return channels;
  const { ring } = channels;
  const ranks = groups[0].length;
  const { inside, between, crossings, nodes } = stepsOf(cluster, channels.groups, bytes);
  if (nodes === 1) return ring;
  const depth = (Math.floor(ranks / nodes) - 1) * inside + Math.floor(Math.log2(nodes)) * between;
  const rate = nodes === 2 && channels.count === 1 ? rateOfTwo(cluster, groups, bytes, ring) : ring.bandwidth;
  return {
    ...ring,
    latency: ((ranks - crossings) * inside + (crossings - 1) * between) / (ranks - 1),
    tree: { latency: 2 * depth, bandwidth: treeShare * rate },
  };
}

/**
 * Each of two trees carries half of the bytes up and down. Between more nodes a card carries what it does in a ring. Between two it
 * carries half of it, as each node is the root of one tree. Then the links inside may be the slower ones.
 */
function rateOfTwo(cluster: ClusterDefinition, groups: Groups, bytes: number, ring: Ring): number {
  const levels = levelsOf(cluster, groups, bytes);
  if (levels === undefined || 'from' in levels) return ring.bandwidth;
  const [{ ranks: each, ring: within }] = levels;
  return Math.min(2 * ring.bandwidth, (each / (each - 1)) * within.bandwidth);
}

/** Latencies of the slowest steps of rings, how many steps of a ring go to another node, and nodes. */
function stepsOf(
  cluster: ClusterDefinition,
  rings: Groups,
  bytes: number,
): { readonly inside: number; readonly between: number; readonly crossings: number; readonly nodes: number } {
  const { devices } = cluster;
  const { between: routeOf } = routesOf(cluster);
  let [inside, between, crossings, nodes] = [0, 0, 0, 1];
  for (const ring of rings) {
    let crossed = 0;
    for (const [index, from] of ring.entries()) {
      const to = ring[(index + 1) % ring.length];
      const latency = routeOf(from, to, bytes)?.latency ?? 0;
      if (devices[from].group === devices[to].group) inside = Math.max(inside, latency);
      else {
        between = Math.max(between, latency);
        crossed += 1;
      }
    }
    crossings = Math.max(crossings, crossed);
    nodes = Math.max(nodes, new Set(ring.map((device) => devices[device].group)).size);
  }
  return { inside, between, crossings, nodes };
}

/** Rings over the same ranks that run at once, each through another network card of a node. */
import type { Ring } from '../../costs/types.ts';
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { type Groups, ringsAtOnce, type UnreachableRank } from './rings.ts';

/** One ring, or as many as the ranks of a node. */
export interface Channels {
  readonly count: number;
  /** The rings of all channels. */
  readonly groups: Groups;
  /** Bytes per second of all channels of a group together, and the delay of a step. */
  readonly ring: Ring;
}

/** More channels than the nodes have places for. */
export interface FewChannels {
  readonly most: number;
}

/**
 * If all nodes hold equally many ranks of a group, ring c enters a node at its rank c and leaves it at the rank before. So all cards
 * of a node send and receive. Each ring has an equal part of the bytes. A ring does not go from a node's rank c − 1 to c, so
 * links inside carry (g − 1)/g of the bytes. NCCL's rings do the same (src/graph/search.cc). Unless `asked`, the links decide whether
 * there are several: only if they are faster than one, so a node with one slow card has one.
 */
export function channelsOf(cluster: ClusterDefinition, groups: Groups, bytes: number): Channels | UnreachableRank;
export function channelsOf(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
  asked: number | undefined,
): Channels | UnreachableRank | FewChannels;
export function channelsOf(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
  asked?: number,
): Channels | UnreachableRank | FewChannels {
  const nodes = groups.map((group) => nodesIn(cluster, group));
  const inOrder = nodes.map((parts) => parts.flat());
  const ring = ringsAtOnce(cluster, inOrder, bytes);
  const one = 'from' in ring ? ring : { count: 1, groups: inOrder, ring };
  if ('from' in one || asked === 1) return one;
  const most = nodes[0][0].length;
  const isEven = nodes.every((parts) => parts.length > 1 && parts.every((part) => part.length === most));
  if (asked !== undefined && asked > (isEven ? most : 1)) return { most: isEven ? most : 1 };
  if (!isEven || most === 1) return one;
  const count = asked ?? most;
  const rings = nodes.flatMap((parts) =>
    Array.from({ length: count }, (_, channel) => {
      const first = Math.floor((channel * most) / count);
      return parts.flatMap((part) => [...part.slice(first), ...part.slice(0, first)]);
    }),
  );
  const all = ringsAtOnce(cluster, rings, bytes);
  if ('from' in all) return all;
  const channels = { count, groups: rings, ring: { ...all, bandwidth: count * all.bandwidth } };
  // Six times a sixth of a link may be more than it by rounding.
  return asked === undefined && channels.ring.bandwidth <= one.ring.bandwidth * (1 + 1e-9) ? one : channels;
}

/** Members of a group in each innermost node. A ring goes through each node once, in whatever order ranks are numbered. */
function nodesIn({ devices }: ClusterDefinition, group: readonly number[]): Groups {
  const parts = new Map<number, number[]>();
  for (const device of group) {
    const node = devices[device].group;
    const part = parts.get(node);
    if (part === undefined) parts.set(node, [device]);
    else part.push(device);
  }
  return [...parts.values()];
}

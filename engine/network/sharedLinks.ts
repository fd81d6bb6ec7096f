/** Links that all-reduces of different groups of ranks have in common, and the least bytes that each sends through them. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { partsAt } from './collectives/nodeLinks.ts';
import type { Groups } from './collectives/rings.ts';
import { routesOf } from './routes/routesOf.ts';

/** Groups that reduce the same gradients; each of their devices has `bytes` to send once for every hop of a ring. */
export interface Reduction {
  readonly groups: Groups;
  readonly bytes: number;
  /** The bytes of each rank leave its node, as in an all-to-all: no rank sums them up first. */
  readonly apart?: true;
}

export interface SharedLink {
  readonly link: string;
  readonly bandwidth: number;
  /** By reduction, 0 for those that do not send through it. */
  readonly bytes: readonly number[];
}

/** Routes are the best for large tensors. */
const typical = 64 * 1024 ** 2;

/**
 * Ranks that reduce inside their nodes first send least between nodes: (k − 1)/k of the bytes leave each of k nodes in a
 * reduce-scatter, and as many in an all-gather. As many rings run at once as the smallest node has ranks. Of links with the same bytes,
 * the slowest is listed. Links of one pair of devices are left out: only a pair uses them.
 */
export function sharedLinks(cluster: ClusterDefinition, reductions: readonly Reduction[]): readonly SharedLink[] {
  const isShared = cluster.groups.some(({ link }) => link?.sharing === 'shared');
  if (reductions.length < 2 || (cluster.named.size === 0 && !isShared)) return [];
  const found = new Map<string, SharedLink>();
  const depths = new Set(cluster.groups.map(({ depth }) => depth));
  for (const depth of depths) {
    if (depth === 0) continue;
    for (const each of sharedAt(cluster, reductions, depth)) {
      if (each.bytes.filter((bytes) => bytes > 0).length < 2) continue;
      const key = each.bytes.join();
      const known = found.get(key);
      if (known === undefined || each.bandwidth < known.bandwidth) found.set(key, each);
    }
  }
  return [...found.values()];
}

function sharedAt(cluster: ClusterDefinition, reductions: readonly Reduction[], depth: number): Iterable<SharedLink> {
  const { graph, between } = routesOf(cluster);
  const carried = new Map<string, SharedLink & { readonly bytes: number[] }>();
  for (const [number, { groups, bytes, apart }] of reductions.entries()) {
    const add = (key: string, amount: number, name: () => string, bandwidth: number): void => {
      let known = carried.get(key);
      if (known === undefined) {
        known = { link: name(), bandwidth, bytes: reductions.map(() => 0) };
        carried.set(key, known);
      }
      known.bytes[number] += amount;
    };
    for (const group of groups) {
      const parts = partsAt(cluster, group, depth);
      if (parts.length < 2) continue;
      const rings = parts.reduce((least, part) => Math.min(least, part.length), Infinity);
      const amount = ((parts.length - 1) / parts.length) * (apart === true ? bytes : bytes / rings);
      for (const [index, part] of parts.entries()) {
        const next = parts[(index + 1) % parts.length];
        for (let ring = 0; ring < rings; ring += 1) {
          const route = between(part[ring], next[ring], typical);
          if (route?.kind === 'plain' && route.link.sharing === 'shared')
            add(`plain ${route.group}`, amount, () => 'that all devices share', route.bandwidth);
          if (route?.kind !== 'named') continue;
          const taken = new Map(route.edges.map((edge) => [graph.channel[edge], edge]));
          for (const [channel, edge] of taken)
            add(String(channel), amount, () => linkName(cluster, graph, edge), graph.bandwidth[edge]);
        }
      }
    }
  }
  return carried.values();
}

/** `nic – core` */
export function linkName(
  { devices, groups }: ClusterDefinition,
  { target, reverse }: ReturnType<typeof routesOf>['graph'],
  edge: number,
): string {
  const nameOf = (vertex: number): string => {
    if (vertex < devices.length) return devices[vertex].name;
    for (const { switches } of groups)
      for (const [symbol, at] of switches ?? []) if (at === vertex) return symbol.slice(symbol.lastIndexOf('/') + 1);
    return 'a switch';
  };
  return `${nameOf(target[reverse[edge]])} – ${nameOf(target[edge])}`;
}

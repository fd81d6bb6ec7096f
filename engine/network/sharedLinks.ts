/** Links that all-reduces of different groups of ranks have in common, and the least bytes that each sends through them. */
import type { ClusterDefinition } from '../definitions/cluster.ts';
import { bandwidthOf, hasSharedLinks, linksOn, sharedLinkOf } from './collectives/linkFlows.ts';
import { depthsOfNodes, partsAt } from './collectives/nodeLinks.ts';
import type { Groups } from './collectives/rings.ts';
import { LinkUses } from './linkUses.ts';
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

/** Bytes of one reduction through links, as `LinkFlows` numbers them: for each depth at which nodes have links to each other. */
export type LinkLoad = readonly { readonly links: Int32Array; readonly bytes: Float64Array }[];

/**
 * Ranks that reduce inside their nodes first send least between nodes: (k − 1)/k of the bytes leave each of k nodes in a
 * reduce-scatter, and as many in an all-gather. As many rings run at once as the smallest node has ranks. Of links with the same bytes,
 * the slowest is listed. Links of one pair of devices are left out: only a pair uses them.
 */
export function sharedLinks(cluster: ClusterDefinition, reductions: readonly Reduction[]): readonly SharedLink[] {
  if (reductions.length < 2 || !hasSharedLinks(cluster)) return [];
  return linksInCommon(
    cluster,
    reductions.map((reduction) => linkLoad(cluster, reduction)),
  );
}

/** What a reduction sends through links that several devices can use. */
export function linkLoad(cluster: ClusterDefinition, { groups, bytes, apart }: Reduction): LinkLoad {
  const { graph, between } = routesOf(cluster);
  return depthsOfNodes(cluster).map((depth) => {
    const carried = new Map<number, number>();
    for (const group of groups) {
      const parts = partsAt(cluster, group, depth);
      if (parts.length < 2) continue;
      const rings = parts.reduce((least, part) => Math.min(least, part.length), Infinity);
      const amount = ((parts.length - 1) / parts.length) * (apart === true ? bytes : bytes / rings);
      if (amount === 0) continue;
      for (const [index, part] of parts.entries()) {
        const next = parts[(index + 1) % parts.length];
        for (let ring = 0; ring < rings; ring += 1) {
          const route = between(part[ring], next[ring], typical);
          if (route === undefined) continue;
          for (const link of linksOn(graph.channel, route)) carried.set(link, (carried.get(link) ?? 0) + amount);
        }
      }
    }
    return { links: Int32Array.from(carried.keys()), bytes: Float64Array.from(carried.values()) };
  });
}

/** Links that several of the loads take. */
export function linksInCommon(cluster: ClusterDefinition, loads: readonly LinkLoad[]): readonly SharedLink[] {
  const found = new Map<string, SharedLink>();
  for (const level of depthsOfNodes(cluster).keys()) {
    const uses = new LinkUses();
    for (const [number, load] of loads.entries()) {
      const { links, bytes } = load[level];
      const take = uses.pass(number);
      for (let at = 0; at < links.length; at += 1) take(links[at], bytes[at]);
    }
    // Links of one use carry the same bytes.
    const slowest = new Map<number, { readonly link: number; readonly name: string; readonly bandwidth: number }>();
    for (const [link, use] of uses.ofLinks) {
      if (uses.lanesOf(use) < 2) continue;
      const known = slowest.get(use);
      const bandwidth = bandwidthOf(cluster, link);
      if (known === undefined || bandwidth < known.bandwidth)
        slowest.set(use, { link, ...sharedLinkOf(cluster, link) });
    }
    for (const { link, name, bandwidth } of slowest.values()) {
      const bytes = loads.map((load) => load[level].bytes[load[level].links.indexOf(link)] ?? 0);
      const known = found.get(bytes.join());
      if (known === undefined || bandwidth < known.bandwidth) found.set(bytes.join(), { link: name, bandwidth, bytes });
    }
  }
  return [...found.values()];
}

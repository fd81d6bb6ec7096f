/** Flows of exchanges over the links that several devices share, by link. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { type NetworkRoute, routesOf } from '../routes/routesOf.ts';
import { depthsOfNodes, type Leaving, routesOut } from './nodeLinks.ts';
import type { Groups } from './rings.ts';

/**
 * Flows at once. A named link has the number of its channel from 0 on. A link that all devices of a group share has a number
 * below 0. A link between two devices that are its only users is left out: no other stage has them.
 */
export type LinkFlows = ReadonlyMap<number, number>;

/** Whether devices of different stages can meet on any link. */
export const hasSharedLinks = ({ named, groups }: ClusterDefinition): boolean =>
  named.size > 0 || groups.some(({ link }) => link?.sharing === 'shared');

/** Every member of every group sends to the next one, the last to the first. */
export function ringFlows(cluster: ClusterDefinition, groups: Groups, bytes: number): LinkFlows {
  const { graph, between } = routesOf(cluster);
  const flows = new Map<number, number>();
  for (const group of groups)
    for (const [index, from] of group.entries()) {
      const to = group[(index + 1) % group.length];
      const route = from === to ? undefined : between(from, to, bytes);
      if (route !== undefined) for (const link of linksOn(graph.channel, route)) add(flows, link, 1);
    }
  return flows;
}

/**
 * Of workers that send to others or to machines outside, over the links that leave their nodes and that enter them. A link that leaves
 * nodes of several depths carries the most that leaves one.
 */
export function leavingFlows(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
  leaving: Leaving,
): Record<'out' | 'in', LinkFlows> {
  const { graph } = routesOf(cluster);
  const most = { out: new Map<number, number>(), in: new Map<number, number>() };
  for (const depth of depthsOfNodes(cluster)) {
    const flows = { out: new Map<number, number>(), in: new Map<number, number>() };
    for (const { route, amount } of routesOut(cluster, groups, { bytes, leaving, depth })) {
      for (const link of new Set(route.edges.map((edge) => graph.channel[edge]))) add(flows.out, link, amount);
      for (const link of new Set(route.edges.map((edge) => graph.channel[graph.reverse[edge]])))
        add(flows.in, link, amount);
    }
    for (const direction of ['out', 'in'] as const)
      for (const [link, count] of flows[direction])
        most[direction].set(link, Math.max(count, most[direction].get(link) ?? 0));
  }
  return most;
}

/** The name of a link and its bytes per second. */
export function sharedLinkOf(
  cluster: ClusterDefinition,
  link: number,
): { readonly name: string; readonly bandwidth: number } {
  const name = link < 0 ? 'that all devices share' : linkName(cluster, routesOf(cluster).graph, link);
  return { name, bandwidth: bandwidthOf(cluster, link) };
}

/** Bytes per second of a link. */
export const bandwidthOf = (cluster: ClusterDefinition, link: number): number =>
  link < 0 ? (cluster.groups[-1 - link].link?.bandwidth ?? Infinity) : routesOf(cluster).graph.bandwidth[link];

/** `nic – core` */
function linkName(
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

/** The links of a route that several devices can use. */
export function linksOn(channel: Int32Array, route: NetworkRoute): Iterable<number> {
  if (route.kind === 'named') return new Set(route.edges.map((edge) => channel[edge]));
  return route.link.sharing === 'shared' ? [-1 - route.group] : [];
}

const add = (flows: Map<number, number>, link: number, count: number): void => {
  flows.set(link, (flows.get(link) ?? 0) + count);
};

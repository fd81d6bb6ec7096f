/** How two devices of a cluster reach each other. */
import type { ClusterDefinition, LinkDefinition } from '../../definitions/cluster.ts';
import type { Place } from '../../values/plan.ts';
import type { Graph } from './graph.ts';
import { routesOf } from './routesOf.ts';

export interface Route {
  /** Bytes per second: the least of its hops. Seconds: the sum of its hops. */
  readonly bandwidth: number;
  readonly latency: number;
  /** Resource of the slowest hop, a shared one where hops are equally slow. */
  readonly channel: string;
  readonly place: Place;
  /** In order. A resource that the route reaches twice, such as a shared bus, is listed once. */
  readonly hops: readonly RouteHop[];
  /** Only if the route is the `link` of a node or of the cluster: that link, of which each device has a port. */
  readonly port?: string;
}

export interface RouteHop {
  readonly channel: string;
  readonly bandwidth: number;
  readonly latency: number;
}

/**
 * The route from one device to another. A link named for the two is used if there is one. Otherwise two routes compete for a
 * transfer of `bytes`, and the faster one is used. One is the `link` of the innermost node (or the cluster) that holds both; the
 * other is the fastest route over named links. `undefined` if there is none.
 */
export function routeBetween(cluster: ClusterDefinition, from: number, to: number, bytes: number): Route | undefined {
  const routes = routesOf(cluster);
  const route = routes.between(from, to, bytes);
  if (route === undefined) return undefined;
  const { bandwidth, latency } = route;
  if (route.kind === 'plain') {
    const channel = channelName(route.link, route.group, from, to);
    const port = `${route.link.id}/${route.group}`;
    return { bandwidth, latency, channel, place: route.link.place, hops: [{ channel, bandwidth, latency }], port };
  }
  const { graph } = routes;
  let slowest = route.edges[0];
  const hops: RouteHop[] = [];
  for (const edge of route.edges) {
    const less = graph.bandwidth[edge] - graph.bandwidth[slowest];
    if (less < 0 || (less === 0 && contention(graph, edge) > contention(graph, slowest))) slowest = edge;
    const channel = edgeChannel(graph, edge);
    if (graph.buses && hops.some((hop) => hop.channel === channel)) continue;
    hops.push({ channel, bandwidth: graph.bandwidth[edge], latency: graph.latency[edge] });
  }
  return { bandwidth, latency, channel: edgeChannel(graph, slowest), place: graph.links[slowest].link.place, hops };
}

const contention = ({ links }: Graph, edge: number): number =>
  ['full', 'half', 'shared'].indexOf(links[edge].link.sharing);

const edgeChannel = ({ links, target, reverse }: Graph, edge: number): string =>
  channelName(links[edge].link, links[edge].group, target[reverse[edge]], target[edge]);

/** Full duplex: each direction of each pair is a resource. Half: each pair. Shared: the link. Each node has separate links. */
function channelName({ id, sharing }: LinkDefinition, group: number, from: number, to: number): string {
  if (sharing === 'shared') return `${id}/${group}`;
  if (sharing === 'half') return `${id}/${group}/${Math.min(from, to)}-${Math.max(from, to)}`;
  return `${id}/${group}/${from}-${to}`;
}

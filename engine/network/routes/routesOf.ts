/** The fastest routes that join the devices of a cluster, each found once for all places that are alike. */
import type { ClusterDefinition, LinkDefinition } from '../../definitions/cluster.ts';
import { type Alike, alikeOf, type Station } from './alike.ts';
import { degree, edgeBetween, graphOf, type Graph } from './graph.ts';
import { searchOf } from './search.ts';

export interface Figures {
  /** Seconds: the sum over its links. Bytes per second: the least of its links. */
  readonly latency: number;
  readonly bandwidth: number;
}

/** Over named links, as edges of the graph; or over the `link` of a node or of the cluster, which is a `group`. */
export type NetworkRoute = Figures &
  (
    | { readonly kind: 'named'; readonly edges: readonly number[] }
    | { readonly kind: 'plain'; readonly link: LinkDefinition; readonly group: number }
  );

export interface NetworkRoutes {
  readonly graph: Graph;
  /** Which devices have the same place in nodes that are alike, and the outermost node of each. */
  readonly alike: Pick<Alike, 'role' | 'nodeOf'>;
  /** The fastest route for `bytes`; `undefined` if there is none. See `routeBetween` for the rules. */
  between(from: number, to: number, bytes: number): NetworkRoute | undefined;
}

const known = new WeakMap<ClusterDefinition, NetworkRoutes>();

/** Which devices have the same place in outermost nodes that are linked alike. */
export const alikeNodes = (cluster: ClusterDefinition): NetworkRoutes['alike'] => routesOf(cluster).alike;

export function routesOf(cluster: ClusterDefinition): NetworkRoutes {
  let routes = known.get(cluster);
  if (routes === undefined) {
    routes = makeRoutes(cluster);
    known.set(cluster, routes);
  }
  return routes;
}

type Named = Extract<NetworkRoute, { readonly kind: 'named' }>;

/** Routes that are kept. A cluster whose devices all differ has one for each pair, which may be millions. */
const mostKept = 100_000;

/** A route over named links that joins places that are alike. */
interface Found extends Figures {
  readonly stations: readonly Station[];
}

function makeRoutes(cluster: ClusterDefinition): NetworkRoutes {
  const plain = plainOf(cluster);
  const graph = graphOf(cluster);
  const { latency, bandwidth } = graph;
  const count = cluster.devices.length;
  const linked = (device: number): boolean => degree(graph, device) > 0;
  const alike = alikeOf(graph);
  const search = searchOf(graph);
  const found = new Map<number, readonly Found[]>();

  const named = (edges: readonly number[]): Named => {
    let [sum, least] = [0, Infinity];
    for (const edge of edges) {
      sum += latency[edge];
      least = Math.min(least, bandwidth[edge]);
    }
    return { kind: 'named', latency: sum, bandwidth: least, edges };
  };

  /**
   * All routes that are fastest for some size. Take the routes whose bandwidth is above some bound. The one of least latency
   * among them is the best for any bound up to its bandwidth. So the bound rises from bandwidth to bandwidth.
   */
  const candidates = (from: number, to: number): readonly Named[] => {
    const routes: Named[] = [];
    for (let bound = 0; ;) {
      const edges = search(from, to, bound);
      if (edges === undefined) return routes;
      const route = named(edges);
      if (routes.length > 0 && route.latency <= routes[routes.length - 1].latency) routes.pop();
      routes.push(route);
      bound = route.bandwidth;
    }
  };

  return {
    graph,
    alike,
    between(from, to, bytes) {
      if (from === to || !linked(from) || !linked(to)) return plain(from, to);
      const edge = edgeBetween(graph, from, to);
      if (edge >= 0) return named([edge]);
      const { role, nodeOf } = alike;
      const inOne = nodeOf[from] >= 0 && nodeOf[from] === nodeOf[to] ? 1 : 0;
      const key = 2 * (role[from] * count + role[to]) + inOne;
      let alternatives = found.get(key);
      if (alternatives === undefined) {
        alternatives = candidates(from, to).map(({ latency: seconds, bandwidth: rate, edges }) => ({
          latency: seconds,
          bandwidth: rate,
          stations: alike.toMove(edges, from, to),
        }));
        if (found.size >= mostKept) found.clear();
        found.set(key, alternatives);
      }
      const direct = plain(from, to);
      const best = fastest(direct, alternatives, bytes);
      if (best === undefined) return direct;
      const edges = alike.move(best.stations, from, to);
      return { kind: 'named', latency: best.latency, bandwidth: best.bandwidth, edges };
    },
  };
}

/** The `link` of the innermost node (or the cluster) that holds both. */
function plainOf({ devices, groups }: ClusterDefinition): (from: number, to: number) => NetworkRoute | undefined {
  const routes = groups.map(({ link }, group): NetworkRoute | undefined =>
    link === undefined ? undefined : { kind: 'plain', latency: link.latency, bandwidth: link.bandwidth, link, group },
  );
  return (from, to) => {
    let { group } = devices[from];
    for (let other = devices[to].group; group !== other;) {
      if (groups[group].depth >= groups[other].depth) group = groups[group].parent;
      else other = groups[other].parent;
    }
    return routes[group];
  };
}

/** The first of the fastest routes, if `direct` is not as fast. A transfer fills all links of its route at once. */
function fastest<W extends Figures>(direct: Figures | undefined, routes: readonly W[], bytes: number): W | undefined {
  let best: W | undefined;
  let least = direct === undefined ? Infinity : direct.latency + bytes / direct.bandwidth;
  for (const route of routes) {
    const time = route.latency + bytes / route.bandwidth;
    if (time >= least && (best ?? direct) !== undefined) continue;
    [best, least] = [route, time];
  }
  return best;
}

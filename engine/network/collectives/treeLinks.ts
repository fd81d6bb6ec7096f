/** What trees over groups of ranks take of a cluster's links. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import { edgeBetween, type Graph } from '../routes/graph.ts';
import { type NetworkRoute, routesOf } from '../routes/routesOf.ts';
import type { TreeEdge, TreeProblem } from '../trees/problem.ts';
import type { Groups, UnreachableRank } from './rings.ts';

/** A resource by its name, and bytes per second of it. */
type Visit = (resource: string, capacity: number, amount: number) => void;

interface KeyedEdge {
  readonly from: number;
  readonly to: number;
  readonly uses: ReadonlyMap<string, number>;
}

/**
 * A problem for each group. If named links between ranks join all of a group, its trees run over these links alone, as libraries
 * do with NVLinks. Otherwise any two ranks are joined by their routes. The `link` of a node or of the cluster is a port of
 * each device. Groups that reach a resource share it equally.
 */
export function treeProblems(
  cluster: ClusterDefinition,
  groups: Groups,
  bytes: number,
): readonly TreeProblem[] | UnreachableRank {
  const capacity = new Map<string, number>();
  const found: (readonly KeyedEdge[])[] = [];
  for (const group of groups) {
    const edges = directEdges(cluster, group, capacity) ?? routedEdges(cluster, group, bytes, capacity);
    if ('from' in edges) return edges;
    found.push(edges);
  }
  const users = new Map<string, number>();
  for (const edges of found)
    for (const resource of new Set(edges.flatMap(({ uses }) => [...uses.keys()])))
      users.set(resource, (users.get(resource) ?? 0) + 1);
  return found.map((edges, index) => {
    const numbers = new Map<string, number>();
    const room: number[] = [];
    const numbered = edges.map(({ from, to, uses }): TreeEdge => {
      const own = Array.from(uses, ([resource, amount]) => {
        let number = numbers.get(resource);
        if (number === undefined) {
          numbers.set(resource, (number = numbers.size));
          room.push((capacity.get(resource) ?? 0) / (users.get(resource) ?? 1));
        }
        return { resource: number, amount };
      });
      return { from, to, uses: own };
    });
    return { ranks: groups[index].length, edges: numbered, capacity: room };
  });
}

/** `undefined` if links that are named for two of the ranks do not join all of them. */
function directEdges(
  cluster: ClusterDefinition,
  group: readonly number[],
  capacity: Map<string, number>,
): readonly KeyedEdge[] | undefined {
  const { graph } = routesOf(cluster);
  const edges: KeyedEdge[] = [];
  const part = group.map((_, rank) => rank);
  for (const [from, device] of group.entries()) {
    if (!cluster.named.has(device)) return undefined;
    for (let to = from + 1; to < group.length; to += 1) {
      const edge = edgeBetween(graph, device, group[to]);
      if (edge < 0) continue;
      edges.push({
        from,
        to,
        uses: usesOf(capacity, (visit) => visitEdges(graph, [[edge], [graph.reverse[edge]]], visit)),
      });
      const [kept, gone] = [part[from], part[to]];
      for (const [rank, name] of part.entries()) if (name === gone) part[rank] = kept;
    }
  }
  return part.every((name) => name === part[0]) ? edges : undefined;
}

function routedEdges(
  cluster: ClusterDefinition,
  group: readonly number[],
  bytes: number,
  capacity: Map<string, number>,
): readonly KeyedEdge[] | UnreachableRank {
  const { graph, between } = routesOf(cluster);
  const edges: KeyedEdge[] = [];
  for (let from = 0; from < group.length; from += 1)
    for (let to = from + 1; to < group.length; to += 1) {
      const [a, b] = [group[from], group[to]];
      const [there, back] = [between(a, b, bytes), between(b, a, bytes)];
      if (there === undefined || back === undefined) return { from: a, to: b };
      const uses = usesOf(capacity, (visit) => {
        visitRoute(graph, there, a, b, visit);
        visitRoute(graph, back, b, a, visit);
      });
      edges.push({ from, to, uses });
    }
  return edges;
}

function usesOf(capacity: Map<string, number>, run: (visit: Visit) => void): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  run((resource, bytes, amount) => {
    capacity.set(resource, bytes);
    uses.set(resource, (uses.get(resource) ?? 0) + amount);
  });
  return uses;
}

function visitRoute(graph: Graph, route: NetworkRoute, from: number, to: number, visit: Visit): void {
  if (route.kind === 'named') return visitEdges(graph, [route.edges], visit);
  const { group, bandwidth } = route;
  if (route.link.sharing === 'shared') return visit(`bus ${group}`, bandwidth, 1);
  const half = route.link.sharing === 'half';
  visit(half ? `port ${group} ${from}` : `out ${group} ${from}`, bandwidth, 1);
  visit(half ? `port ${group} ${to}` : `in ${group} ${to}`, bandwidth, 1);
}

/** A bus that a route reaches twice is taken once. */
function visitEdges({ channel, bandwidth }: Graph, routes: readonly (readonly number[])[], visit: Visit): void {
  for (const edges of routes)
    for (const resource of new Set(edges.map((edge) => channel[edge])))
      visit(`link ${resource}`, bandwidth[resource], 1);
}

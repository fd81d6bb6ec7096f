/** The named links of a cluster as arrays. */
import type { ClusterDefinition, NamedLink } from '../../definitions/cluster.ts';

/** An edge is one direction of a named link. */
export interface Graph {
  readonly cluster: ClusterDefinition;
  /** Edges of vertex v are `offsets[v]` to `offsets[v + 1]` − 1, by rising target. */
  readonly offsets: Int32Array;
  readonly target: Int32Array;
  /** The edge of the other direction. */
  readonly reverse: Int32Array;
  /** Seconds, and bytes per second. */
  readonly latency: Float64Array;
  readonly bandwidth: Float64Array;
  readonly links: readonly NamedLink[];
  /** The resource that an edge takes, as the number of one edge that takes it. */
  readonly channel: Int32Array;
  /** Some edges of different pairs take one resource. */
  readonly buses: boolean;
}

/** Time and size: the number of named pairs. */
export function graphOf(cluster: ClusterDefinition): Graph {
  const { named, devices, groups } = cluster;
  let vertices = devices.length;
  for (const vertex of named.keys()) vertices = Math.max(vertices, vertex + 1);
  const offsets = new Int32Array(vertices + 1);
  for (let vertex = 0; vertex < vertices; vertex += 1)
    offsets[vertex + 1] = offsets[vertex] + (named.get(vertex)?.size ?? 0);
  const edges = offsets[vertices];
  const graph = {
    cluster,
    offsets,
    target: new Int32Array(edges),
    reverse: new Int32Array(edges),
    latency: new Float64Array(edges),
    bandwidth: new Float64Array(edges),
    links: Array.from<NamedLink>({ length: edges }),
    channel: new Int32Array(edges),
  };
  const { target, reverse, links, channel } = graph;
  // Links go both ways: who names a vertex is what the vertex names, and comes in rising order.
  const next = offsets.slice();
  for (let from = 0; from < vertices; from += 1) {
    named.get(from)?.forEach((namedLink, to) => {
      const edge = next[to]++;
      target[edge] = from;
      links[edge] = namedLink;
      graph.latency[edge] = namedLink.link.latency;
      graph.bandwidth[edge] = namedLink.link.bandwidth;
    });
  }
  next.set(offsets);
  for (let edge = 0; edge < edges; edge += 1) reverse[edge] = next[target[edge]]++;
  const shared = new Map<number, number>();
  for (let edge = 0; edge < edges; edge += 1) {
    const { link, group } = links[edge];
    channel[edge] = link.sharing === 'half' ? Math.min(edge, reverse[edge]) : edge;
    if (link.sharing !== 'shared') continue;
    const key = link.id * groups.length + group;
    channel[edge] = shared.get(key) ?? edge;
    shared.set(key, channel[edge]);
  }
  return { ...graph, buses: shared.size > 0 };
}

export const degree = ({ offsets }: Graph, vertex: number): number => offsets[vertex + 1] - offsets[vertex];

/** The edge from one vertex to another, −1 where no link is named for the two. */
export function edgeBetween({ offsets, target }: Graph, from: number, to: number): number {
  let low = offsets[from];
  let high = offsets[from + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (target[middle] === to) return middle;
    if (target[middle] < to) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

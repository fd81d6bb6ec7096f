/** The way of least latency between two vertices of a cluster's named links. */
import { degree, type Graph } from './graph.ts';

/** Edges of the route of least latency, then of fewest hops, over links of more than `bound` bytes per second. */
export type Search = (from: number, to: number, bound: number) => readonly number[] | undefined;

/**
 * Dijkstra from both ends (Pohl, 1971). Each side takes its nearest vertex in turn. Once the nearest vertices of both sides are
 * as far apart as the best known route is long, no route is better. The order of turns is free. The side whose vertex has fewer
 * links goes first, so that a switch of thousands of ports is not opened from one side if the other side comes to it. Only the
 * answer is allocated.
 */
export function searchOf(graph: Graph): Search {
  const forward = frontierOf(graph.offsets.length - 1);
  const backward = frontierOf(graph.offsets.length - 1);
  let [meeting, latency, hops] = [-1, Infinity, Infinity];

  const expand = (side: Frontier, other: Frontier, bound: number): void => {
    const vertex = side.pop();
    for (let edge = graph.offsets[vertex]; edge < graph.offsets[vertex + 1]; edge += 1) {
      const next = graph.target[edge];
      const met = other.reached(next);
      // No way leads through a vertex with one link.
      if (graph.bandwidth[edge] <= bound || (degree(graph, next) === 1 && !met)) continue;
      const far = side.latency[vertex] + graph.latency[edge];
      const count = side.hops[vertex] + 1;
      if (!side.reach(next, far, count, side === forward ? edge : graph.reverse[edge]) || !met) continue;
      const whole = far + other.latency[next];
      const all = count + other.hops[next];
      if (whole < latency || (whole === latency && all < hops)) [meeting, latency, hops] = [next, whole, all];
    }
  };

  return (from, to, bound) => {
    [meeting, latency, hops] = [-1, Infinity, Infinity];
    forward.start(from);
    backward.start(to);
    while (forward.size() > 0 && backward.size() > 0) {
      const [a, b] = [forward.nearest(), backward.nearest()];
      const least = forward.latency[a] + backward.latency[b];
      if (least > latency || (least === latency && forward.hops[a] + backward.hops[b] >= hops)) break;
      if (degree(graph, a) <= degree(graph, b)) expand(forward, backward, bound);
      else expand(backward, forward, bound);
    }
    if (meeting < 0) return undefined;
    const edges: number[] = [];
    for (let at = meeting; at !== from; at = graph.target[graph.reverse[forward.via[at]]]) edges.push(forward.via[at]);
    edges.reverse();
    for (let at = meeting; at !== to; at = graph.target[backward.via[at]]) edges.push(backward.via[at]);
    return edges;
  };
}

/** What one side has reached, and a heap of the vertices that it has not opened yet. */
interface Frontier {
  readonly latency: Float64Array;
  readonly hops: Int32Array;
  /** Edge of the whole route, in its direction, by which a vertex was reached. */
  readonly via: Int32Array;
  start(vertex: number): void;
  size(): number;
  nearest(): number;
  pop(): number;
  reached(vertex: number): boolean;
  /** Notes a way to a vertex; false where one as good is known. */
  reach(vertex: number, latency: number, hops: number, via: number): boolean;
}

function frontierOf(vertices: number): Frontier {
  const latency = new Float64Array(vertices);
  const hops = new Int32Array(vertices);
  const via = new Int32Array(vertices);
  const heap = new Int32Array(vertices);
  const place = new Int32Array(vertices);
  /** Search in which a vertex was last reached: nothing is cleared between searches. */
  const met = new Int32Array(vertices);
  let [search, size] = [0, 0];

  const before = (a: number, b: number): boolean =>
    latency[a] < latency[b] || (latency[a] === latency[b] && hops[a] < hops[b]);
  const put = (vertex: number, at: number): void => {
    heap[at] = vertex;
    place[vertex] = at;
  };
  const rise = (vertex: number): void => {
    let at = place[vertex];
    for (let parent = (at - 1) >> 1; at > 0 && before(vertex, heap[parent]); parent = (at - 1) >> 1) {
      put(heap[parent], at);
      at = parent;
    }
    put(vertex, at);
  };

  return {
    latency,
    hops,
    via,
    start(vertex) {
      search = (search + 1) | 0;
      size = 1;
      met[vertex] = search;
      latency[vertex] = 0;
      hops[vertex] = 0;
      put(vertex, 0);
    },
    size: () => size,
    nearest: () => heap[0],
    pop() {
      const [top] = heap;
      size -= 1;
      if (size === 0) return top;
      const last = heap[size];
      let at = 0;
      for (let child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && before(heap[child + 1], heap[child])) child += 1;
        if (!before(heap[child], last)) break;
        put(heap[child], at);
        at = child;
      }
      put(last, at);
      return top;
    },
    reached: (vertex) => met[vertex] === search,
    reach(vertex, far, count, edge) {
      const known = met[vertex] === search;
      // An opened vertex is nearer than what comes later, so it is never here again.
      if (known && (far > latency[vertex] || (far === latency[vertex] && count >= hops[vertex]))) return false;
      latency[vertex] = far;
      hops[vertex] = count;
      via[vertex] = edge;
      if (!known) {
        met[vertex] = search;
        put(vertex, size);
        size += 1;
      }
      rise(vertex);
      return true;
    },
  };
}

/** Orders of a graph that are good to cut: each node after those that it needs. */
import { type Dag, pairLimit, turned, weightsAfter, weightsBefore } from './graph.ts';

/**
 * The order in which nodes are numbered, then others, `most` in all. Depth first from the start, with either branch first, and
 * from the end. By level. By the heaviest path to the end. By the weight of all nodes behind or before a node (ranked positional
 * weights: Helgeson and Birnie 1961, for assembly lines, which are the same problem).
 */
export function goodOrders(dag: Dag, weights: Float64Array, most: number): readonly Int32Array[] {
  const { count } = dag;
  const last = count - 1;
  const negative = (keys: Float64Array) => keys.map((key) => -key);
  const heaviest = heaviestPaths(dag, weights);
  const around = turned(dag);
  const waysBack = heaviestPaths(around, weights.toReversed());
  const orders = [
    () => Int32Array.from({ length: count }, (_, node) => node),
    () => depthFirst(dag, heaviest),
    () =>
      depthFirst(around, waysBack)
        .toReversed()
        .map((node) => last - node),
    () => leastFirst(dag, negative(heaviest)),
    () => leastFirst(dag, depths(dag)),
    () => depthFirst(dag, negative(heaviest), -1),
    () => leastFirst(dag, waysBack.toReversed()),
    () => leastFirst(dag, negative(weightsAfter(dag, weights))),
    () => leastFirst(dag, weightsBefore(dag, weights)),
  ];
  return orders.slice(0, count > pairLimit ? Math.min(most, orders.length - 2) : most).map((make) => make());
}

/** Heaviest sum of weights on a path from each node to an end, itself included. */
export function heaviestPaths({ count, users }: Dag, weights: Float64Array): Float64Array {
  const sums = new Float64Array(count);
  for (let node = count - 1; node >= 0; node -= 1) {
    let most = 0;
    for (let at = users.from[node]; at < users.from[node + 1]; at += 1) most = Math.max(most, sums[users.nodes[at]]);
    sums[node] = most + weights[node];
  }
  return sums;
}

/** Nodes on the longest way to each from a start. */
export function depths({ count, needs }: Dag): Float64Array {
  const depth = new Float64Array(count);
  for (let node = 0; node < count; node += 1) {
    for (let at = needs.from[node]; at < needs.from[node + 1]; at += 1)
      depth[node] = Math.max(depth[node], depth[needs.nodes[at]] + 1);
  }
  return depth;
}

/**
 * Goes on with the node that became ready last. Among several, the one with the lighter path comes first, so that branches end
 * before others begin.
 */
function depthFirst(dag: Dag, heaviest: Float64Array, sign = 1): Int32Array {
  const { count, needs, users } = dag;
  const missing = Int32Array.from({ length: count }, (_, node) => needs.from[node + 1] - needs.from[node]);
  const heavierFirst = (a: number, b: number) => heaviest[b] - heaviest[a] || sign * (b - a);
  const stack = [...missing.keys()].filter((node) => missing[node] === 0).sort(heavierFirst);
  const order = new Int32Array(count);
  for (let at = 0; at < count; at += 1) {
    const node = stack.pop() ?? 0;
    order[at] = node;
    const ready: number[] = [];
    for (let user = users.from[node]; user < users.from[node + 1]; user += 1) {
      const next = users.nodes[user];
      missing[next] -= 1;
      if (missing[next] === 0) ready.push(next);
    }
    stack.push(...ready.sort(heavierFirst));
  }
  return order;
}

/** Of the nodes that are ready always the one with the least key; the lower number where keys are equal. */
function leastFirst({ count, needs, users }: Dag, keys: Float64Array): Int32Array {
  const missing = Int32Array.from({ length: count }, (_, node) => needs.from[node + 1] - needs.from[node]);
  const heap = new Int32Array(count);
  let size = 0;
  const before = (a: number, b: number) => keys[a] < keys[b] || (keys[a] === keys[b] && a < b);
  const push = (node: number) => {
    let at = size;
    size += 1;
    while (at > 0 && before(node, heap[(at - 1) >> 1])) {
      heap[at] = heap[(at - 1) >> 1];
      at = (at - 1) >> 1;
    }
    heap[at] = node;
  };
  const pop = (): number => {
    const top = heap[0];
    size -= 1;
    const moved = heap[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && before(heap[child + 1], heap[child])) child += 1;
      if (!before(heap[child], moved)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
    return top;
  };
  for (let node = 0; node < count; node += 1) if (missing[node] === 0) push(node);
  return Int32Array.from({ length: count }, () => {
    const node = pop();
    for (let user = users.from[node]; user < users.from[node + 1]; user += 1) {
      missing[users.nodes[user]] -= 1;
      if (missing[users.nodes[user]] === 0) push(users.nodes[user]);
    }
    return node;
  });
}

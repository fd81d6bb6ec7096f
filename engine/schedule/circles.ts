import { type WaitGraph, shortestCircle } from './circle.ts';

/** Waits that the search for each circle after the first may look at. */
const laterBudget = 400_000;

/**
 * Circles of a graph in which everything waits for something, shortest first, at most `most`. No two share a node: each circle
 * would still be there if the ones before it were broken. The first is `shortestCircle`. Linear in the waits for each circle.
 */
export function disjointCircles(graph: WaitGraph, most: number): readonly (readonly number[])[] {
  const first = shortestCircle(graph);
  const circles = first.length === 0 ? [] : [first];
  if (circles.length === 0 || most <= 1) return circles;
  const rest = remainder(graph);
  for (let circle = first; circles.length < most;) {
    rest.remove(circle);
    circle = shortestCircle(rest.graph, laterBudget);
    if (circle.length === 0) break;
    circles.push(circle);
  }
  return circles;
}

/** What is left of a graph: without nodes that are removed, and without those that then wait for nothing that is left. */
function remainder({ size, nodes, each }: WaitGraph) {
  const all = Int32Array.from(nodes);
  const gone = new Uint8Array(size).fill(1);
  for (const node of all) gone[node] = 0;
  const waits = new Int32Array(size);
  const offsets = new Int32Array(size + 1);
  for (const node of all) {
    each(node, (target) => {
      waits[node] += 1;
      offsets[target + 1] += 1;
    });
  }
  for (let node = 0; node < size; node += 1) offsets[node + 1] += offsets[node];
  const waiters = new Int32Array(offsets[size]);
  const next = offsets.slice(0, size);
  for (const node of all) each(node, (target) => void (waiters[next[target]++] = node));

  const left = function* (): Iterable<number> {
    for (const node of all) if (gone[node] === 0) yield node;
  };
  return {
    graph: {
      size,
      nodes: { [Symbol.iterator]: () => left()[Symbol.iterator]() },
      each: (node: number, visit: (target: number) => void) =>
        each(node, (target) => {
          if (gone[target] === 0) visit(target);
        }),
    },
    remove(circle: readonly number[]): void {
      const leaving: number[] = [];
      const leave = (node: number): void => {
        if (gone[node] === 1) return;
        gone[node] = 1;
        leaving.push(node);
      };
      for (const node of circle) leave(node);
      for (let node = leaving.pop(); node !== undefined; node = leaving.pop()) {
        for (let at = offsets[node]; at < offsets[node + 1]; at += 1) {
          waits[waiters[at]] -= 1;
          if (waits[waiters[at]] === 0) leave(waiters[at]);
        }
      }
    },
  };
}

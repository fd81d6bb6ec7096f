/** Orders things that need each other: needed first. Iterative, so that a chain of any length is fine. */
export interface Ordering {
  /** Every node, each after those that it needs, circles aside. */
  readonly order: readonly number[];
  /** Circles found, each as its nodes in the direction of need. */
  readonly circles: readonly (readonly number[])[];
}

/** `needs(i)` gives the nodes that node i needs. One circle is found for each edge that closes one during the search. */
export function orderByNeed(count: number, needs: (node: number) => readonly number[]): Ordering {
  const state = new Uint8Array(count);
  const order: number[] = [];
  const circles: number[][] = [];
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 0) continue;
    const path = [root];
    const edges = [needs(root)];
    const next = [0];
    state[root] = 1;
    while (path.length > 0) {
      const top = path.length - 1;
      const node = path[top];
      if (next[top] === edges[top].length) {
        state[node] = 2;
        order.push(node);
        path.pop();
        edges.pop();
        next.pop();
        continue;
      }
      const needed = edges[top][next[top]];
      next[top] += 1;
      if (state[needed] === 1) {
        if (circles.length < 100) circles.push(path.slice(path.lastIndexOf(needed)));
      } else if (state[needed] === 0) {
        state[needed] = 1;
        path.push(needed);
        edges.push(needs(needed));
        next.push(0);
      }
    }
  }
  return { order, circles };
}

/** Names of a circle, the first one again at the end; a long one is cut in the middle. */
export function circleNames(names: readonly string[]): readonly string[] {
  const shown = names.length > 12 ? [...names.slice(0, 6), '…', ...names.slice(-5)] : [...names];
  return [...shown, names[0]];
}

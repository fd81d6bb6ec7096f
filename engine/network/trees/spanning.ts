/** Spanning trees of a graph with weights. */
import type { TreeProblem } from './problem.ts';

export interface Spanning {
  /** Edges of a lightest spanning tree, and its weight; `weight` is by edge. Infinity if none spans the ranks. */
  lightest(weight: Float64Array): number;
  /** Of the last call. */
  readonly edges: Int32Array;
  /** Edges of the tree of fewest hops from a rank. */
  fromRank(root: number): Int32Array;
}

/** Prim's algorithm. Of edges that weigh the same, the one nearer to the first rank is taken: lower trees have less delay. */
export function spanningOf({ ranks, edges: all }: TreeProblem): Spanning {
  const offsets = new Int32Array(ranks + 1);
  for (const { from, to } of all) {
    offsets[from + 1] += 1;
    offsets[to + 1] += 1;
  }
  for (let rank = 0; rank < ranks; rank += 1) offsets[rank + 1] += offsets[rank];
  const next = offsets.slice();
  const target = new Int32Array(2 * all.length);
  const edgeAt = new Int32Array(2 * all.length);
  for (const [index, { from, to }] of all.entries()) {
    edgeAt[next[from]] = index;
    target[next[from]++] = to;
    edgeAt[next[to]] = index;
    target[next[to]++] = from;
  }
  const edges = new Int32Array(Math.max(0, ranks - 1));
  const best = new Float64Array(ranks);
  const via = new Int32Array(ranks);
  const depth = new Int32Array(ranks);
  const inside = new Uint8Array(ranks);

  const grow = (weight: Float64Array | undefined, root: number): number => {
    best.fill(Infinity);
    inside.fill(0);
    depth[root] = 0;
    let total = 0;
    for (let added = root, count = 1; ; count += 1) {
      inside[added] = 1;
      if (count === ranks) return total;
      for (let at = offsets[added]; at < offsets[added + 1]; at += 1) {
        const rank = target[at];
        if (inside[rank] === 1) continue;
        const cost = weight === undefined ? depth[added] : weight[edgeAt[at]];
        if (cost > best[rank] || (cost === best[rank] && depth[added] + 1 >= depth[rank])) continue;
        best[rank] = cost;
        via[rank] = edgeAt[at];
        depth[rank] = depth[added] + 1;
      }
      let nearest = -1;
      for (let rank = 0; rank < ranks; rank += 1) {
        if (inside[rank] === 1 || best[rank] === Infinity) continue;
        const less = nearest < 0 ? -1 : best[rank] - best[nearest];
        if (less < 0 || (less === 0 && depth[rank] < depth[nearest])) nearest = rank;
      }
      if (nearest < 0) return Infinity;
      total += best[nearest];
      edges[count - 1] = via[nearest];
      added = nearest;
    }
  };

  return {
    edges,
    lightest: (weight) => grow(weight, 0),
    fromRank(root) {
      grow(undefined, root);
      return edges.slice();
    },
  };
}

/** The most hops from the middle of a tree to its ranks: half of its longest route, rounded up. */
export function radiusOf({ ranks, edges: all }: TreeProblem, edges: readonly number[]): number {
  const near: number[][] = Array.from({ length: ranks }, () => []);
  for (const edge of edges) {
    near[all[edge].from].push(all[edge].to);
    near[all[edge].to].push(all[edge].from);
  }
  const farthest = (start: number): readonly [rank: number, hops: number] => {
    const hops = new Int32Array(ranks).fill(-1);
    hops[start] = 0;
    const queue = [start];
    for (const rank of queue)
      for (const other of near[rank])
        if (hops[other] < 0) {
          hops[other] = hops[rank] + 1;
          queue.push(other);
        }
    const last = queue[queue.length - 1];
    return [last, hops[last]];
  };
  return Math.ceil(farthest(farthest(0)[0])[1] / 2);
}

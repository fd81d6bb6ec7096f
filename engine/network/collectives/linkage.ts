/** Ranks grouped by how fast they reach each other. */

/** Bytes per second from one rank to another, by place in the group. */
export type Bandwidths = (from: number, to: number) => number;

/**
 * Single linkage (Sneath, 1957): ranks are in one part if a chain of pairs joins them, each at least as fast as a bound. There is one grouping for each
 * bound that changes something, the finest first; each has the part of every rank. The pairs that matter are a maximum
 * spanning tree (Gower and Ross, 1969), which takes n² steps to find.
 */
export function singleLinkage(ranks: number, bandwidth: Bandwidths): readonly Int32Array[] {
  const joins = maximumSpanningTree(ranks, bandwidth).toSorted((a, b) => b.bandwidth - a.bandwidth);
  const part = Int32Array.from({ length: ranks }, (_, rank) => rank);
  // The ranks of each part, in a ring.
  const next = part.slice();
  const groupings: Int32Array[] = [];
  for (const [index, join] of joins.entries()) {
    const { from, to } = join;
    let rank = to;
    do {
      part[rank] = part[from];
      rank = next[rank];
    } while (rank !== to);
    [next[from], next[to]] = [next[to], next[from]];
    if (index + 1 === joins.length || joins[index + 1].bandwidth < join.bandwidth) groupings.push(part.slice());
  }
  return groupings;
}

interface Join {
  readonly from: number;
  readonly to: number;
  readonly bandwidth: number;
}

/** Prim's algorithm. */
function maximumSpanningTree(ranks: number, bandwidth: Bandwidths): readonly Join[] {
  const best = new Float64Array(ranks).fill(-1);
  const via = new Int32Array(ranks);
  const inside = new Uint8Array(ranks);
  const joins: Join[] = [];
  for (let added = 0, count = 1; count < ranks; count += 1) {
    inside[added] = 1;
    let next = -1;
    for (let rank = 0; rank < ranks; rank += 1) {
      if (inside[rank] === 1) continue;
      const reached = bandwidth(added, rank);
      if (reached > best[rank]) [best[rank], via[rank]] = [reached, added];
      if (next < 0 || best[rank] > best[next]) next = rank;
    }
    joins.push({ from: via[next], to: next, bandwidth: best[next] });
    added = next;
  }
  return joins;
}

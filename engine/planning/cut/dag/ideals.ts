/** All sets of layers that stages can end behind: with each layer all that it needs. */
import type { Adjacency, Dag } from './graph.ts';
import { depths } from './orders.ts';

/** Sets and what adding a node makes of them; set 0 is empty, the last is whole, larger sets come later. */
export interface Ideals {
  readonly count: number;
  /** Additions to set s: from `from[s]` to `from[s + 1]` (exclusive). */
  readonly from: Int32Array;
  /** Node that is added, and the set that it makes. */
  readonly node: Int32Array;
  readonly to: Int32Array;
  /** Nodes of each set: bits of its row of `width` words. */
  readonly sets: Int32Array;
  readonly width: number;
}

/** Figures that bound the work, so that it is the same everywhere: sets, words of all sets, additions. Some 20 ms. */
const mostSets = 32_768;
const mostWords = 1_500_000;
const mostAdditions = 200_000;

/** Every set that holds with each node those that it needs; `undefined` where there are more than the limits allow. */
export function idealsOf(dag: Dag): Ideals | undefined {
  const { count, needs, users } = dag;
  const width = Math.max(1, (count + 31) >>> 5);
  const most = Math.min(mostSets, Math.floor(mostWords / width));
  if (count >= most || doublings(dag) > Math.log2(most)) return undefined;
  const sets = new Int32Array(most * width);
  const hashes = new Int32Array(most);
  // The first way in which a set was made.
  const parent = new Int32Array(most);
  const added = new Int32Array(most);
  const table = new Int32Array(4 * mostSets);
  const keys = hashKeys(count);
  const from = [0];
  const node: number[] = [];
  const to: number[] = [];
  let found = 1;
  table[0] = 1;

  const holdsAll = (set: number, member: number): boolean => {
    for (let at = needs.from[member]; at < needs.from[member + 1]; at += 1) {
      const needed = needs.nodes[at];
      if (((sets[set * width + (needed >>> 5)] >>> (needed & 31)) & 1) === 0) return false;
    }
    return true;
  };
  /** Whether `set` is `other` and `one`. */
  const isSum = (set: number, other: number, last: number): boolean => {
    for (let word = 0; word < width; word += 1) {
      const bit = word === last >>> 5 ? 1 << (last & 31) : 0;
      if (sets[set * width + word] !== (sets[other * width + word] | bit)) return false;
    }
    return true;
  };
  /** The set with a node more; −1 where there is no room for it. */
  const grown = (set: number, member: number): number => {
    const hash = hashes[set] ^ keys[member];
    let at = (hash ^ (hash >>> 15)) & (table.length - 1);
    for (; table[at] !== 0; at = (at + 1) & (table.length - 1)) {
      const known = table[at] - 1;
      if (hashes[known] === hash && isSum(known, set, member)) return known;
    }
    if (found === most) return -1;
    const made = found;
    found += 1;
    sets.copyWithin(made * width, set * width, (set + 1) * width);
    sets[made * width + (member >>> 5)] |= 1 << (member & 31);
    hashes[made] = hash;
    parent[made] = set;
    added[made] = member;
    table[at] = made + 1;
    return made;
  };

  for (let set = 0; set < found; set += 1) {
    if (set === 0) {
      for (let candidate = 0; candidate < count; candidate += 1) if (holdsAll(0, candidate)) node.push(candidate);
    } else {
      // What could be added before still can; besides, what the last node was missing for.
      const last = added[set];
      for (let at = from[parent[set]]; at < from[parent[set] + 1]; at += 1) if (node[at] !== last) node.push(node[at]);
      for (let at = users.from[last]; at < users.from[last + 1]; at += 1)
        if (holdsAll(set, users.nodes[at])) node.push(users.nodes[at]);
    }
    if (node.length > mostAdditions) return undefined;
    for (let at = from[set]; at < node.length; at += 1) {
      const made = grown(set, node[at]);
      if (made < 0) return undefined;
      to.push(made);
    }
    from.push(node.length);
  }
  return {
    count: found,
    from: Int32Array.from(from),
    node: Int32Array.from(node),
    to: Int32Array.from(to),
    sets: sets.subarray(0, found * width),
    width,
  };
}

/**
 * Base-2 logarithm of a lower bound of the number of sets. Nodes of one depth do not need each other. Each comes with the chain
 * of nodes that only it needs, or that need only it. A set holds any number of nodes of each chain, from its start.
 */
function doublings(dag: Dag): number {
  const { count, needs, users } = dag;
  const only = ({ from, nodes }: Adjacency, node: number) =>
    from[node + 1] - from[node] === 1 ? nodes[from[node]] : -1;
  // Nodes of the chain up to each, and from each, with it.
  const before = new Int32Array(count).fill(1);
  const behind = new Int32Array(count).fill(1);
  for (let node = 0; node < count; node += 1) {
    const user = only(users, node);
    if (user >= 0) before[user] = Math.max(before[user], before[node] + 1);
  }
  for (let node = count - 1; node >= 0; node -= 1) {
    const needed = only(needs, node);
    if (needed >= 0) behind[needed] = Math.max(behind[needed], behind[node] + 1);
  }
  const levels = new Float64Array(count);
  for (const [node, depth] of depths(dag).entries()) levels[depth] += Math.log2(before[node] + behind[node]);
  return levels.reduce((most, level) => Math.max(most, level), 0);
}

/** A number for each node; a set's hash is theirs joined by exclusive or (Zobrist 1970). */
function hashKeys(count: number): Int32Array {
  let state = 0x9e3779b9 | 0;
  return Int32Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}

/** Layers and what they need, as arrays. Nodes are numbered so that each comes after those that it needs. */
export interface Dag {
  readonly count: number;
  /** Nodes that a node needs, each once. */
  readonly needs: Adjacency;
  /** Nodes that need it. */
  readonly users: Adjacency;
}

/** Neighbours of node i: `nodes` from `from[i]` to `from[i + 1]` (exclusive), ascending. */
export interface Adjacency {
  readonly from: Int32Array;
  readonly nodes: Int32Array;
}

/** Above this many nodes nothing is kept for each pair of them. */
export const pairLimit = 4096;

/** `needs(i)` may name a node twice; each is less than i. */
export function dagOf(count: number, needs: (node: number) => Iterable<number>): Dag {
  const rows = Array.from({ length: count }, (_, node) => [...new Set(needs(node))].sort((a, b) => a - b));
  const users: number[][] = rows.map(() => []);
  for (const [node, row] of rows.entries()) for (const value of row) users[value].push(node);
  return { count, needs: adjacency(rows), users: adjacency(users) };
}

function adjacency(rows: readonly (readonly number[])[]): Adjacency {
  const from = new Int32Array(rows.length + 1);
  for (const [node, row] of rows.entries()) from[node + 1] = from[node] + row.length;
  const nodes = new Int32Array(from[rows.length]);
  for (const [node, row] of rows.entries()) nodes.set(row, from[node]);
  return { from, nodes };
}

/** Whether nodes have only one possible order: each needs the one before it. */
export function hasOneOrder({ count, needs }: Dag): boolean {
  for (let node = 1; node < count; node += 1) {
    // Ascending, so that the one before it is the last.
    const last = needs.from[node + 1] - 1;
    if (last < needs.from[node] || needs.nodes[last] !== node - 1) return false;
  }
  return true;
}

/** The same graph with all needs turned round; node i becomes `count − 1 − i`. */
export function turned({ count, users }: Dag): Dag {
  const last = count - 1;
  return dagOf(count, (node) =>
    [...users.nodes.subarray(users.from[last - node], users.from[last - node + 1])].map((value) => last - value),
  );
}

/** For each node all that it needs, directly or not, itself included: bits of its row of words. */
function setsBefore({ count, needs }: Dag): { readonly sets: Int32Array; readonly width: number } {
  const width = (count + 31) >>> 5;
  const sets = new Int32Array(count * width);
  for (let node = 0; node < count; node += 1) {
    const base = node * width;
    for (let at = needs.from[node]; at < needs.from[node + 1]; at += 1) {
      const needed = needs.nodes[at];
      for (let word = 0; word <= needed >>> 5; word += 1) sets[base + word] |= sets[needed * width + word];
    }
    sets[base + (node >>> 5)] |= 1 << (node & 31);
  }
  return { sets, width };
}

/**
 * The graph of the nodes that `kept` marks, with as few edges as it can have: a node has no edge to what it needs through others.
 * For at most `pairLimit` nodes.
 */
export function withoutNodes(given: Dag, kept: Uint8Array): { readonly dag: Dag; readonly nodes: Int32Array } {
  const { sets, width } = setsBefore(given);
  const nodes = Int32Array.from({ length: given.count }, (_, node) => node).filter((node) => kept[node] === 1);
  const number = new Int32Array(given.count);
  const marks = new Int32Array(width);
  for (const [index, node] of nodes.entries()) {
    number[node] = index;
    marks[node >>> 5] |= 1 << (node & 31);
  }
  const covered = new Int32Array(width);
  const direct = (node: number): number[] => {
    const found: number[] = [];
    covered.fill(0);
    covered[node >>> 5] = 1 << (node & 31);
    // From the last one down, so that what covers a node is met before it.
    for (let word = node >>> 5; word >= 0; word -= 1) {
      for (;;) {
        const left = sets[node * width + word] & marks[word] & ~covered[word];
        if (left === 0) break;
        const member = (word << 5) + 31 - Math.clz32(left);
        found.push(number[member]);
        for (let at = 0; at <= word; at += 1) covered[at] |= sets[member * width + at];
      }
    }
    return found;
  };
  return { dag: dagOf(nodes.length, (index) => direct(nodes[index])), nodes };
}

/** For each node the sum of the weights of all that it needs, itself included; for at most `pairLimit` nodes. */
export function weightsBefore(dag: Dag, weights: Float64Array): Float64Array {
  const { sets, width } = setsBefore(dag);
  return weights.map((_, node) => {
    let sum = 0;
    for (let word = 0; word <= node >>> 5; word += 1) {
      for (let bits = sets[node * width + word]; bits !== 0; bits &= bits - 1)
        sum += weights[(word << 5) + 31 - Math.clz32(bits & -bits)];
    }
    return sum;
  });
}

/** For each node the sum of the weights of all that need it, itself included; for at most `pairLimit` nodes. */
export const weightsAfter = (dag: Dag, weights: Float64Array): Float64Array =>
  weightsBefore(turned(dag), weights.toReversed()).toReversed();

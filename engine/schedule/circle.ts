/** Who waits for whom among things that are numbered; each waits for at least one other. */
export interface WaitGraph {
  /** Numbers are below this. */
  readonly size: number;
  /** All that wait, in the order in which to look. */
  readonly nodes: Iterable<number>;
  /** Calls `visit` for each that a node waits for. */
  each(node: number, visit: (target: number) => void): void;
}

/** Waits that the search for a shorter circle may look at: under a second, whatever the program. */
const budget = 4_000_000;

/**
 * The shortest circle of a graph in which everything waits for something: nodes, each waiting for the next, the last for the
 * first. Breadth first from one node after another, each search no deeper than the best circle so far. In a graph with millions
 * of waits the circle is short but need not be the shortest: the search looks at `most` waits. Empty if there are no nodes.
 */
export function shortestCircle({ size, nodes, each }: WaitGraph, most = budget): readonly number[] {
  const seen = new Int32Array(size).fill(-1);
  const queue = new Int32Array(size);
  const cameFrom = new Int32Array(size);
  let best: readonly number[] = [];
  let left = most;

  const search = (from: number): void => {
    let head = 0;
    let tail = 1;
    let depth = 1;
    let depthEnd = 1;
    queue[0] = from;
    seen[from] = from;
    while (head < tail) {
      if (head === depthEnd) {
        depth += 1;
        depthEnd = tail;
      }
      if (best.length > 0 && (depth >= best.length || left < 0)) return;
      const node = queue[head];
      let closes = false;
      each(node, (target) => {
        left -= 1;
        if (target === from) closes = true;
        else if (seen[target] !== from) {
          seen[target] = from;
          cameFrom[target] = node;
          queue[tail] = target;
          tail += 1;
        }
      });
      if (closes) {
        const circle = [node];
        for (let at = node; at !== from; circle.push(at)) at = cameFrom[at];
        best = circle.toReversed();
        return;
      }
      head += 1;
    }
  };

  let started = false;
  for (const node of nodes) {
    // From what waits for a circle without being on it, no search comes back: the first starts on one.
    if (!started) search(onCircle({ size, nodes, each }, node));
    started = true;
    if (left <= 0) break;
    search(node);
  }
  return best;
}

/** A node on some circle: from node to node along the first wait until one comes again. */
function onCircle({ size, each }: WaitGraph, start: number): number {
  const passed = new Uint8Array(size);
  let node = start;
  while (passed[node] === 0) {
    passed[node] = 1;
    let next = -1;
    each(node, (target) => {
      if (next < 0) next = target;
    });
    if (next >= 0) node = next;
  }
  return node;
}

/** Orders of pulls of parameters: Hashemi et al., "TicTac", MLSys 2019, arXiv:1803.03288, section 4. */

/** Operations of one iteration, in an order in which each follows those that it needs. Operation i waits for pull i. */
export interface PullGraph {
  /** Seconds of each operation, and of its pull. A pull of 0 seconds is none. */
  readonly compute: Float64Array;
  readonly pull: Float64Array;
  /** By operation, those that it needs. */
  readonly needs: readonly (readonly number[])[];
}

/** By operation, the pulls that it depends on, through others too, ascending. */
function pullsOf({ pull, needs }: PullGraph): readonly (readonly number[])[] {
  const all: (readonly number[])[] = [];
  needs.forEach((needed, operation) => {
    const pulls = new Set(pull[operation] > 0 ? [operation] : []);
    for (const each of needed) for (const one of all[each]) pulls.add(one);
    all.push([...pulls].sort((a, b) => a - b));
  });
  return all;
}

/**
 * Timing-independent order: by pull, its place. First the pull that an operation with the fewest pulls (more than one) depends on;
 * of equal ones the earlier layer.
 */
export function timingIndependent(graph: PullGraph): Int32Array {
  const least = new Float64Array(graph.pull.length).fill(Infinity);
  for (const pulls of pullsOf(graph))
    if (pulls.length > 1) for (const pull of pulls) least[pull] = Math.min(least[pull], pulls.length);
  const order = Int32Array.from(least, (_, pull) => pull).sort((a, b) => compare(least[a], least[b]) || a - b);
  return placesOf(order);
}

/**
 * Timing-aware order: by pull, its place. Each time, of the pulls that are left, a goes before b if min(P_b, M_a) < min(P_a, M_b). M is
 * the seconds of a pull, and P the seconds of the operations that wait for nothing else. Equal ones go by M⁺, then by layer. M⁺ is the
 * least sum of pulls that an operation waits for, this pull among them. O(pulls² · operations).
 */
export function timingAware(graph: PullGraph): Int32Array {
  const { compute, pull } = graph;
  const pulls = pullsOf(graph);
  const users: number[][] = Array.from(pull, () => []);
  pulls.forEach((each, operation) => each.forEach((one) => users[one].push(operation)));
  // By operation, the number of pulls that are left, and their seconds.
  const missing = Int32Array.from(pulls, (each) => each.length);
  const sum = Float64Array.from(pulls, (each) => each.reduce((all, one) => all + pull[one], 0));
  const there = new Uint8Array(pull.length);
  const alone = new Float64Array(pull.length);
  const together = new Float64Array(pull.length);
  const addAlone = (operation: number) => {
    const last = missing[operation] === 1 ? pulls[operation].find((one) => there[one] === 0) : undefined;
    if (last !== undefined) alone[last] += compute[operation];
  };
  missing.forEach((_, operation) => addAlone(operation));
  let left = Array.from(pull, (_, one) => one).filter((one) => pull[one] > 0);
  const order: number[] = [];
  while (left.length > 0) {
    for (const one of left) {
      let least = Infinity;
      for (const operation of users[one]) if (missing[operation] > 1 && sum[operation] < least) least = sum[operation];
      together[one] = least;
    }
    const first = left.reduce((best, one) => (before(one, best) ? one : best));
    order.push(first);
    there[first] = 1;
    left = left.filter((one) => one !== first);
    for (const operation of users[first]) {
      missing[operation] -= 1;
      sum[operation] -= pull[first];
      addAlone(operation);
    }
  }
  // Pulls of no seconds have no place of their own: they are there at once.
  return placesOf(Int32Array.from([...Array.from(pull, (_, one) => one).filter((one) => pull[one] === 0), ...order]));

  function before(a: number, b: number): boolean {
    const [first, second] = [Math.min(alone[b], pull[a]), Math.min(alone[a], pull[b])];
    return (compare(first, second) || compare(together[a], together[b]) || a - b) < 0;
  }
}

/** Sums of the same seconds in another order are equal; Infinity equals itself. */
const compare = (a: number, b: number): number =>
  a === b || Math.abs(a - b) <= 1e-12 * Math.min(Math.abs(a), Math.abs(b)) ? 0 : a - b;

function placesOf(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  order.forEach((one, place) => {
    places[one] = place;
  });
  return places;
}

/** Ends of operations on one device, which runs them as they get ready: seconds. `arrival` is when each pull is there. */
export function runAsReady(
  { compute, needs }: Pick<PullGraph, 'compute' | 'needs'>,
  arrival: Float64Array,
): Float64Array {
  const ends = new Float64Array(compute.length).fill(Infinity);
  const ready = new Float64Array(compute.length).fill(Infinity);
  const missing = Int32Array.from(needs, (needed) => needed.length);
  const users: number[][] = Array.from(compute, () => []);
  needs.forEach((needed, operation) => needed.forEach((each) => users[each].push(operation)));
  const waiting = new Set<number>();
  const enter = (operation: number) => {
    ready[operation] = needs[operation].reduce((latest, each) => Math.max(latest, ends[each]), arrival[operation]);
    waiting.add(operation);
  };
  missing.forEach((count, operation) => {
    if (count === 0) enter(operation);
  });
  let now = -Infinity;
  while (waiting.size > 0) {
    // The one that is ready first; those that are ready by now are in the order in which they got ready.
    let first = -1;
    for (const each of waiting)
      if (first < 0 || compare(ready[each], ready[first]) < 0 || (ready[each] === ready[first] && each < first))
        first = each;
    waiting.delete(first);
    now = Math.max(now, ready[first]) + compute[first];
    ends[first] = now;
    for (const user of users[first]) {
      missing[user] -= 1;
      if (missing[user] === 0) enter(user);
    }
  }
  return ends;
}

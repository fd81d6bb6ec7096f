/** Groups of layers that are loaded onto a device while earlier groups run. Bai et al., "PipeSwitch" (OSDI 2020). */

/** Layers in the order in which they run: bytes to load, and seconds of one forward. */
export interface LoadedLayers {
  readonly bytes: ArrayLike<number>;
  readonly seconds: ArrayLike<number>;
}

/** What a group costs in addition to its layers. */
export interface LoadCosts {
  /** Bytes per second of the link that weights come over. */
  readonly bandwidth: number;
  /** Seconds that each group's transfer takes in addition to its bytes. */
  readonly call: number;
  /** Seconds between the arrival of a group and the start of its first layer. */
  readonly sync: number;
}

export const groupings = ['best', 'per_layer', 'one'] as const;
export type Grouping = (typeof groupings)[number];

/** Number of layers of each group, in order. */
export function groupSizes(grouping: Grouping, layers: LoadedLayers, costs: LoadCosts): readonly number[] {
  if (grouping === 'one') return [layers.bytes.length];
  if (grouping === 'per_layer') return Array.from(layers.bytes, () => 1);
  return bestSizes(layers, costs);
}

/**
 * When the last group has run, seconds from the start of the first transfer: for each group in turn
 * `end ← max(end, Σ (call + bytes / bandwidth)) + sync + Σ seconds`, the first sum over all groups so far.
 */
export function finishOf({ bytes, seconds }: LoadedLayers, sizes: readonly number[], costs: LoadCosts): number {
  let arrived = 0;
  let end = 0;
  let layer = 0;
  for (const size of sizes) {
    let load = 0;
    let run = 0;
    for (const stop = layer + size; layer < stop; layer += 1) {
      load += bytes[layer];
      run += seconds[layer];
    }
    arrived += costs.call + load / costs.bandwidth;
    end = Math.max(end, arrived) + costs.sync + run;
  }
  return end;
}

/** Finishes closer than this share of them count as equal. */
const digits = 1e-13;

/**
 * The grouping of the earliest finish over all 2^(n − 1); of several such, one with the fewest groups. Exact to `digits`.
 *
 * With G groups the finish is the largest, over groups k = 1 … G of the layers j + 1 … i, of
 * `k · call + bytes(1 … i) / bandwidth + (G − k + 1) · sync + seconds(j + 1 … n)`: the group arrives, and from then on the device
 * never waits. To decide whether some grouping of at most G groups stays within a limit, each group is made as long as the limit
 * allows. A group that begins later is allowed to end later, and fewer groups lower every term. So each G takes one pass to see
 * whether it beats the best so far, and only then a bisection. The loop ends when the calls and synchronisations of G groups
 * alone take longer than the best. O(n²) for n layers.
 */
function bestSizes(layers: LoadedLayers, costs: LoadCosts): readonly number[] {
  const count = layers.bytes.length;
  const arrival = sums(layers.bytes).map((sum) => sum / costs.bandwidth);
  const work = sums(layers.seconds);
  const within = (groups: number, limit: number) => longestGroups(arrival, work, costs, groups, limit);
  const last = count === 0 ? 0 : layers.seconds[count - 1];
  const least = (groups: number) =>
    Math.max(
      groups * costs.call + arrival[count] + costs.sync + last,
      costs.call + arrival[Math.min(1, count)] + groups * costs.sync + work[count],
    );
  let best: readonly number[] = [count];
  let finish = finishOf(layers, best, costs);
  for (let groups = 2; groups <= count && least(groups) < finish * (1 - digits); groups += 1) {
    let low = least(groups);
    let high = finish;
    let sizes = within(groups, high * (1 - digits));
    if (sizes === undefined) continue;
    // The least limit that can be met lies between `low` and `high`.
    for (;;) {
      if (sizes !== undefined) {
        const found = finishOf(layers, sizes, costs);
        if (found < finish) [best, finish] = [sizes, found];
        high = Math.min(high, found);
      }
      if (high - low <= digits * high) break;
      const middle = (low + high) / 2;
      sizes = within(groups, middle);
      if (sizes === undefined) low = middle;
      else high = middle;
    }
  }
  return best;
}

/** At most `groups` groups that finish within `limit`, each as long as can be; `undefined` where there are none. */
function longestGroups(
  arrival: Float64Array,
  work: Float64Array,
  { call, sync }: LoadCosts,
  groups: number,
  limit: number,
): readonly number[] | undefined {
  const count = arrival.length - 1;
  const sizes: number[] = [];
  let layer = 0;
  for (let group = 1; layer < count; group += 1) {
    if (group > groups) return undefined;
    const latest = limit - group * call - (groups - group + 1) * sync - (work[count] - work[layer]);
    const first = layer;
    while (layer < count && arrival[layer + 1] <= latest) layer += 1;
    if (layer === first) return undefined;
    sizes.push(layer - first);
  }
  return sizes;
}

function sums(values: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(values.length + 1);
  for (let at = 0; at < values.length; at += 1) sum[at + 1] = sum[at] + values[at];
  return sum;
}

/** What DAPPLE's latency is at least, for all plans of the first layers. */
import type { DappleCosts } from './dappleCosts.ts';

export interface DappleBounds {
  /**
   * Latency that no plan is below, for the first `k` layers on `n` machines at most, at `k · (machines + 1) + n`. It looks at the
   * slowest stage or transfer in front: L ≥ M(F + B) of each, and for the first stage also its exchange.
   */
  readonly slowest: Float64Array;
  /**
   * The same: by how much these layers increase the latency if none of their stages becomes the pivot. With X = max_s (Σ_{a≥s} (F + B)_a +
   * Σ_{a<s} F_a + AR_s) over the steps in front, L ≥ D + P + X.
   */
  readonly rising: Float64Array;
}

interface BoundRequest {
  readonly count: number;
  readonly machines: number;
  readonly microbatches: number;
  readonly costs: DappleCosts;
}

/** Steps between two yields: some 5 ms. */
const slice = 300_000;

/** With the machines of the last stage given, the stage before it has all others at most. */
export function* dappleBounds({ count, machines, microbatches, costs }: BoundRequest): Generator<void, DappleBounds> {
  const { forward, backward, least, exchange, transfer } = costs;
  const width = machines + 1;
  const slowest = new Float64Array((count + 1) * width).fill(Infinity);
  slowest.fill(0, 0, width);
  const rising = Float64Array.from(slowest);
  let work = 0;
  for (let to = 1; to <= count; to += 1) {
    const row = to * width;
    for (let replicas = 1; replicas <= machines; replicas += 1) {
      const whole = forward(0, to, replicas) + backward(0, to, replicas) + exchange(0, to, replicas);
      const slow = whole + (microbatches - 1) * (forward(0, to, replicas) + backward(0, to, replicas));
      for (let most = replicas; most <= machines; most += 1) {
        slowest[row + most] = Math.min(slowest[row + most], slow);
        rising[row + most] = Math.min(rising[row + most], whole);
      }
    }
    for (let replicas = 1; replicas < machines; replicas += 1) {
      for (let from = to - 1; from > 0; from -= 1) {
        const time = forward(from, to, replicas) + backward(from, to, replicas);
        // Starting earlier, the stage takes longer; more machines are better in both tables.
        const next = row + replicas + 1;
        const shortest = least(from, to, replicas);
        if (microbatches * shortest >= slowest[next] && shortest >= rising[next]) break;
        work += machines - replicas;
        const reduce = exchange(from, to, replicas);
        for (let most = replicas + 1; most <= machines; most += 1) {
          const before = from * width + most - replicas;
          const sent = transfer(from, Math.min(replicas, most - replicas));
          const slow = Math.max(microbatches * Math.max(time, 2 * sent), slowest[before]);
          if (slow < slowest[row + most]) slowest[row + most] = slow;
          const rise = time + Math.max(rising[before] + 2 * sent, forward(0, from, most - replicas) + sent + reduce);
          if (rise < rising[row + most]) rising[row + most] = rise;
        }
      }
      if (work < slice) continue;
      work = 0;
      yield;
    }
  }
  return { slowest, rising };
}

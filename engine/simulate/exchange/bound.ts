/** What no order of a lane can beat. */
import { itemsByRank, ranksBy } from './items.ts';
import { RankHeap } from './rankHeap.ts';

/** Work of a lane: when it may start, how long it takes, and what follows its end. Columns, seconds. */
export interface LaneJobs {
  readonly ready: Float64Array;
  readonly seconds: Float64Array;
  readonly tail: Float64Array;
}

/**
 * The least max(end + tail) over all orders, where work may be interrupted at no cost. The work with the longest tail goes first
 * (Jackson; Horn, Naval Research Logistics Quarterly 21 (1974) 177–185). It equals the greatest (least `ready` + sum of `seconds` +
 * least `tail`) of any set of jobs, so no order without interruptions is below it either. −∞ for no jobs. O(n log n).
 */
export function leastFinish({ ready, seconds, tail }: LaneJobs): number {
  const rank = ranksBy(tail.map((each) => -each));
  const jobOf = itemsByRank(rank);
  const byReady = itemsByRank(ranksBy(ready));
  const left = seconds.slice();
  const queue = new RankHeap(ready.length);
  let worst = -Infinity;
  let now = -Infinity;
  let next = 0;
  while (next < byReady.length || queue.size > 0) {
    if (queue.size === 0) now = Math.max(now, ready[byReady[next]]);
    for (; next < byReady.length && ready[byReady[next]] <= now; next += 1) queue.push(rank[byReady[next]]);
    const job = jobOf[queue.top];
    const until = next < byReady.length ? ready[byReady[next]] : Infinity;
    if (now + left[job] <= until) {
      now += left[job];
      worst = Math.max(worst, now + tail[job]);
      queue.pop();
    } else {
      left[job] -= until - now;
      now = until;
    }
  }
  return worst;
}

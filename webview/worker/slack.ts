import { needSlot } from '../../engine/values/program.ts';
import { occupancyOf, type Timing } from '../../engine/values/timeline.ts';
import type { Columns } from '../picture/columns.ts';

/**
 * Seconds that each block may end later without a longer iteration: its latest end minus its end. The order on devices and
 * the transfers stay as they are. What rounding leaves of nothing is zero. This is the total float of the critical path method (Kelley and Walker 1959). O(n log n).
 */
export function slackOf(
  columns: Columns,
  timing: Timing,
  maker: Int32Array,
  arrival: Float64Array | undefined,
): Float64Array {
  const { start, end, word, offsets, shift, microbatches, makespan } = columns;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const latest = new Float64Array(word.length).fill(makespan);
  // A block's followers start no earlier than it ends, so falling starts put followers first; ties (blocks of no length) by position.
  const byStart = followersFirst(columns);
  const rowStart = new Uint8Array(word.length + 1);
  for (const offset of offsets) rowStart[offset] = 1;
  for (const block of byStart) {
    const latestStart = latest[block] - (end[block] - start[block]);
    if (rowStart[block] === 0) {
      // Two blocks that share a slot end together.
      const before = columns.pair?.[block] === 2 ? latest[block] : latestStart;
      if (before < latest[block - 1]) latest[block - 1] = before;
    }
    const code = word[block];
    if (code < 0) continue;
    const row = code >> shift;
    const microbatch = code & mask;
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      const slot = needSlot(timing, microbatches, need, microbatch);
      const from = slot < 0 ? -1 : maker[slot];
      if (from < 0) continue;
      const delay =
        arrival === undefined
          ? occupancyOf(timing, microbatches, need, microbatch) + timing.needLatency[need]
          : arrival[need * microbatches + microbatch] - end[from];
      if (latestStart - delay < latest[from]) latest[from] = latestStart - delay;
    }
  }
  const noise = makespan * 1e-9;
  return latest.map((time, block) => (time - end[block] > noise ? time - end[block] : 0));
}

/** Up to this many blocks are sorted in place: most buckets have a few, and a call of `sort` costs more than that. */
const mostInserted = 32;

function insertionSort(values: Int32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  for (let at = from + 1; at < to; at += 1) {
    const value = values[at];
    let place = at;
    for (; place > from && compare(values[place - 1], value) > 0; place -= 1) values[place] = values[place - 1];
    values[place] = value;
  }
}

/** Blocks by falling start, then end, then number. Starts are spread over the makespan, so a bucket has few: O(n) for most timelines. */
function followersFirst({ start, end, makespan }: Columns): Int32Array {
  const count = start.length;
  const bucketOf = (block: number) => count - 1 - Math.min(count - 1, Math.floor((start[block] / makespan) * count));
  const from = new Int32Array(count + 1);
  for (let block = 0; block < count; block += 1) from[bucketOf(block) + 1] += 1;
  for (let bucket = 0; bucket < count; bucket += 1) from[bucket + 1] += from[bucket];
  const next = from.slice();
  const sorted = new Int32Array(count);
  for (let block = count - 1; block >= 0; block -= 1) {
    const bucket = bucketOf(block);
    sorted[next[bucket]] = block;
    next[bucket] += 1;
  }
  const later = (a: number, b: number) => start[b] - start[a] || end[b] - end[a] || b - a;
  for (let bucket = 0; bucket < count; bucket += 1) {
    const [first, last] = [from[bucket], from[bucket + 1]];
    if (last - first > mostInserted) sorted.subarray(first, last).sort(later);
    else insertionSort(sorted, first, last, later);
  }
  return sorted;
}

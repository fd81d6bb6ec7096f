/** What comes back after it was sent: pulls of pushed pieces, gathers of scattered buckets. */
import type { Sent } from '../../values/exchangeTimeline.ts';
import type { CallCost } from '../../values/exchangePlan.ts';
import { type Items, itemsByRank, ranksBy } from './items.ts';
import type { Pulls } from './sendBothWays.ts';
import { allThere } from './sent.ts';

/** `backs`: cost of what comes back, by call; undefined for a call that has none. */
type Backs = readonly (CallCost | undefined)[];

/**
 * Pieces that have been pushed, to pull in the order of the buckets' ranks. `afterAll`: nothing is pulled before all is pushed. A
 * row of `sent` is one piece.
 */
export function pullsOf(items: Items, { costs: backs, rank, afterAll, delays }: Pulls, sent: Sent): Items {
  const rows = new Int32Array(sent.length);
  let count = 0;
  for (let row = 0; row < sent.length; row += 1)
    // A call that was lost to a cut has no bytes.
    if (sent.bytes[row] > 0 && backs[items.call[sent.bucket[row]]] !== undefined) rows[count++] = row;
  const there = (row: number): number => sent.end[row] + delays[items.call[sent.bucket[row]]];
  const pieces = rows.subarray(0, count);
  if (delays.some((delay) => delay !== delays[0])) pieces.sort((a, b) => there(a) - there(b) || a - b);
  const bucket = pieces.map((row) => sent.bucket[row]);
  const ready = new Float64Array(count);
  const bytes = new Float64Array(count);
  const all = allThere(sent, items.call, delays);
  for (let at = 0; at < count; at += 1) {
    ready[at] = afterAll ? all : there(pieces[at]);
    bytes[at] = sent.bytes[pieces[at]];
  }
  return { ready, bytes, rank: ranksOfPieces(bucket, rank), ...callsOf(items, backs, bucket) };
}

/** Buckets that have been scattered, to gather from `from` seconds on, the front layer first. */
export function gathersOf(items: Items, backs: Backs, front: Int32Array, from: number): Items {
  const buckets = Int32Array.from(front, (_, bucket) => bucket).filter(
    (bucket) => backs[items.call[bucket]] !== undefined,
  );
  return {
    ready: new Float64Array(buckets.length).fill(from),
    bytes: Float64Array.from(buckets, (bucket) => items.bytes[bucket]),
    rank: ranksBy(Float64Array.from(buckets, (bucket) => front[bucket])),
    ...callsOf(items, backs, buckets),
  };
}

const callsOf = (items: Items, backs: Backs, bucket: Int32Array): Pick<Items, 'call' | 'costs' | 'bucket'> => ({
  call: bucket.map((each) => items.call[each]),
  costs: backs.map((cost, call) => cost ?? items.costs[call]),
  bucket,
});

/** By rank of their bucket, then in order. O(pieces + buckets). */
function ranksOfPieces(bucket: Int32Array, rank: Int32Array): Int32Array {
  const next = new Int32Array(rank.length);
  for (const each of bucket) next[each] += 1;
  let before = 0;
  for (const each of itemsByRank(rank)) {
    const count = next[each];
    next[each] = before;
    before += count;
  }
  return bucket.map((each) => next[each]++);
}

import type { Buckets, Sent } from '../../values/exchangeTimeline.ts';
import { endsOf } from './sent.ts';

interface Legs {
  readonly sent: Sent;
  readonly back?: Sent;
}

/** By tensor, seconds: when layers may use it: `delays` (by call) after the last piece of its bucket, or under `early` after the piece that ends it. */
export function arrivals(
  ready: Float64Array,
  tensors: readonly { readonly bytes: number }[],
  buckets: Buckets,
  early: boolean,
  { sent, back }: Legs,
  delays: Float64Array,
): Float64Array {
  const arrival = ready.slice();
  const { offsets, members } = buckets;
  const count = buckets.ready.length;
  for (const leg of back === undefined ? [sent] : [sent, back]) {
    const ends = endsOf(leg, count);
    for (let bucket = 0; bucket < count; bucket += 1)
      for (let at = offsets[bucket]; ends[bucket] > -Infinity && at < offsets[bucket + 1]; at += 1)
        arrival[members[at]] = ends[bucket] + delays[buckets.call[bucket]];
    // What comes back replaces what was sent.
    if (early) pieceArrivals(arrival, tensors, buckets, leg, delays);
  }
  return arrival;
}

/** The bytes of the front layer are the first of a bucket. O(rows + tensors · log tensors). */
function pieceArrivals(
  arrival: Float64Array,
  tensors: readonly { readonly bytes: number }[],
  { offsets, members, call }: Buckets,
  leg: Sent,
  delays: Float64Array,
): void {
  const layout = members.slice();
  for (let bucket = 0; bucket + 1 < offsets.length; bucket += 1)
    layout.subarray(offsets[bucket], offsets[bucket + 1]).sort();
  const next = offsets.slice();
  // By bucket, bytes that have arrived, and bytes up to the end of its next tensor.
  const there = new Float64Array(offsets.length - 1);
  const wanted = there.map((_, bucket) => tensors[layout[offsets[bucket]]].bytes);
  for (let row = 0; row < leg.length; row += 1) {
    const size = leg.bytes[row];
    if (size === 0) continue;
    const bucket = leg.bucket[row];
    const seconds = (leg.end[row] - leg.start[row]) / leg.count[row];
    const upTo = there[bucket] + leg.count[row] * size;
    while (next[bucket] < offsets[bucket + 1] && wanted[bucket] <= upTo * rounded) {
      const pieces = Math.ceil((wanted[bucket] - there[bucket]) / size / rounded);
      arrival[layout[next[bucket]]] = leg.start[row] + Math.max(1, pieces) * seconds + delays[call[bucket]];
      next[bucket] += 1;
      if (next[bucket] < offsets[bucket + 1]) wanted[bucket] += tensors[layout[next[bucket]]].bytes;
    }
    there[bucket] = upTo;
  }
}

/** Sums of sizes that are equal but for rounding. */
const rounded = 1 + 1e-9;

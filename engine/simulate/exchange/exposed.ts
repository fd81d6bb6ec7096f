/** Why a device waits for layers that are exchanged. */
import type { Exposed } from '../../values/exchangeTimeline.ts';
import type { Buckets, Sent } from '../../values/exchangeTimeline.ts';
import type { LaneTensor } from './buckets.ts';
import type { LaneRun } from './lane.ts';

export const noExposed = (): Exposed => ({
  own: 0,
  fused: 0,
  blocked: 0,
  overhead: 0,
  credit: 0,
  barrier: 0,
  server: 0,
  shared: 0,
});

export const exposedTotal = ({ own, fused, blocked, overhead, credit, barrier, server, shared }: Exposed): number =>
  own + fused + blocked + overhead + credit + barrier + server + shared;

/** A device waits for a tensor of the lane. */
export interface TensorWait {
  readonly from: number;
  readonly to: number;
  readonly tensor: number;
}

/** How a lane works. */
interface Lane {
  /** The bytes of the front layer are the first of a bucket; otherwise bytes are in the order in which they got ready. */
  readonly early: boolean;
  /** What comes back goes over the lane of what is sent. */
  readonly sharesLane: boolean;
  /** By call, seconds from when a piece has left its lane until it is there. */
  readonly delays: Float64Array;
}

/**
 * Adds the causes of waits, which add up to the waits. While an incomplete bucket keeps the lane idle, its layers wait for what is
 * fused with them. Seconds from when the bucket has left the lane until it is there are `overhead`. O(rows + tensors + waits · (log rows + rows of each)).
 */
export function addExposed(
  into: Exposed,
  tensors: readonly LaneTensor[],
  run: LaneRun,
  waits: readonly TensorWait[],
  { early, sharesLane, delays }: Lane,
): void {
  const { buckets, arrival } = run;
  const bucketOf = new Int32Array(arrival.length).fill(-1);
  buckets.ready.forEach((_, bucket) => {
    for (let at = buckets.offsets[bucket]; at < buckets.offsets[bucket + 1]; at += 1)
      bucketOf[buckets.members[at]] = bucket;
  });
  const places = placesIn(buckets, tensors, early);
  const sent = legOf(run.sent, buckets.ready.length);
  const back = run.back === undefined ? undefined : legOf(run.back, buckets.ready.length);
  for (const { from, to, tensor } of waits) {
    const there = Math.min(to, Math.max(from, arrival[tensor]));
    into.barrier += to - there;
    const bucket = bucketOf[tensor];
    const first = places[tensor];
    const delay = bucket < 0 ? 0 : delays[buckets.call[bucket]];
    // It has left the lane.
    const left = Math.max(from, there - delay);
    into.overhead += there - left;
    const waited: Waited = { from, to: left, bucket, first, last: first + tensors[tensor].bytes };
    // Pulls deliver the layer; while none runs, pushes do what there is to do.
    const idle = back === undefined ? [waited] : gapsOf(back, waited, (row, part) => addRow(into, back, row, part));
    for (const gap of idle) {
      const rest = gapsOf(sent, { ...waited, ...gap }, (row, part) => {
        if (back === undefined || sharesLane) addRow(into, sent, row, part);
        else addPushes(into, sent, row, part);
      });
      for (const { from: begins, to: ends } of rest) {
        const landed = delay > 0 ? Math.min(ends, Math.max(begins, lastBefore(sent, bucket, begins) + delay)) : begins;
        into.overhead += landed - begins;
        const complete = bucket < 0 ? landed : Math.min(ends, Math.max(landed, buckets.ready[bucket]));
        into.fused += complete - landed;
        into.credit += ends - complete;
      }
    }
  }
}

interface Leg {
  readonly sent: Sent;
  /** By row, bytes of its bucket that went before it. */
  readonly passed: Float64Array;
}

function legOf(sent: Sent, buckets: number): Leg {
  const passed = new Float64Array(sent.length);
  const sum = new Float64Array(buckets);
  for (let row = 0; row < sent.length; row += 1) {
    passed[row] = sum[sent.bucket[row]];
    sum[sent.bucket[row]] += sent.count[row] * sent.bytes[row];
  }
  return { sent, passed };
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

interface Waited extends Interval {
  readonly bucket: number;
  /** Bytes of the bucket that are the layer's. */
  readonly first: number;
  readonly last: number;
}

/** Calls `busy` with each row that runs during a wait, and the part of the wait; gives the gaps. */
function gapsOf({ sent }: Leg, waited: Waited, busy: (row: number, part: Waited) => void): readonly Interval[] {
  const gaps: Interval[] = [];
  let now = waited.from;
  for (let row = firstAfter(sent, now); row < sent.length && sent.start[row] < waited.to; row += 1) {
    if (sent.start[row] > now) gaps.push({ from: now, to: sent.start[row] });
    const to = Math.min(waited.to, sent.end[row]);
    busy(row, { ...waited, from: Math.max(now, sent.start[row]), to });
    now = to;
  }
  if (now < waited.to) gaps.push({ from: now, to: waited.to });
  return gaps;
}

/** When the last piece of a bucket had left the lane by a time; −∞ if none had. */
function lastBefore({ sent }: Leg, bucket: number, time: number): number {
  for (let row = firstAfter(sent, time) - 1; row >= 0; row -= 1) if (sent.bucket[row] === bucket) return sent.end[row];
  return -Infinity;
}

/** The first row that ends after a time. */
function firstAfter({ end, length }: Sent, time: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function addRow(into: Exposed, { sent, passed }: Leg, row: number, { from, to, bucket, first, last }: Waited): void {
  const count = sent.count[row];
  const size = sent.bytes[row];
  const length = (sent.end[row] - sent.start[row]) / count;
  const overhead = Math.min(length, sent.overhead[row]);
  let call = 0;
  let own = 0;
  const reached = Math.floor((from - sent.start[row]) / length);
  for (let piece = Math.min(count - 1, Math.max(0, reached)); piece < count; piece += 1) {
    const start = sent.start[row] + piece * length;
    if (start >= to) break;
    const begins = start + overhead;
    call += overlap(from, to, start, begins);
    // A call that was lost to a cut has no bytes.
    if (sent.bucket[row] !== bucket || size === 0) continue;
    const before = passed[row] + piece * size;
    const timeOf = (byte: number): number =>
      begins + Math.min(1, Math.max(0, (byte - before) / size)) * (length - overhead);
    own += overlap(from, to, timeOf(first), timeOf(last));
  }
  into.overhead += call;
  // What is left, so that the causes add up to the wait. Lanes that share links slow down all bytes of a row alike.
  const bytes = to - from - call;
  const slower = length > overhead ? Math.min(1, (sent.shared?.[row] ?? 0) / count / (length - overhead)) : 0;
  into.shared += slower * bytes;
  if (sent.bucket[row] !== bucket) {
    into.blocked += bytes - slower * bytes;
    return;
  }
  into.own += own - slower * own;
  into.fused += bytes - own - slower * (bytes - own);
}

/** Only pushes run. */
function addPushes(into: Exposed, { sent }: Leg, row: number, { from, to }: Interval): void {
  const length = sent.end[row] - sent.start[row];
  const slower = length > 0 ? ((sent.shared?.[row] ?? 0) / length) * (to - from) : 0;
  into.shared += slower;
  into.server += to - from - slower;
}

/** Seconds that two intervals share. */
const overlap = (from: number, to: number, start: number, end: number): number =>
  Math.max(0, Math.min(to, end) - Math.max(from, start));

/** By tensor, bytes of its bucket that go before it. */
function placesIn({ offsets, members }: Buckets, tensors: readonly LaneTensor[], early: boolean): Float64Array {
  const places = new Float64Array(tensors.length);
  for (let bucket = 0; bucket + 1 < offsets.length; bucket += 1) {
    const layout = members.slice(offsets[bucket], offsets[bucket + 1]);
    if (early) layout.sort();
    let passed = 0;
    for (const tensor of layout) {
      places[tensor] = passed;
      passed += tensors[tensor].bytes;
    }
  }
  return places;
}

/** The walk back over a lane: from the gradients that a forward waited for to the backward that made them. */
import type { ExchangeTiming, LaneTimeline, LaneTiming, Sent } from '../../values/exchangeTimeline.ts';
import { startAt } from '../../values/timeline.ts';
import { gradientsReady, lastBackward } from '../../simulate/gradients.ts';
import type { PieceCause } from './chainTypes.ts';
import type { Walk } from './walk.ts';

type LaneWalk = Pick<Walk, 'timeline' | 'slack' | 'causes' | 'later'>;

type Leg = 'sent' | 'back';

/** A row of a lane, and when what follows could begin. */
interface Row {
  readonly leg: Leg;
  readonly row: number;
  readonly to: number;
}

/**
 * Adds what the gradients of a tensor waited for until they arrived. These are the pieces that carried them, and pieces that the lane sent
 * first. Credit may have had to come back. The backward that made the last gradients of the bucket ends the list: returns its position,
 * or −1 if something is not known.
 */
export function piecesOf(walk: LaneWalk, number: number, tensor: number): number {
  const { timeline, slack } = walk;
  const timing = timeline.timing.exchange;
  const lane = timeline.exchange?.lanes[number];
  if (timing === undefined || lane === undefined) return -1;
  const { buckets, arrival } = lane;
  const own = bucketOf(lane, tensor);
  if (own < 0) return madeIn(walk, number, timing.lanes[number], [tensor], lane.ready[tensor]);
  let next = rowAt(lane, own, arrival[tensor], slack);
  let ahead = false;
  // Rows go back in time: each is passed once.
  while (next !== undefined) {
    const { leg, row, to } = next;
    const sent = legOf(lane, leg);
    const bucket = sent.bucket[row];
    const seconds = (sent.end[row] - sent.start[row]) / sent.count[row];
    // A layer may use its pieces before the row ends.
    const pieces = seconds > 0 ? Math.max(1, Math.round((to - sent.start[row]) / seconds)) : sent.count[row];
    const bytes = pieces * sent.bytes[row];
    addPiece(walk, {
      device: lane.plan.devices[0],
      lane: number,
      leg,
      bucket,
      from: sent.start[row],
      to,
      ahead,
      pieces,
      bytes,
    });
    const from = sent.start[row];
    if (leg === 'sent' && Math.abs(buckets.ready[bucket] - from) <= slack) {
      const members = Array.from(buckets.members.subarray(buckets.offsets[bucket], buckets.offsets[bucket + 1]));
      const ready = members.reduce((latest, each) => Math.max(latest, lane.ready[each]), -Infinity);
      idle(walk, number, bucket, 'cycle', ready, buckets.ready[bucket]);
      return madeIn(walk, number, timing.lanes[number], members, ready);
    }
    const before = beforeRow(lane, timing, next, slack);
    if (before === undefined) return -1;
    const { end } = before;
    if (from - end > slack) idle(walk, number, legOf(lane, before.leg).bucket[before.row], 'credit', end, from);
    ahead = legOf(lane, before.leg).bucket[before.row] !== own;
    next = { leg: before.leg, row: before.row, to: end };
  }
  return -1;
}

const legOf = (lane: LaneTimeline, leg: Leg): Sent =>
  leg === 'back' && lane.back !== undefined ? lane.back : lane.sent;

function bucketOf({ buckets: { offsets, members } }: LaneTimeline, tensor: number): number {
  const at = members.indexOf(tensor);
  return at < 0 ? -1 : offsets.findIndex((from, bucket) => from <= at && at < (offsets.at(bucket + 1) ?? -1));
}

/** The row that brings a bucket, or a layer of it, at that time. */
function rowAt(lane: LaneTimeline, bucket: number, time: number, slack: number): Row | undefined {
  for (const leg of lane.back === undefined ? (['sent'] as const) : (['back', 'sent'] as const)) {
    const { length, bucket: buckets, start, end } = legOf(lane, leg);
    for (let row = length - 1; row >= 0; row -= 1)
      if (buckets[row] === bucket && start[row] < time - slack && time <= end[row] + slack)
        return { leg, row, to: time };
  }
  return undefined;
}

interface Before {
  readonly leg: Leg;
  readonly row: number;
  readonly end: number;
}

/** What ended when a row could begin: its push, the row before it on the lane, or a row whose credit came back. */
function beforeRow(lane: LaneTimeline, { rule }: ExchangeTiming, { leg, row }: Row, slack: number): Before | undefined {
  const rows = legOf(lane, leg);
  const from = rows.start[row];
  const bucket = rows.bucket[row];
  const endingAt = (of: Leg, time: number, wanted?: number): Before | undefined => {
    const { length, bucket: buckets, end } = legOf(lane, of);
    for (let at = firstFrom(legOf(lane, of), time - slack); at < length && end[at] <= time + slack; at += 1)
      if (wanted === undefined || buckets[at] === wanted) return { leg: of, row: at, end: end[at] };
    return undefined;
  };
  if (leg === 'back') {
    // It was pushed just then, or the lane brought something else first, or nothing came back before all was sent.
    return endingAt('sent', from, bucket) ?? endingAt('back', from) ?? endingAt('sent', from);
  }
  const shared = lane.plan.calls.some(({ oneLane }) => oneLane === true);
  return (
    endingAt('sent', from) ??
    (shared && lane.back !== undefined ? endingAt('back', from) : undefined) ??
    (rule.ack > 0 ? endingAt('sent', from - rule.ack) : undefined)
  );
}

/** The first row that ends at a time or later; rows end in order. */
function firstFrom({ end, length }: Sent, time: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Pieces of a bucket without a gap are one cause. */
function addPiece(
  { causes, later, slack }: LaneWalk,
  { from, to, bytes, pieces, ...piece }: Omit<PieceCause, 'kind'>,
): void {
  const last = causes.at(-1);
  const joins =
    last?.kind === 'piece' &&
    last.lane === piece.lane &&
    last.leg === piece.leg &&
    last.bucket === piece.bucket &&
    Math.abs(last.from - to - later) <= slack;
  const cause: PieceCause = {
    kind: 'piece',
    ...piece,
    pieces: pieces + (joins ? last.pieces : 0),
    bytes: bytes + (joins ? last.bytes : 0),
    ahead: joins ? last.ahead : piece.ahead,
    from: from + later,
    to: joins ? last.to : to + later,
  };
  if (joins) causes[causes.length - 1] = cause;
  else causes.push(cause);
}

function idle(
  { timeline, causes, later, slack }: LaneWalk,
  lane: number,
  bucket: number,
  why: 'cycle' | 'credit',
  from: number,
  to: number,
): void {
  const device = timeline.exchange?.lanes[lane].plan.devices[0] ?? 0;
  if (to - from > slack) causes.push({ kind: 'lane', why, device, lane, bucket, from: from + later, to: to + later });
}

/** Adds the last backward of the tensor that got ready last, up to that moment. */
function madeIn(
  walk: LaneWalk,
  lane: number,
  { makers }: LaneTiming,
  tensors: readonly number[],
  ready: number,
): number {
  const { timeline, causes, later, slack } = walk;
  const readyAt = gradientsReady(timeline);
  for (const tensor of tensors)
    for (const maker of makers[tensor]) {
      if (Math.abs(readyAt(maker) - ready) > slack) continue;
      const position = lastBackward(timeline.program, maker.device, maker.stage);
      if (position < 0) continue;
      const from = startAt(timeline, position);
      causes.push({
        ...{ kind: 'operation', position, device: maker.device, tied: false, makes: { lane, tensor } },
        from: from + later,
        to: ready + later,
      });
      return position;
    }
  return -1;
}

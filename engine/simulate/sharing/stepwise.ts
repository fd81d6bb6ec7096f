/** A lane that sends one call at a time while other lanes may slow it down: ends of calls are known only when they come. */
import { callOverhead, callSeconds } from '../../basics/callCost.ts';
import type { CallCost, CallPass } from '../../values/exchangePlan.ts';
import type { Sending } from '../exchange/lane.ts';
import { SentColumns } from '../exchange/sent.ts';
import type { CallNetwork, Flight } from './callNetwork.ts';
import { PullQueue } from './pullQueue.ts';
import { type Piece, PushQueue } from './pushQueue.ts';
import type { Participant } from './together.ts';

/** Passes of a call of an item, to send it or to get it back. */
export type PassesOf = (direction: 'out' | 'back', call: number) => readonly CallPass[];

export interface StepwiseSender extends Participant {
  readonly sent: SharedColumns;
  readonly back: SharedColumns;
  /** All is sent. */
  isDone(): boolean;
}

/** Rows whose ends are filled in later. */
export class SharedColumns extends SentColumns {
  readonly slowed: number[] = [];

  begin(bucket: number, bytes: number, overhead: number, start: number): number {
    this.add(bucket, 1, bytes, overhead, start, NaN);
    this.slowed.push(0);
    return this.length - 1;
  }

  finish(row: number, end: number, alone: number): void {
    this.end[row] = end;
    this.slowed[row] = Math.max(0, end - this.start[row] - alone);
  }
}

/**
 * As `send`, `sendBothWays` and `sendCutting`, event by event. A row is one piece. O(log items) for each piece, and what a hand-over
 * passes.
 */
export function sendStepwise(
  { items, handing, moment, isCut, back }: Sending,
  passesOf: PassesOf,
  network: CallNetwork,
): StepwiseSender {
  const { ready, rank, call } = items;
  const bucketOf = (item: number): number => items.bucket?.[item] ?? item;
  const { ack } = handing;
  const pulls = back === undefined || back.kind === 'gathers' ? undefined : back;
  const isOneLane = pulls?.kind === 'pullsOnLane';
  const toPush = new PushQueue(items, handing);
  const toPull = new PullQueue(items, pulls);
  const sent = new SharedColumns(ready.length);
  const returned = new SharedColumns(pulls === undefined ? 0 : ready.length);
  let out: { readonly flight: Flight; readonly row: number; readonly item: number } | undefined;
  let coming: { readonly flight: Flight; readonly row: number } | undefined;
  let [next, acknowledged, over] = [0, 0, 0];
  let isStarted = false;

  const begin = (
    columns: SharedColumns,
    cost: CallCost,
    passes: readonly CallPass[],
    { item, size }: Piece,
    now: number,
  ) => {
    const [seconds, overhead] = [callSeconds(cost, size), callOverhead(cost, size)];
    const row = columns.begin(bucketOf(item), size, overhead, now);
    return { flight: network.start({ seconds, overhead, passes }, now), row };
  };
  const cut = (now: number): void => {
    if (out === undefined || toPush.isEmpty) return;
    const { flight, row, item } = out;
    if (toPush.first >= rank[item] || flight.ends <= now + moment) return;
    const done = network.cut(flight, now);
    const { seconds, overhead } = flight.call;
    const running = done - overhead;
    // Within the moment in which its bytes begin, a call has sent nothing.
    const part = running > moment ? (running / (seconds - overhead)) * toPush.left[item] : 0;
    sent.bytes[row] = part;
    if (part === 0) sent.overhead[row] = done;
    sent.finish(row, now, done);
    toPush.giveBack(item, part);
    toPull.pushed({ item, size: part }, now);
    over += 1;
    out = undefined;
  };
  const startOut = (now: number): void => {
    const piece = isCut ? toPush.takeWhole() : toPush.take();
    if (piece === undefined) return;
    const { item } = piece;
    out = { ...begin(sent, items.costs[call[item]], passesOf('out', call[item]), piece, now), item };
  };
  const startBack = (now: number): void => {
    const { cost, ...piece } = toPull.take();
    coming = begin(returned, cost, passesOf('back', call[piece.item]), piece, now);
  };
  const isAllOut = (): boolean => next === ready.length && toPush.isDone && out === undefined;

  return {
    sent,
    back: returned,
    isDone: isAllOut,
    next() {
      const events = Math.min(toPull.next, next < ready.length ? ready[next] : Infinity);
      return acknowledged < over && !isCut ? Math.min(events, sent.end[acknowledged] + ack) : events;
    },
    step(now) {
      isStarted ||= next < ready.length && ready[next] <= now + moment;
      for (; next < ready.length && ready[next] <= now + moment; next += 1) toPush.add(next);
      if (!isStarted) return;
      toPull.land(now + moment);
      for (; !isCut && acknowledged < over && sent.end[acknowledged] + ack <= now + moment; acknowledged += 1)
        toPush.acknowledge(sent.bytes[acknowledged]);
      if (isCut) cut(now);
      else toPush.handOver(acknowledged < over || out !== undefined);
      const isPulling = (): boolean =>
        !toPull.isEmpty &&
        coming === undefined &&
        (pulls?.afterAll !== true || (isAllOut() && toPull.next === Infinity));
      if (isOneLane) {
        if (out !== undefined || coming !== undefined) return;
        const onStack = toPush.onStack;
        const first = onStack === undefined ? Infinity : pulls.rank[onStack];
        if (isPulling() && toPull.first <= first) startBack(now);
        else startOut(now);
        return;
      }
      if (out === undefined) startOut(now);
      if (isPulling()) startBack(now);
    },
    ended(flight) {
      if (out?.flight === flight) {
        const { row, item } = out;
        sent.finish(row, flight.ends, flight.call.seconds);
        toPull.pushed({ item, size: sent.bytes[row] }, flight.ends);
        over += 1;
        out = undefined;
      } else if (coming?.flight === flight) {
        returned.finish(coming.row, flight.ends, flight.call.seconds);
        coming = undefined;
      }
    },
  };
}

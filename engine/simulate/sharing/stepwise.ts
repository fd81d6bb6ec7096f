/** A lane that sends one call at a time while other lanes may slow it down: ends of calls are known only when they come. */
import { callOverhead, callSeconds } from '../../basics/callCost.ts';
import type { CallCost, CallPass } from '../../values/exchangePlan.ts';
import { itemsByRank, pieceOf } from '../exchange/items.ts';
import type { Sending } from '../exchange/lane.ts';
import { RankHeap } from '../exchange/rankHeap.ts';
import { SentColumns } from '../exchange/sent.ts';
import type { CallNetwork, Flight } from './callNetwork.ts';
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
  const { ready, bytes, rank, call } = items;
  const bucketOf = (item: number): number => items.bucket?.[item] ?? item;
  const { piece, ack, strict } = handing;
  const byPiece = handing.credit === 'piece';
  const pulls = back === undefined || back.kind === 'gathers' ? undefined : back;
  const isOneLane = pulls?.kind === 'pullsOnLane';
  const itemOf = itemsByRank(rank);
  const pullOf = itemsByRank(pulls?.rank ?? rank);
  const queue = new RankHeap(ready.length);
  const toPull = new RankHeap(ready.length);
  const left = bytes.slice();
  const stack: { readonly item: number; readonly size: number }[] = [];
  /** By item, sizes of pieces that may be pulled, and how many of them have been. */
  const pushed: number[][] = Array.from(ready, () => []);
  const pulled = new Int32Array(ready.length);
  const sent = new SharedColumns(ready.length);
  const returned = new SharedColumns(pulls === undefined ? 0 : ready.length);
  let out: { readonly flight: Flight; readonly row: number; readonly item: number } | undefined;
  let coming: { readonly flight: Flight; readonly row: number } | undefined;
  let credit = handing.credit === 'piece' ? 1 : handing.credit;
  let [next, acknowledged, over, taken] = [0, 0, 0, 0];
  let isStarted = false;

  const begin = (
    columns: SharedColumns,
    cost: CallCost,
    passes: readonly CallPass[],
    item: number,
    size: number,
    now: number,
  ) => {
    const [seconds, overhead] = [callSeconds(cost, size), callOverhead(cost, size)];
    const row = columns.begin(bucketOf(item), size, overhead, now);
    return { flight: network.start({ seconds, overhead, passes }, now), row };
  };
  const push = (item: number, size: number, now: number): void => {
    out = { ...begin(sent, items.costs[call[item]], passesOf('out', call[item]), item, size, now), item };
  };
  const mayPull = (item: number, size: number): void => {
    if (pulls === undefined || pulls.costs[call[item]] === undefined || size === 0) return;
    if (pushed[item].length === pulled[item]) toPull.push(pulls.rank[item]);
    pushed[item].push(size);
  };
  const handOver = (): void => {
    const passed: number[] = [];
    while (queue.size > 0 && credit > 0) {
      const item = itemOf[queue.top];
      const size = pieceOf(left[item], piece);
      const isOut = acknowledged < over || out !== undefined || taken < stack.length;
      if (strict && !byPiece && isOut && size > credit) {
        passed.push(queue.top);
        queue.pop();
        continue;
      }
      stack.push({ item, size });
      if (size === left[item]) queue.pop();
      left[item] -= size;
      credit -= byPiece ? 1 : size;
    }
    for (const each of passed) queue.push(each);
  };
  const cut = (now: number): void => {
    if (out === undefined || queue.size === 0) return;
    const { flight, row, item } = out;
    if (queue.top >= rank[item] || flight.ends <= now + moment) return;
    const done = network.cut(flight, now);
    const { seconds, overhead } = flight.call;
    const running = done - overhead;
    // Within the moment in which its bytes begin, a call has sent nothing.
    const part = running > moment ? (running / (seconds - overhead)) * left[item] : 0;
    sent.bytes[row] = part;
    if (part === 0) sent.overhead[row] = done;
    sent.finish(row, now, done);
    left[item] -= part;
    queue.push(rank[item]);
    mayPull(item, part);
    over += 1;
    out = undefined;
  };
  const startOut = (now: number): void => {
    if (isCut) {
      if (queue.size === 0) return;
      const item = itemOf[queue.top];
      queue.pop();
      push(item, left[item], now);
    } else if (taken < stack.length) {
      const { item, size } = stack[taken];
      taken += 1;
      push(item, size, now);
    }
  };
  const startBack = (now: number): void => {
    const item = pullOf[toPull.top];
    const cost = pulls?.costs[call[item]];
    if (cost === undefined) return;
    const size = pushed[item][pulled[item]];
    pulled[item] += 1;
    if (pulled[item] === pushed[item].length) toPull.pop();
    coming = begin(returned, cost, passesOf('back', call[item]), item, size, now);
  };

  const isAllOut = (): boolean => next === ready.length && queue.size === 0 && taken === stack.length;

  return {
    sent,
    back: returned,
    isDone: () => isAllOut() && out === undefined,
    next() {
      const events = next < ready.length ? ready[next] : Infinity;
      return acknowledged < over && !isCut ? Math.min(events, sent.end[acknowledged] + ack) : events;
    },
    step(now) {
      isStarted ||= next < ready.length && ready[next] <= now + moment;
      for (; next < ready.length && ready[next] <= now + moment; next += 1) queue.push(rank[next]);
      if (!isStarted) return;
      for (; !isCut && acknowledged < over && sent.end[acknowledged] + ack <= now + moment; acknowledged += 1)
        credit += byPiece ? 1 : sent.bytes[acknowledged];
      if (isCut) cut(now);
      else handOver();
      const isPulling = (): boolean =>
        toPull.size > 0 && coming === undefined && (pulls?.afterAll !== true || (isAllOut() && out === undefined));
      if (isOneLane) {
        if (out !== undefined || coming !== undefined) return;
        const first = taken < stack.length ? pulls.rank[stack[taken].item] : Infinity;
        if (isPulling() && toPull.top <= first) startBack(now);
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
        mayPull(item, sent.bytes[row]);
        over += 1;
        out = undefined;
      } else if (coming?.flight === flight) {
        returned.finish(coming.row, flight.ends, flight.call.seconds);
        coming = undefined;
      }
    },
  };
}

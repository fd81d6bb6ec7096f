import type { Sent } from '../../values/exchangeTimeline.ts';
import { type Handing, type Items, itemsByRank, pieceOf, Prices } from './items.ts';
import { RankHeap } from './rankHeap.ts';
import { SentColumns } from './sent.ts';

/**
 * Sends items over a lane. An item waits in a queue by rank. While there is credit, the next piece of the first item goes to the
 * stack, from which the lane takes pieces in the order in which they came. All events of one moment (`moment` seconds) are taken
 * in before anything is handed over. O((pieces + items) · log items); pieces that nothing can overtake are one step.
 */
export function send(items: Items, handing: Handing, moment: number, single = false): Sent {
  const { ready, bytes, rank, call, bucket } = items;
  const { piece, ack, strict } = handing;
  const byPiece = handing.credit === 'piece';
  const all = handing.credit === 'piece' ? 1 : handing.credit;
  const unlimited = all === Infinity;
  const stepwise = byPiece && ack === 0;
  const prices = new Prices(items.costs);
  const itemOf = itemsByRank(rank);
  const left = bytes.slice();
  const queue = new RankHeap(ready.length);
  const sent = new SentColumns(Math.min(mostRoom, single ? piecesIn(bytes, piece) : 2 * ready.length));
  const passed = new Int32Array(strict ? ready.length : 0);
  let credit = all;
  let next = 0;
  let returned = 0;
  let free = -Infinity;
  let now = ready[0];
  while (next < ready.length || queue.size > 0) {
    for (; next < ready.length && ready[next] <= now + moment; next += 1) {
      now = Math.max(now, ready[next]);
      queue.push(rank[next]);
    }
    if (!unlimited)
      for (; returned < sent.length && sent.end[returned] + ack <= now + moment; returned += 1)
        credit += byPiece ? 1 : sent.count[returned] * sent.bytes[returned];
    while (queue.size > 0 && credit > 0) {
      let behind = 0;
      // A piece larger than all credit goes when nothing else is out: it would never fit.
      if (strict && !byPiece && returned < sent.length)
        for (; queue.size > 0 && pieceOf(left[itemOf[queue.top]], piece) > credit; queue.pop())
          passed[behind++] = queue.top;
      if (queue.size === 0) {
        while (behind > 0) queue.push(passed[--behind]);
        break;
      }
      const item = itemOf[queue.top];
      const size = pieceOf(left[item], piece);
      const seconds = prices.seconds(call[item], size);
      const start = Math.max(now, free);
      let count = 1;
      if (!single && size < left[item]) {
        const equal = Math.max(1, Math.floor(left[item] / size - 1e-9));
        if (unlimited) count = equal;
        // The next item may be more urgent: pieces that start before it is ready are one step.
        else if (stepwise)
          count = next < ready.length ? startsBefore(ready[next] - moment - start, seconds, equal) : equal;
      }
      free = start + count * seconds;
      sent.add(bucket === undefined ? item : bucket[item], count, size, prices.overhead(call[item], size), start, free);
      if (size === left[item]) queue.pop();
      left[item] -= count * size;
      credit -= byPiece ? 1 : count * size;
      while (behind > 0) queue.push(passed[--behind]);
    }
    let later = next < ready.length ? ready[next] : Infinity;
    if (!unlimited && returned < sent.length) later = Math.min(later, sent.end[returned] + ack);
    now = Math.max(now, later);
  }
  return sent;
}

/** Rows of columns that are made at once. */
const mostRoom = 1 << 20;

function piecesIn(bytes: Float64Array, piece: number): number {
  let count = 0;
  for (const each of bytes) count += Math.ceil(each / piece);
  return count;
}

/** Pieces of the same length, one after the other from 0 on, that start before a time; at least 1, at most `most`. */
const startsBefore = (time: number, seconds: number, most: number): number =>
  seconds * most <= time ? most : Math.min(most, Math.max(1, Math.ceil(time / seconds)));

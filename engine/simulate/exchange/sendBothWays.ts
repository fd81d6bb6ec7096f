import type { Sent } from '../../values/exchangeTimeline.ts';
import type { CallCost } from '../../values/exchangePlan.ts';
import { type Handing, type Items, itemsByRank, pieceOf, Prices } from './items.ts';
import { RankHeap } from './rankHeap.ts';
import { SentColumns } from './sent.ts';

export interface Pulls {
  /** By call. A call without a cost is not pulled. */
  readonly costs: readonly (CallCost | undefined)[];
  /** By item. */
  readonly rank: Int32Array;
  /** Nothing is pulled before all is pushed. */
  readonly afterAll: boolean;
  /** By call, seconds from the end of a push until its piece may be pulled. */
  readonly delays: Float64Array;
}

/**
 * Pushes and pulls on one lane, one at a time. A piece may be pulled once its push is there. Of the first piece on the stack and
 * the first one to pull, the lesser rank goes; of one item, the earlier piece, which is the pull.
 */
export function sendBothWays(
  items: Items,
  handing: Handing,
  pulls: Pulls,
  moment: number,
): Record<'sent' | 'back', Sent> {
  const { ready, bytes, rank, call } = items;
  const { piece, ack, strict } = handing;
  const byPiece = handing.credit === 'piece';
  const pushPrices = new Prices(items.costs);
  const pullPrices = new Prices(pulls.costs.map((cost) => cost ?? items.costs[0]));
  const itemOf = itemsByRank(rank);
  const pullOf = itemsByRank(pulls.rank);
  const queue = new RankHeap(ready.length);
  const toPull = new RankHeap(ready.length);
  const left = bytes.slice();
  // By item, bytes that are still to be pulled, and pieces that may be.
  const unpulled = bytes.slice();
  const available = new Int32Array(ready.length);
  const sent = new SentColumns(2 * ready.length);
  const back = new SentColumns(2 * ready.length);
  const stack: { readonly item: number; readonly size: number }[] = [];
  let taken = 0;
  let credit = handing.credit === 'piece' ? 1 : handing.credit;
  /** Items whose pieces have left the lane, and when they are there. */
  let flying: { readonly item: number; readonly at: number }[] = [];
  let [next, returned] = [0, 0];
  let free = -Infinity;
  let now = ready[0];
  let pushing = ready.length;
  const done = () => next === ready.length && queue.size === 0 && taken === stack.length && flying.length === 0;
  while (!done() || toPull.size > 0) {
    for (; next < ready.length && ready[next] <= now + moment; next += 1) {
      now = Math.max(now, ready[next]);
      queue.push(rank[next]);
    }
    for (const { item, at } of flying) {
      if (at > now + moment || pulls.costs[call[item]] === undefined) continue;
      if (available[item] === 0) toPull.push(pulls.rank[item]);
      available[item] += 1;
    }
    flying = flying.filter(({ at }) => at > now + moment);
    for (; returned < sent.length && sent.end[returned] + ack <= now + moment; returned += 1)
      credit += byPiece ? 1 : sent.bytes[returned];
    const passed: number[] = [];
    while (queue.size > 0 && credit > 0) {
      const item = itemOf[queue.top];
      const size = pieceOf(left[item], piece);
      const out = returned < sent.length || taken < stack.length;
      if (strict && !byPiece && out && size > credit) {
        passed.push(queue.top);
        queue.pop();
        continue;
      }
      stack.push({ item, size });
      if (size === left[item]) {
        queue.pop();
        pushing -= 1;
      }
      left[item] -= size;
      credit -= byPiece ? 1 : size;
    }
    for (const each of passed) queue.push(each);
    const first = taken < stack.length ? stack[taken] : undefined;
    const mayPull =
      toPull.size > 0 && (!pulls.afterAll || (pushing === 0 && taken === stack.length && flying.length === 0));
    const starts = free <= now + moment && (mayPull || first !== undefined);
    if (starts) {
      if (mayPull && (first === undefined || toPull.top <= pulls.rank[first.item])) {
        const item = pullOf[toPull.top];
        const size = pieceOf(unpulled[item], piece);
        free = now + pullPrices.seconds(call[item], size);
        back.add(item, 1, size, pullPrices.overhead(call[item], size), now, free);
        unpulled[item] -= size;
        available[item] -= 1;
        if (available[item] === 0) toPull.pop();
      } else if (first !== undefined) {
        taken += 1;
        free = now + pushPrices.seconds(call[first.item], first.size);
        sent.add(first.item, 1, first.size, pushPrices.overhead(call[first.item], first.size), now, free);
        flying.push({ item: first.item, at: free + pulls.delays[call[first.item]] });
      }
    }
    let later = next < ready.length ? ready[next] : Infinity;
    if (starts || free > now + moment) later = Math.min(later, free);
    for (const { at } of flying) later = Math.min(later, at);
    if (returned < sent.length) later = Math.min(later, sent.end[returned] + ack);
    if (later < Infinity) now = Math.max(now, later);
  }
  return { sent, back };
}

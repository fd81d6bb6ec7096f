import type { Sent } from '../../values/exchangeTimeline.ts';
import { type Items, itemsByRank, Prices } from './items.ts';
import { RankHeap } from './rankHeap.ts';
import { SentColumns } from './sent.ts';

/**
 * As `send`, with items that are cut when one of a lesser rank gets ready: the rest waits, and pays for another call. A call that
 * is cut before its bytes begin is lost; its row has no bytes. O(items · log items).
 */
export function sendCutting(items: Items, moment: number): Sent {
  const { ready, bytes, rank, call } = items;
  const prices = new Prices(items.costs);
  const itemOf = itemsByRank(rank);
  const left = bytes.slice();
  const queue = new RankHeap(ready.length);
  const sent = new SentColumns(2 * ready.length);
  let next = 0;
  let now = ready[0];
  while (next < ready.length || queue.size > 0) {
    if (queue.size === 0) now = Math.max(now, ready[next]);
    for (; next < ready.length && ready[next] <= now + moment; next += 1) queue.push(rank[next]);
    const least = queue.top;
    const item = itemOf[least];
    const seconds = prices.seconds(call[item], left[item]);
    const overhead = prices.overhead(call[item], left[item]);
    let end = now + seconds;
    let cut = false;
    for (; !cut && next < ready.length && ready[next] + moment < end; next += 1) {
      // What gets ready at one moment is taken in as a whole, after the cut.
      if (rank[next] < least) {
        end = ready[next];
        cut = true;
        break;
      }
      queue.push(rank[next]);
    }
    if (cut) {
      const running = end - now - overhead;
      // Within the moment in which its bytes begin, a call has sent nothing.
      const part = running > moment ? (running / (seconds - overhead)) * left[item] : 0;
      sent.add(item, 1, part, part > 0 ? overhead : end - now, now, end);
      left[item] -= part;
    } else {
      sent.add(item, 1, left[item], overhead, now, end);
      // It is still the top: all that came since has a greater rank.
      queue.pop();
    }
    now = end;
  }
  return sent;
}

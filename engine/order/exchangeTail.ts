/**
 * Seconds after a moment until buckets are exchanged one after the other; `ready` is when each is, in order, counted from that moment
 * (before it: negative). 0 where all are exchanged by then.
 */
export function exchangeTail(buckets: Iterable<{ readonly seconds: number; readonly ready: number }>): number {
  let free = -Infinity;
  for (const { seconds, ready } of buckets) free = Math.max(free, ready) + seconds;
  return Math.max(0, free);
}

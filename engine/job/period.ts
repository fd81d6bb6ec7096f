import type { JobTimeline } from './wsp.ts';

/** The time that figures are of: from the global clock's half to its end, seconds. */
export function windowOf({ globalClock }: JobTimeline): { readonly from: number; readonly until: number } {
  const waves = globalClock.length;
  return { from: globalClock[Math.max(0, Math.floor(waves / 2) - 1)], until: globalClock[waves - 1] };
}

/**
 * Seconds from one wave of a worker to the next, over the window. A worker may lead the slowest by as many waves at its end as at
 * its start. Then it goes at the slowest worker's pace, though single waves may come early or late. Otherwise the mean from clock
 * to clock.
 */
export function period(timeline: JobTimeline, worker: number): number {
  const { from, until } = windowOf(timeline);
  const first = clockAt(timeline, worker, from);
  const last = clockAt(timeline, worker, until);
  const { globalClock } = timeline;
  if (last - first === globalClock.length - Math.max(1, Math.floor(globalClock.length / 2)) || last - first < 2)
    return last > first ? (until - from) / (last - first) : until - from;
  const { clock } = timeline.workers[worker];
  return (clock[last - 1] - clock[first]) / (last - 1 - first);
}

/** A worker's clock at a time. */
export function clockAt(timeline: JobTimeline, worker: number, at: number): number {
  const { clock } = timeline.workers[worker];
  let low = 0;
  let high = clock.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (clock[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

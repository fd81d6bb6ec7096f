import type { FillTask } from '../values/plan.ts';

/** Tasks of a fill job in an order that starts over at its end, with sums so that many are placed at a time. */
export interface Tasks {
  readonly list: readonly FillTask[];
  /** Seconds of the tasks before task i, for two passes: length 2n + 1. */
  readonly before: Float64Array;
  /** Bytes of the largest task. */
  readonly largest: number;
}

/** Tasks that take no time are left out: they are done at once, however often. */
export function tasksOf(all: readonly FillTask[]): Tasks {
  const list = all.filter((fillTask) => fillTask.seconds > 0);
  const before = new Float64Array(2 * list.length + 1);
  for (let at = 0; at < 2 * list.length; at += 1) before[at + 1] = before[at] + list[at % list.length].seconds;
  return { list, before, largest: list.reduce((most, item) => Math.max(most, item.bytes), 0) };
}

/** Tasks from `next` on that fit one after the other into `seconds`, none of more than `bytes`: how many, and how long they take. */
export function fitting(
  { list, before, largest }: Tasks,
  next: number,
  seconds: number,
  bytes: number,
): { readonly count: number; readonly seconds: number } {
  const pass = before[list.length];
  const passes = bytes >= largest ? Math.floor(seconds / pass) : 0;
  const left = seconds - passes * pass;
  // The last of the sums that is within what is left.
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (before[next + middle] - before[next] <= left) low = middle;
    else high = middle - 1;
  }
  let count = low;
  if (bytes < largest) for (count = 0; count < low && list[(next + count) % list.length].bytes <= bytes;) count += 1;
  return { count: passes * list.length + count, seconds: passes * pass + (before[next + count] - before[next]) };
}

import { type Heap, heapOf, pop, push } from '../../order/heap.ts';
import { F1, type Row } from './vBlocks.ts';
import { type Ends, readyAt, receiverOf, type VTimes } from './vTimes.ts';

/** A rank for each class, lower first; of equal ranks, the operation that comes first in the order. */
export type Preference = readonly number[];

/**
 * Moves operations to the front where a device would idle. The candidates are the next operations of each class that are ready,
 * and after which the device's remaining order still stays within `limit` chunks. A free device runs the preferred candidate. The
 * first operation in the order is always within the limit, so this ends if the given rows do. Follows the devices in order of
 * time: O(n log p) for n operations, but for looking ahead in the remaining order.
 */
export function filled(
  rows: readonly Row[],
  microbatches: number,
  limit: number,
  prefer: Preference,
  times: VTimes,
  ends: Ends,
): readonly Row[] {
  const devices = rows.length;
  const { taken } = times;
  const classes = taken.length;
  const size = classes * microbatches;
  const result = rows.map(() => new Int32Array(size));
  const written = new Int32Array(devices);
  // The remaining order of each device as a list, and where in it each operation first stood.
  const next = rows.map(() => new Int32Array(size + 1));
  const before = rows.map(() => new Int32Array(size + 1));
  const position = rows.map(() => new Int32Array(size));
  for (const [device, row] of rows.entries()) {
    for (let at = 0; at < size; at += 1) position[device][row[at]] = at;
    for (let at = 0; at <= size; at += 1) {
      next[device][at] = at + 1;
      before[device][at] = at - 1;
    }
  }
  const first = new Int32Array(devices);
  const held = new Int32Array(devices);
  const free = new Float64Array(devices);
  const done = Array.from({ length: classes }, () => new Int32Array(devices));
  ends.fill(Infinity);
  // Of each operation two events at most: its device is free, and its result is with another one.
  const events: Heap = heapOf(2 * devices * size + devices);

  const within = (device: number, until: number): boolean => {
    let most = held[device] + 1;
    for (let at = first[device]; at < until && most <= limit; at = next[device][at])
      most += taken[Math.trunc(rows[device][at] / microbatches)];
    return most <= limit;
  };
  const choose = (device: number, now: number): number => {
    let best = -1;
    let least = Infinity;
    for (let kind = 0; kind < classes; kind += 1) {
      const microbatch = done[kind][device];
      if (microbatch >= microbatches) continue;
      const at = position[device][kind * microbatches + microbatch];
      const rank = prefer[kind] * size + at;
      if (rank >= least || !(readyAt(kind, device, microbatch, devices, microbatches, times.transfer, ends) <= now))
        continue;
      if (kind > F1 || within(device, at)) {
        best = kind;
        least = rank;
      }
    }
    return best;
  };
  for (let device = 0; device < devices; device += 1) push(events, 0, device);
  while (events.size > 0) {
    const now = events.keys[0];
    const device = pop(events);
    if (free[device] > now) continue;
    const kind = choose(device, now);
    if (kind < 0) continue;
    const microbatch = done[kind][device];
    const operation = kind * microbatches + microbatch;
    const at = position[device][operation];
    if (at === first[device]) first[device] = next[device][at];
    else next[device][before[device][at]] = next[device][at];
    before[device][next[device][at]] = before[device][at];
    result[device][written[device]] = operation;
    written[device] += 1;
    held[device] += taken[kind];
    done[kind][device] += 1;
    const end = now + times.duration[kind * devices + device];
    ends[(kind * devices + device) * microbatches + microbatch] = end;
    free[device] = end;
    push(events, end, device);
    const to = receiverOf(kind, device, devices);
    if (to < 0) continue;
    const ready = end + times.transfer[kind === 0 || kind === 3 ? 0 : 1][Math.min(device, to)];
    push(events, ready, to);
  }
  return result;
}

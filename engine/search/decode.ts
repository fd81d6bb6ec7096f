import { rounding } from './bytes.ts';
import type { Layout, Words } from './layout.ts';

/** Room for building many orders of one problem. */
export interface Decoder {
  readonly end: Float64Array;
  readonly counts: Int32Array;
  readonly free: Float64Array;
  readonly cursor: Int32Array;
  /** Bytes held now, and bytes of microbatches between F and I. */
  readonly level: Float64Array;
  readonly between: Float64Array;
  /** Earliest end of a next operation, by device. */
  readonly next: Float64Array;
  /** Earliest start of the next operation, by code. */
  readonly start: Float64Array;
}

export function decoderFor({ problem, codes }: Layout): Decoder {
  const { devices, microbatches } = problem;
  return {
    end: new Float64Array(codes * microbatches),
    counts: new Int32Array(codes),
    free: new Float64Array(devices),
    cursor: new Int32Array(devices),
    level: new Float64Array(devices),
    between: new Float64Array(devices),
    next: new Float64Array(devices),
    start: new Float64Array(codes),
  };
}

/**
 * Giffler and Thompson, "Algorithms for solving production-scheduling problems" (1960). The device whose next operation can end
 * first runs the operation with the least key among those that could start before that end. So no operation could start earlier
 * without a delay of another one. A forward starts only if its bytes fit. With `reserves`, the stages of the device that hold
 * nothing also keep room for one microbatch: the oldest microbatch can then always go on. Without, some orders are shorter, and
 * some get stuck. Ticks to the end of the last step; Infinity if no operation can start.
 */
export function decode(layout: Layout, keys: Float64Array, decoder: Decoder, words: Words, reserves = true): number {
  const { problem, stages, ticks, device: deviceOf, feeds, delay, feeding, local, first, offsets } = layout;
  const { devices, microbatches, activation, forWeight, weight, limit, step } = problem;
  const { end, counts, free, cursor, level, between, next, start: starts } = decoder;
  counts.fill(0);
  free.fill(0);
  level.fill(0);
  between.fill(0);
  for (let device = 0; device < devices; device += 1) cursor[device] = offsets[device];

  /** Whether the bytes allow the next operation of a code. */
  const allows = (code: number, device: number): boolean => {
    const most = limit[device] * rounding;
    if (code < stages) {
      const taken = activation[code];
      if (level[device] + taken > most) return false;
      if (!reserves) return true;
      let reserved = between[device] + taken;
      let largest = 0;
      for (let place = first[device]; place < first[device + 1]; place += 1) {
        const other = local[place];
        if (other >= stages) continue;
        const kept = counts[other] - counts[stages + other];
        if (other !== code && kept === 0 && counts[other] < microbatches) reserved += activation[other];
        if (weight[other] > 0) largest = Math.max(largest, forWeight[other] - activation[other]);
      }
      return reserved + largest <= most;
    }
    if (code >= 2 * stages) return true;
    const stage = code - stages;
    return weight[stage] === 0 || level[device] - activation[stage] + forWeight[stage] <= most;
  };
  /** The earliest start of the next operation of a code; Infinity if it cannot start now. */
  const startOf = (code: number, device: number): number => {
    const count = counts[code];
    if (count === microbatches) return Infinity;
    const from = feeds[code];
    let start = free[device];
    if (from >= 0) {
      if (counts[from] <= count) return Infinity;
      const arrival = end[from * microbatches + count] + delay[code];
      if (arrival > start) start = arrival;
    }
    return code >= 2 * stages || allows(code, device) ? start : Infinity;
  };
  const look = (device: number): void => {
    let earliest = Infinity;
    for (let place = first[device]; place < first[device + 1]; place += 1) {
      const code = local[place];
      const start = startOf(code, device);
      const finish = start + ticks[code];
      starts[code] = start;
      if (finish < earliest) earliest = finish;
    }
    next[device] = earliest;
  };
  for (let device = 0; device < devices; device += 1) look(device);
  for (let left = offsets[devices]; left > 0; left -= 1) {
    let device = 0;
    for (let other = 1; other < devices; other += 1) if (next[other] < next[device]) device = other;
    const earliest = next[device];
    if (earliest === Infinity) return Infinity;
    let chosen = -1;
    let least = Infinity;
    let start = 0;
    for (let place = first[device]; place < first[device + 1]; place += 1) {
      const code = local[place];
      const from = starts[code];
      if (from < earliest || from + ticks[code] === earliest) {
        const key = keys[code * microbatches + counts[code]];
        if (key < least || chosen < 0) {
          chosen = code;
          least = key;
          start = from;
        }
      }
    }
    words[cursor[device]] = layout.indexOf[chosen];
    cursor[device] += 1;
    end[chosen * microbatches + counts[chosen]] = start + ticks[chosen];
    counts[chosen] += 1;
    free[device] = start + ticks[chosen];
    if (chosen < stages) {
      level[device] += activation[chosen];
      between[device] += activation[chosen];
    } else if (chosen < 2 * stages) {
      const stage = chosen - stages;
      level[device] += (weight[stage] > 0 ? forWeight[stage] : 0) - activation[stage];
      between[device] -= activation[stage];
    } else level[device] -= forWeight[chosen - 2 * stages];
    look(device);
    for (let place = 2 * chosen; place < 2 * chosen + 2; place += 1) {
      const fed = feeding[place];
      // Of another device only this one changes, and only if it waited for this microbatch.
      if (fed < 0 || counts[fed] + 1 !== counts[chosen]) continue;
      const there = deviceOf[fed];
      if (there === device) continue;
      const from = startOf(fed, there);
      starts[fed] = from;
      if (from + ticks[fed] < next[there]) next[there] = from + ticks[fed];
    }
  }
  let makespan = 0;
  for (let device = 0; device < devices; device += 1) makespan = Math.max(makespan, free[device] + step[device]);
  return makespan;
}

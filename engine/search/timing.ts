import type { Layout, Words } from './layout.ts';
import type { OrderProblem } from './orderProblem.ts';

/** Room for timing many orders of one problem, and the instants of the order that was timed last. */
export interface Timing {
  /** Ticks at which operations end, by code · m + microbatch. */
  readonly end: Float64Array;
  /** By place in the words: code · m + microbatch, and ticks of the start. */
  readonly operation: Int32Array;
  readonly start: Float64Array;
  /** Places in the words, in an order in which what an operation needs comes before it. */
  readonly sequence: Int32Array;
  readonly counts: Int32Array;
  readonly cursor: Int32Array;
  /** Ticks at which each device has ended. */
  readonly free: Float64Array;
  readonly stack: Int32Array;
  readonly stacked: Uint8Array;
}

export function timingFor({ problem, codes, offsets }: Layout): Timing {
  const { devices, microbatches } = problem;
  const size = offsets[devices];
  return {
    end: new Float64Array(codes * microbatches),
    operation: new Int32Array(size),
    start: new Float64Array(size),
    sequence: new Int32Array(size),
    counts: new Int32Array(codes),
    cursor: new Int32Array(devices),
    free: new Float64Array(devices),
    stack: new Int32Array(devices),
    stacked: new Uint8Array(devices),
  };
}

/**
 * Ticks to the end of the last step. Each operation starts as soon as the one before it has ended and what it needs has arrived;
 * transfers do not queue. Infinity if operations wait for each other. Linear in the operations.
 */
export function makespanOf(layout: Layout, words: Words, timing: Timing): number {
  const { problem, ticks, device: deviceOf, feeds, delay, feeding, local, first, offsets } = layout;
  const { devices, microbatches } = problem;
  const { end, operation, start, sequence, counts, cursor, free, stack, stacked } = timing;
  counts.fill(0);
  free.fill(0);
  stacked.fill(1);
  let waiting = devices;
  for (let device = 0; device < devices; device += 1) {
    cursor[device] = offsets[device];
    stack[device] = devices - 1 - device;
  }
  let done = 0;
  while (waiting > 0) {
    waiting -= 1;
    const device = stack[waiting];
    stacked[device] = 0;
    const base = first[device];
    const until = offsets[device + 1];
    let at = cursor[device];
    let now = free[device];
    for (; at < until; at += 1) {
      const code = local[base + words[at]];
      const count = counts[code];
      const from = feeds[code];
      if (from >= 0) {
        if (counts[from] <= count) break;
        const arrival = end[from * microbatches + count] + delay[code];
        if (arrival > now) now = arrival;
      }
      start[at] = now;
      now += ticks[code];
      const op = code * microbatches + count;
      operation[at] = op;
      sequence[done] = at;
      done += 1;
      end[op] = now;
      counts[code] = count + 1;
      for (let place = 2 * code; place < 2 * code + 2; place += 1) {
        const next = feeding[place];
        if (next < 0) break;
        const other = deviceOf[next];
        if (stacked[other] === 1 || other === device) continue;
        stacked[other] = 1;
        stack[waiting] = other;
        waiting += 1;
      }
    }
    cursor[device] = at;
    free[device] = now;
  }
  return done < sequence.length ? Infinity : endOf(problem, timing);
}

/** Ticks to the end of the last step, after `makespanOf`. */
export function endOf({ devices, step }: OrderProblem, { free }: Timing): number {
  let end = 0;
  for (let device = 0; device < devices; device += 1) end = Math.max(end, free[device] + step[device]);
  return end;
}

/** Ticks between first start and last end, of the device where that is longest, after `makespanOf`. */
export function spanOf({ problem, offsets }: Layout, { start, free }: Timing): number {
  let span = 0;
  for (let device = 0; device < problem.devices; device += 1)
    if (offsets[device] < offsets[device + 1]) span = Math.max(span, free[device] - start[offsets[device]]);
  return span;
}

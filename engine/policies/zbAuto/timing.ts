import { type Problem, type Words, forwardKind, inputKind } from './problem.ts';

/** Room for timing many orders of one problem. */
export interface Scratch {
  readonly forwardEnd: Float64Array;
  readonly inputEnd: Float64Array;
  readonly cursor: Int32Array;
  readonly forwards: Int32Array;
  readonly inputs: Int32Array;
  readonly free: Float64Array;
  readonly stack: Int32Array;
  readonly stacked: Uint8Array;
}

export function scratchFor({ devices, microbatches }: Problem): Scratch {
  return {
    forwardEnd: new Float64Array(devices * microbatches),
    inputEnd: new Float64Array(devices * microbatches),
    cursor: new Int32Array(devices),
    forwards: new Int32Array(devices),
    inputs: new Int32Array(devices),
    free: new Float64Array(devices),
    stack: new Int32Array(devices),
    stacked: new Uint8Array(devices),
  };
}

/**
 * Ticks to the end of the last step. Each operation starts as soon as the one before it has ended and what it needs has arrived;
 * transfers do not queue. Infinity if operations wait for each other. Linear in the operations.
 */
export function makespanOf(problem: Problem, words: Words, scratch: Scratch): number {
  const { devices, microbatches, duration, transfer, step } = problem;
  const { forwardEnd, inputEnd, cursor, forwards, inputs, free, stack, stacked } = scratch;
  const [forwardTime, inputTime, weightTime] = duration;
  const length = 3 * microbatches;
  cursor.fill(0);
  forwards.fill(0);
  inputs.fill(0);
  free.fill(0);
  stacked.fill(1);
  let waiting = devices;
  for (let device = 0; device < devices; device += 1) stack[device] = devices - 1 - device;
  let done = 0;
  const wake = (device: number): void => {
    if (device < 0 || device >= devices || stacked[device] === 1) return;
    stacked[device] = 1;
    stack[waiting] = device;
    waiting += 1;
  };
  while (waiting > 0) {
    waiting -= 1;
    const device = stack[waiting];
    stacked[device] = 0;
    const base = device * microbatches;
    const first = cursor[device];
    let at = first;
    let now = free[device];
    let forward = forwards[device];
    let input = inputs[device];
    const down = device > 0 ? transfer[device - 1] : 0;
    const up = device + 1 < devices ? transfer[device] : 0;
    const above = device > 0 ? forwards[device - 1] : microbatches;
    const below = device + 1 < devices ? inputs[device + 1] : microbatches;
    for (; at < length; at += 1) {
      const kind = words[device * length + at];
      if (kind === forwardKind) {
        if (forward >= above) break;
        if (device > 0) now = Math.max(now, forwardEnd[base - microbatches + forward] + down);
        now += forwardTime[device];
        forwardEnd[base + forward] = now;
        forward += 1;
      } else if (kind === inputKind) {
        if (input >= below || input >= forward) break;
        if (device + 1 < devices) now = Math.max(now, inputEnd[base + microbatches + input] + up);
        now += inputTime[device];
        inputEnd[base + input] = now;
        input += 1;
      } else now += weightTime[device];
    }
    done += at - first;
    if (forward > forwards[device]) wake(device + 1);
    if (input > inputs[device]) wake(device - 1);
    cursor[device] = at;
    free[device] = now;
    forwards[device] = forward;
    inputs[device] = input;
  }
  if (done < devices * length) return Infinity;
  let makespan = 0;
  for (let device = 0; device < devices; device += 1) makespan = Math.max(makespan, free[device] + step[device]);
  return makespan;
}

/** Ticks until the first forward starts on each device: nothing else can be first, whatever the order. */
export function headsOf({ devices, duration: [forward], transfer }: Problem): Float64Array {
  const heads = new Float64Array(devices);
  for (let device = 1; device < devices; device += 1)
    heads[device] = heads[device - 1] + forward[device - 1] + transfer[device - 1];
  return heads;
}

/** Ticks between first start and last end, of the device where that is longest, after `makespanOf`. */
export function spanOf({ free }: Scratch, heads: Float64Array): number {
  let span = 0;
  for (let device = 0; device < heads.length; device += 1) span = Math.max(span, free[device] - heads[device]);
  return span;
}

/** Most bytes that each device holds at a time, into `peaks`: F takes at its start, I and W free at their end. */
export function peaksOf(
  { devices, microbatches, activation, forWeight }: Problem,
  words: Words,
  peaks: Float64Array,
): void {
  const length = 3 * microbatches;
  for (let device = 0; device < devices; device += 1) {
    let kept = 0;
    let keptForWeight = 0;
    let peak = 0;
    for (let at = device * length; at < (device + 1) * length; at += 1) {
      const kind = words[at];
      if (kind === forwardKind) kept += 1;
      else if (kind === inputKind) {
        kept -= 1;
        keptForWeight += 1;
      } else keptForWeight -= 1;
      const level = kept * activation[device] + keptForWeight * forWeight[device];
      if (level > peak) peak = level;
    }
    peaks[device] = peak;
  }
}

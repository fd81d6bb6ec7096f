/** Times of V schedules: two chunks on each device, in six classes of operations, or four with whole backwards. */
import { wholeTicks } from '../../order/wholeTicks.ts';
import type { Shape } from '../policy.ts';
import { F0, F1, I0, I1, type Row, type Taken, W1 } from './vBlocks.ts';

export interface VTimes {
  readonly taken: Taken;
  /** Ticks of an operation: `class * devices + device`. */
  readonly duration: Float64Array;
  /** Ticks from a device to the next and back, for the first chunk and for the second; length devices − 1 each. */
  readonly transfer: readonly [Float64Array, Float64Array];
  /** Whether the times are those that the block is made for (`unitTimes`). */
  readonly even: boolean;
}

export function vTimesOf({ devices, stages, microbatches, ...shape }: Shape, taken: Taken): VTimes {
  const classes = taken.length;
  const durations = new Float64Array(classes * devices);
  const whole = classes <= W1;
  for (let device = 0; device < devices; device += 1) {
    const second = stages - 1 - device;
    const weights = [shape.backwardWeight[second], shape.backwardWeight[device]];
    const times = [
      shape.forward[device],
      shape.forward[second],
      shape.backwardInput[second] + (whole ? weights[0] : 0),
      shape.backwardInput[device] + (whole ? weights[1] : 0),
      ...(whole ? [] : weights),
    ];
    for (const [kind, seconds] of times.entries()) durations[kind * devices + device] = seconds;
  }
  const unit = unitTimes(devices, taken);
  const even =
    durations.every((seconds, index) => seconds === durations[0] * unit.duration[index]) &&
    shape.transfers.every((seconds) => seconds === 0);
  if (even) return unit;
  const { duration, transfer } = wholeTicks(durations, shape.transfers.slice(), microbatches);
  const hops = devices - 1;
  return {
    taken,
    duration,
    transfer: [transfer.slice(0, hops), transfer.slice(stages - 1 - hops).toReversed()],
    even,
  };
}

/** One tick for every operation, two for a whole backward, none for transfers. */
export const unitTimes = (devices: number, taken: Taken): VTimes => ({
  taken,
  duration: Float64Array.from({ length: taken.length * devices }, (_, index) =>
    taken.length <= W1 && index >= I1 * devices ? 2 : 1,
  ),
  transfer: [new Float64Array(devices - 1), new Float64Array(devices - 1)],
  even: true,
});

/** Ends of operations, `class * devices * microbatches + device * microbatches + microbatch`; Infinity until they are known. */
export type Ends = Float64Array;

/** Tick at which all that an operation needs is there; Infinity until that is known. */
export function readyAt(
  kind: number,
  device: number,
  microbatch: number,
  devices: number,
  microbatches: number,
  transfer: VTimes['transfer'],
  ends: Ends,
): number {
  const last = devices - 1;
  // Ends of a class on a device begin `class * stride` from those of the first class.
  const stride = devices * microbatches;
  const at = device * microbatches + microbatch;
  switch (kind) {
    case F0:
      return device === 0 ? 0 : ends[at - microbatches] + transfer[0][device - 1];
    case F1:
      return device === last ? ends[at] : ends[stride + at + microbatches] + transfer[1][device];
    case I1: {
      const forward = ends[stride + at];
      if (device === 0) return forward;
      const arrival = ends[2 * stride + at - microbatches] + transfer[1][device - 1];
      return arrival <= forward ? forward : arrival;
    }
    case I0: {
      const forward = ends[at];
      const arrival =
        device === last ? ends[2 * stride + at] : ends[3 * stride + at + microbatches] + transfer[0][device];
      return arrival <= forward ? forward : arrival;
    }
    default:
      return ends[(kind - 2) * stride + at];
  }
}

/** Device that a result of this class goes to, −1 for none but its own. */
export function receiverOf(kind: number, device: number, devices: number): number {
  const to = kind === F0 || kind === I1 ? device + 1 : kind === F1 || kind === I0 ? device - 1 : -1;
  return to < devices ? to : -1;
}

/**
 * Ticks to the end of the last operation; Infinity if operations wait for each other. Linear in the operations. Gives Infinity too as
 * soon as the end cannot come before `most`.
 */
export function endOf(
  rows: readonly Row[],
  microbatches: number,
  { taken, duration, transfer }: VTimes,
  ends: Ends,
  most = Infinity,
): number {
  const devices = rows.length;
  const size = taken.length * microbatches;
  const cursor = new Int32Array(devices);
  const stack = new Int32Array(devices);
  const stacked = new Uint8Array(devices).fill(1);
  const free = new Float64Array(devices);
  // What each device has to run yet: it cannot end before that has run.
  const left = new Float64Array(devices);
  for (let device = 0; device < devices; device += 1) {
    stack[device] = devices - 1 - device;
    for (let kind = 0; kind < taken.length; kind += 1) left[device] += duration[kind * devices + device] * microbatches;
  }
  // Times that are no whole ticks may be rounded.
  const late = most * (1 + 1e-9);
  const classes = classesOf(taken.length, microbatches);
  ends.fill(Infinity);
  let waiting = devices;
  let done = 0;
  while (waiting > 0) {
    waiting -= 1;
    const device = stack[waiting];
    stacked[device] = 0;
    const row = rows[device];
    const first = cursor[device];
    let at = first;
    let now = free[device];
    for (; at < size; at += 1) {
      const operation = row[at];
      const kind = classes[operation];
      const microbatch = operation - kind * microbatches;
      const ready = readyAt(kind, device, microbatch, devices, microbatches, transfer, ends);
      if (ready === Infinity) break;
      const takes = duration[kind * devices + device];
      now = (ready > now ? ready : now) + takes;
      left[device] -= takes;
      ends[(kind * devices + device) * microbatches + microbatch] = now;
      const to = receiverOf(kind, device, devices);
      if (to >= 0 && stacked[to] === 0) {
        stacked[to] = 1;
        stack[waiting] = to;
        waiting += 1;
      }
    }
    if (now + left[device] > late) return Infinity;
    done += at - first;
    cursor[device] = at;
    free[device] = now;
  }
  if (done < devices * size) return Infinity;
  let last = 0;
  for (let device = 0; device < devices; device += 1) if (free[device] > last) last = free[device];
  return last;
}

let known = { count: 0, microbatches: 0, classes: new Uint8Array() };

/** The class of each operation: `operation / microbatches`, which costs a division where it is asked most. */
export function classesOf(count: number, microbatches: number): Uint8Array {
  if (known.count !== count || known.microbatches !== microbatches) {
    const classes = new Uint8Array(count * microbatches);
    for (let kind = 1; kind < count; kind += 1) classes.fill(kind, kind * microbatches, (kind + 1) * microbatches);
    known = { count, microbatches, classes };
  }
  return known.classes;
}

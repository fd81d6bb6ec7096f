/** What the search for a split order sees of a pipeline: one stage a device, whole ticks, bytes against a limit. */
import { wholeTicks } from '../../order/wholeTicks.ts';
import type { Shape } from '../policy.ts';

export interface Problem {
  readonly devices: number;
  readonly microbatches: number;
  /** Ticks of F, I and W, by device. */
  readonly duration: readonly [Float64Array, Float64Array, Float64Array];
  /** Ticks that a result takes from device d to d + 1 and back; length devices − 1. */
  readonly transfer: Float64Array;
  /** Ticks after a device's last operation. */
  readonly step: Float64Array;
  /** Seconds of a tick. */
  readonly tick: number;
  /** Held of one microbatch from the start of F to the end of I, and from there to the end of W, by device. */
  readonly activation: Float64Array;
  readonly forWeight: Float64Array;
}

/** What an order should be best at first: the end of the last device, or the longest span of a device. */
export type Objective = 'makespan' | 'span';

/** A problem, what its orders may hold, and what they should be best at. Plain data: it may go to another thread. */
export interface SearchProblem extends Problem {
  /** Bytes by device, for one microbatch at least. */
  readonly limits: Float64Array;
  /** Bytes by device that a tighter limit is counted in. */
  readonly unit: Float64Array;
  readonly objective: Objective;
}

/** Kinds of operations in rows of these orders. */
export const forwardKind = 0;
export const inputKind = 1;
export const weightKind = 2;

/**
 * An order: 3m kinds for each device, one device after the other. Microbatches are alike, so that operations of a kind run in
 * ascending order on every device, and an order is only a word of kinds.
 */
export type Words = Uint8Array;

/**
 * With `counted`, bytes are for a limit in microbatches. Each microbatch counts at its largest state, so that W, where it keeps more
 * than F, takes no room of another microbatch. A stage that keeps nothing counts as 1 per microbatch.
 */
export function problemOf(shape: Shape, counted: boolean): Problem {
  const { devices, microbatches } = shape;
  const times = new Float64Array(4 * devices);
  times.set(shape.forward.subarray(0, devices));
  times.set(shape.backwardInput.subarray(0, devices), devices);
  times.set(shape.backwardWeight.subarray(0, devices), 2 * devices);
  for (let device = 0; device < devices; device += 1) times[3 * devices + device] = shape.step[device] ?? 0;
  const seconds = times.reduce((sum, time) => sum + time, 0);
  const { duration, transfer } = wholeTicks(times, shape.transfers.slice(), microbatches);
  const ticks = duration.reduce((sum, value) => sum + value, 0);
  const { activation, activationForWeight: forWeight } = shape;
  const sizes = (of: (device: number) => number): Float64Array =>
    Float64Array.from({ length: devices }, (_, device) => (counted && !(activation[device] > 0) ? 1 : of(device)));
  return {
    devices,
    microbatches,
    duration: [
      duration.subarray(0, devices),
      duration.subarray(devices, 2 * devices),
      duration.subarray(2 * devices, 3 * devices),
    ],
    transfer,
    step: duration.subarray(3 * devices),
    tick: ticks > 0 ? seconds / ticks : 0,
    activation: sizes((device) => (counted ? Math.max(activation[device], forWeight[device]) : activation[device])),
    forWeight: sizes((device) => forWeight[device]),
  };
}

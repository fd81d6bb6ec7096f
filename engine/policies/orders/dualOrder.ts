/** The order that DualPipe and DualPipeV share: two streams of microbatches on each device, each in a separate stage. */
import { type EqualTimes, near } from '../describe.ts';
import type { OperationSink } from '../policy.ts';
import { slotTime } from '../../order/slot.ts';

export interface DualRow {
  /** Places from the first of the device's half to the last: p / 2 where two directions meet in the middle, p where a V turns. */
  readonly half: number;
  /** Place of this device, from 0. */
  readonly place: number;
  /** Microbatches of each stream, at least 2 · half. */
  readonly count: number;
  /** Stage of stream 0, which enters at this half, and of stream 1, which leaves here. */
  readonly stage: readonly [number, number];
  /** Number of the k-th microbatch of a stream. */
  microbatch(stream: 0 | 1, k: number): number;
}

/**
 * DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.2.1, in the eight steps of the code that was published with it.
 * An F and a B of the two streams share a slot in the steady phase, but for the first such pair on the last device of a half.
 * Backwards are whole, except in step 3 and in the second half of the last ones: their W fill what would be idle.
 */
export function dualOrder({ half, place, count, stage, microbatch }: DualRow, out: OperationSink): void {
  const forwards = [0, 0];
  const backwards = [0, 0];
  const waiting: (readonly [stage: number, microbatch: number])[] = [];
  let weights = 0;
  const forward = (stream: 0 | 1): void => out.forward(stage[stream], microbatch(stream, forwards[stream]++));
  const backward = (stream: 0 | 1): void => out.backward(stage[stream], microbatch(stream, backwards[stream]++));
  const input = (stream: 0 | 1): void => {
    const number = microbatch(stream, backwards[stream]++);
    out.backwardInput(stage[stream], number);
    waiting.push([stage[stream], number]);
  };
  const weight = (): void => out.backwardWeight(...waiting[weights++]);
  const both = (ahead: 0 | 1, back: 0 | 1): void => {
    forward(ahead);
    out.fuse();
    backward(back);
  };
  const after = half - place - 1;

  for (let step = 0; step < 2 * after; step += 1) forward(0);
  for (let step = 0; step <= place; step += 1) {
    forward(0);
    forward(1);
  }
  for (let step = 0; step < after; step += 1) {
    input(1);
    weight();
    forward(1);
  }
  for (let step = 0; step < count - 2 * half + place + 1; step += 1) {
    if (step === 0 && after === 0) {
      forward(0);
      backward(1);
    } else both(0, 1);
    both(1, 0);
  }
  for (let step = 0; step < after; step += 1) {
    backward(1);
    both(1, 0);
  }
  const split = (place + 1) >> 1;
  for (let step = 0; step <= place; step += 1) {
    if (step > split || (step === split && place % 2 === 1)) input(1);
    else backward(1);
    if (step >= split) input(0);
    else backward(0);
  }
  for (let step = 0; step < after; step += 1) {
    weight();
    input(0);
  }
  for (let step = 0; step <= place; step += 1) weight();
}

/**
 * Most seconds that a device idles in an iteration: (half − 1)(F&B + B − 3W), where F&B is a slot of both. If nothing hides, all
 * devices idle that long. Otherwise devices far from the last device of a half idle less. Undefined if the form is not valid: it
 * takes F = I, and W no longer than they are.
 */
export function dualIdle(half: number, { f, i, w }: EqualTimes, overlap: number): number | undefined {
  if (!near(i, f) || w > f) return undefined;
  return (half - 1) * (slotTime(f, i + w, overlap) + i - 2 * w);
}

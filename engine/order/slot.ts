import type { Program } from '../values/program.ts';
import { secondsOf, type Timing } from '../values/timeline.ts';

/** Operations that share the slot at a position of `order`: 2 where it is fused with the next one. */
export const slotWidth = ({ fused }: Program, position: number): number =>
  fused !== undefined && fused[position] === 1 ? 2 : 1;

/** First position of the slot of a device that ends at a position. */
export const firstOfSlot = ({ fused, offsets }: Program, device: number, last: number): number =>
  fused !== undefined && last > offsets[device] && fused[last - 1] === 1 ? last - 1 : last;

/** Seconds of the slot that begins at a position: the longer of two operations and what the shorter one does not hide. */
export function slotLength(program: Program, position: number, timing: Pick<Timing, 'duration' | 'single'>): number {
  const { order } = program;
  const first = secondsOf(timing, program, order[position]);
  return slotWidth(program, position) === 1
    ? first
    : slotTime(first, secondsOf(timing, program, order[position + 1]), program.overlap ?? 0);
}

/** Seconds of two operations in one slot of which a share of the shorter one hides. */
export const slotTime = (one: number, other: number, overlap: number): number =>
  Math.max(one, other) + (1 - overlap) * Math.min(one, other);

import { microbatchOf, needSlot, rowOf } from '../values/program.ts';
import { type Timeline, arrivalAt, startAt } from '../values/timeline.ts';

/** First position of the slot of the operation at `position`: this position, or the first operation that it is fused with. */
export const slotFirst = (timeline: Timeline, position: number): number =>
  position > 0 && timeline.program.fused?.[position - 1] === 1 ? position - 1 : position;

/**
 * What decided when the slot of the operation at `position` starts: the first need of any operation in it that arrives just then,
 * within `slack` seconds. `slot` is the slot of the result. Undefined if none does: the device was busy until then, or nothing is
 * needed.
 */
export function bindingNeed(
  timeline: Timeline,
  position: number,
  slack: number,
): { readonly need: number; readonly slot: number } | undefined {
  const { program, timing } = timeline;
  const { order, fused } = program;
  const start = startAt(timeline, position);
  const first = slotFirst(timeline, position);
  const last = fused?.[first] === 1 ? first + 1 : first;
  for (let at = first; at <= last; at += 1) {
    const row = rowOf(program, order[at]);
    const microbatch = microbatchOf(program, order[at]);
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      if (Math.abs(arrivalAt(timeline, need, microbatch) - start) <= slack)
        return { need, slot: needSlot(timing, program.microbatches, need, microbatch) };
    }
  }
  return undefined;
}

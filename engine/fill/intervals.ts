import { rowOf } from '../values/program.ts';
import { type Timeline, endAt, stepAt, stepEnd } from '../values/timeline.ts';

/** Idle intervals of a device within one run, in order: from `from[i]` to `to[i]`, seconds. */
export interface Idle {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/**
 * Intervals in which a device runs no operation between 0 and the makespan. The gradient exchange and the optimizer's step after
 * its last operation are not idle time; waiting in a send or receive is. Gaps of rounding are left out.
 */
export function idleOf(timeline: Timeline, device: number): Idle {
  const { program, timing, makespan } = timeline;
  const { offsets, order } = program;
  const from: number[] = [];
  const to: number[] = [];
  const slack = makespan * 1e-12;
  let before = 0;
  const gap = (until: number): void => {
    if (until - before <= slack) return;
    from.push(before);
    to.push(until);
  };
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
    const end = endAt(timeline, at);
    gap(timeline.starts === undefined ? end - timing.duration[rowOf(program, order[at])] : timeline.starts[at]);
    before = Math.max(before, end);
  }
  const step = Math.max(before, stepAt(timeline, device));
  gap(step);
  before = stepEnd(timeline, device);
  gap(makespan);
  return { from: Float64Array.from(from), to: Float64Array.from(to) };
}

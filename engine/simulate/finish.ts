import { type Timeline, endAt, startAt } from './timeline.ts';

/** Adds to simulated operations what follows from them by device: busy time, first start, last end, and the makespan. */
export function finish(run: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts' | 'arrival'>): Timeline {
  const { program, timing } = run;
  const { devices, offsets, order, shift } = program;
  const busy = new Float64Array(devices);
  const first = new Float64Array(devices);
  const last = new Float64Array(devices);
  const timeline: Timeline = { ...run, makespan: 0, busy, first, last };
  const operations = new Int32Array(timing.duration.length);
  let makespan = 0;
  for (let device = 0; device < devices; device += 1) {
    const from = offsets[device];
    const to = offsets[device + 1];
    if (from === to) continue;
    first[device] = startAt(timeline, from);
    last[device] = endAt(timeline, to - 1);
    // Counted by row and multiplied, so that a million equal operations do not add up a million rounding errors.
    operations.fill(0);
    for (let at = from; at < to; at += 1) operations[order[at] >> shift] += 1;
    let sum = 0;
    for (let row = 0; row < operations.length; row += 1)
      if (operations[row] > 0) sum += operations[row] * timing.duration[row];
    busy[device] = sum;
    makespan = Math.max(makespan, last[device] + timing.sync[device] + timing.optimizer[device]);
  }
  return { ...timeline, makespan };
}

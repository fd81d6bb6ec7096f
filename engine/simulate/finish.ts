import { exchangedAt } from './gradients.ts';
import { type Timeline, endAt, startAt } from '../timeline.ts';

/** Adds to simulated operations what follows from them by device: busy time, first start, last end, and the makespan. */
export function finish(
  run: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts' | 'arrival' | 'sent' | 'blocking'>,
): Timeline {
  const { program, timing } = run;
  const { devices, offsets, order, shift } = program;
  const busy = new Float64Array(devices);
  const first = new Float64Array(devices);
  const last = new Float64Array(devices);
  const timeline = { ...run, busy, first, last };
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
    busy[device] = sum - hidden(run, device, operations);
  }
  const exchanged = exchangedAt(timeline);
  for (let device = 0; device < devices; device += 1)
    if (offsets[device] < offsets[device + 1])
      makespan = Math.max(makespan, exchanged[device] + timing.optimizer[device]);
  return { ...timeline, exchanged, makespan };
}

/** Seconds of a device's fused operations that hide behind their other half; `count` is overwritten. */
function hidden({ program, timing }: Pick<Timeline, 'program' | 'timing'>, device: number, count: Int32Array): number {
  const { offsets, order, shift, fused, overlap = 0 } = program;
  if (fused === undefined || overlap === 0) return 0;
  const { duration } = timing;
  count.fill(0);
  for (let at = offsets[device]; at + 1 < offsets[device + 1]; at += 1) {
    if (fused[at] === 0) continue;
    const [one, other] = [order[at] >> shift, order[at + 1] >> shift];
    count[duration[one] < duration[other] ? one : other] += 1;
    at += 1;
  }
  let sum = 0;
  for (let row = 0; row < count.length; row += 1) if (count[row] > 0) sum += count[row] * duration[row];
  return overlap * sum;
}

import { operationCounts } from '../order/operationCounts.ts';
import { slotLength, slotWidth } from '../order/slot.ts';
import { exchangedAt } from './gradients.ts';
import { hostedAt } from './hostStep.ts';
import { outerSeconds } from './outerStep.ts';
import { type Timeline, endAt, startAt, stepEnd } from '../values/timeline.ts';

/** Adds to simulated operations what follows from them by device: busy time, first start, last end, and the makespan. */
export function finish(
  run: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts' | 'arrival' | 'sent' | 'blocking'>,
): Timeline {
  const { program, timing } = run;
  const { devices, offsets } = program;
  const busy = new Float64Array(devices);
  const first = new Float64Array(devices);
  const last = new Float64Array(devices);
  const timeline = { ...run, busy, first, last };
  const shorter = new Int32Array(program.fused === undefined ? 0 : timing.duration.length);
  let makespan = 0;
  for (let device = 0; device < devices; device += 1) {
    const from = offsets[device];
    const to = offsets[device + 1];
    if (from === to) continue;
    first[device] = startAt(timeline, from);
    last[device] = endAt(timeline, to - 1);
    if (timing.crowd !== undefined) {
      busy[device] = busyInCrowd(timeline, device);
      continue;
    }
    if (timing.single !== undefined) {
      busy[device] = singleBusy(run, device);
      continue;
    }
    busy[device] = busyAlone(run, device) - hidden(run, device, shorter);
  }
  const { exchanged, bucketEnd, slowed } = exchangedAt(timeline);
  const hosted = hostedAt({ ...timeline, exchanged }, bucketEnd);
  const steps = { exchanged, timing, ...(hosted === undefined ? {} : { hosted }) };
  const linkSeconds = program.weights === undefined ? timing.linkSeconds : undefined;
  if (linkSeconds !== undefined && linkSeconds.some((seconds) => seconds > Math.max(...exchanged)))
    // No iteration ends before all of its bytes are through its links.
    for (const [device, seconds] of linkSeconds.entries()) exchanged[device] = Math.max(exchanged[device], seconds);
  for (let device = 0; device < devices; device += 1)
    if (offsets[device] < offsets[device + 1]) makespan = Math.max(makespan, stepEnd(steps, device));
  if (timing.outer !== undefined) {
    const ends = exchanged.map((_, device) => stepEnd(steps, device));
    const more = outerSeconds(timing.outer, ends, makespan);
    for (const device of timing.outer.keys()) if (offsets[device] < offsets[device + 1]) exchanged[device] += more;
    makespan += more;
  }
  return { ...timeline, ...steps, makespan, ...(slowed === undefined ? {} : { slowed }) };
}

/** Seconds of a device whose operations share links: from start to end. */
function busyInCrowd(timeline: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>, device: number): number {
  const { offsets } = timeline.program;
  let sum = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += slotWidth(timeline.program, at))
    sum += endAt(timeline, at) - startAt(timeline, at);
  return sum;
}

/** Seconds of a device whose operations take single times; a slot of two counts what it takes. */
function singleBusy({ program, timing }: Pick<Timeline, 'program' | 'timing'>, device: number): number {
  const { offsets } = program;
  let sum = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += slotWidth(program, at))
    sum += slotLength(program, at, timing);
  return sum;
}

/**
 * Seconds of a device's operations. Counted by row and multiplied, so that a million equal operations do not add up a million
 * rounding errors.
 */
function busyAlone({ program, timing }: Pick<Timeline, 'program' | 'timing'>, device: number): number {
  const { offsets, rows, count } = operationCounts(program);
  let sum = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) sum += count[at] * timing.duration[rows[at]];
  return sum;
}

/** Seconds of a device's fused operations that hide behind their other half. `shorter`: zero for each row, before and after. */
function hidden(
  { program, timing }: Pick<Timeline, 'program' | 'timing'>,
  device: number,
  shorter: Int32Array,
): number {
  const { offsets, order, shift, fused, overlap = 0 } = program;
  if (fused === undefined || overlap === 0) return 0;
  const { duration } = timing;
  const stop = offsets[device + 1];
  for (let at = offsets[device]; at + 1 < stop; at += 1) {
    if (fused[at] === 0) continue;
    const first = order[at] >> shift;
    const second = order[at + 1] >> shift;
    shorter[duration[first] < duration[second] ? first : second] += 1;
    at += 1;
  }
  const counts = operationCounts(program);
  let sum = 0;
  for (const row of counts.rows.subarray(counts.offsets[device], counts.offsets[device + 1])) {
    sum += shorter[row] * duration[row];
    shorter[row] = 0;
  }
  return overlap * sum;
}

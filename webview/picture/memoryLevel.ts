import type { PipelineReport } from '../../engine/report.ts';
import type { MemoryTrack } from '../../engine/simulate/memory.ts';
import type { Picture } from './picture.ts';

/** Index of the step that holds at `time`. */
export function stepAt(track: Pick<MemoryTrack, 'at'>, time: number): number {
  let low = 0;
  let high = track.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.at[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Bytes held from `time` on. */
export const memoryAfter = (track: MemoryTrack, time: number): number => track.bytes[stepAt(track, time)] ?? track.base;

interface Extremes {
  readonly bytes: number;
  readonly at: number;
  /** First time over the capacity. */
  readonly over: number | undefined;
}
/** Asked for at every frame, found once. */
const extremes = new WeakMap<MemoryTrack, Extremes>();

/** The highest level, when it is first reached, and when the level is first over the capacity (undefined where it never is). */
export function highest(track: MemoryTrack): Extremes {
  const known = extremes.get(track);
  if (known !== undefined) return known;
  let best = 0;
  for (let step = 1; step < track.bytes.length; step += 1) if (track.bytes[step] > track.bytes[best]) best = step;
  const over = track.bytes.findIndex((level) => level > track.capacity);
  const found = {
    bytes: track.bytes[best] ?? track.base,
    at: track.at[best] ?? 0,
    over: over < 0 ? undefined : track.at[over],
  };
  extremes.set(track, found);
  return found;
}

export const firstOverLimit = (track: MemoryTrack): number | undefined => highest(track).over;

/**
 * The curve between two times as at most about `most` corners [time, level, …]. If there are more steps than that, the
 * highest level of each stretch shows it, so that no peak is lost.
 */
export function curve(track: MemoryTrack, t0: number, t1: number, most: number): Float64Array {
  const first = stepAt(track, t0);
  const last = stepAt(track, t1);
  const count = last - first + 1;
  const stride = Math.max(1, Math.ceil(count / most));
  const points = new Float64Array(2 * Math.ceil(count / stride));
  for (let at = first, out = 0; at <= last; at += stride, out += 2) {
    let top = track.bytes[at];
    for (let step = at + 1; step < Math.min(at + stride, last + 1); step += 1) top = Math.max(top, track.bytes[step]);
    points[out] = track.at[at];
    points[out + 1] = top;
  }
  return points;
}

/** The device whose peak is the greatest part of its capacity. */
export const worstDevice = ({ devices }: PipelineReport): number =>
  devices.reduce(
    (most, { peak, capacity }, index) => (peak / capacity > devices[most].peak / devices[most].capacity ? index : most),
    0,
  );

/** Bytes that the memory panel shows, bottom and top: all curves and the limit, without much empty room under the lowest base. */
export function memoryRange({ memory, report }: Picture): readonly [number, number] {
  const base = memory.reduce((least, track) => Math.min(least, track.base), Number.POSITIVE_INFINITY);
  const top = report.devices.reduce((most, device) => Math.max(most, device.peak), 0);
  const limit = report.devices.reduce((most, device) => Math.max(most, device.capacity), 0);
  // A limit far above all curves would press them flat: then it is told in words only.
  const high = limit <= top * 2.5 ? Math.max(limit, top) : top;
  const low = base > high * 0.35 ? base - (high - base) * 0.25 : 0;
  return [Math.max(0, low), high + (high - Math.max(0, low)) * 0.12];
}

/** Whether the memory panel shows the zone over the limit. */
export const limitInSight = (picture: Picture): boolean =>
  picture.report.devices.length > 0 &&
  picture.report.devices[worstDevice(picture.report)].capacity <= memoryRange(picture)[1];

import type { ReportWithoutCauses } from '../../engine/values/report.ts';
import type { MemoryTrack } from '../../engine/simulate/memory.ts';

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
  const { at, bytes, capacity } = track;
  let best = 0;
  for (let step = 1; step < bytes.length; step += 1) if (bytes[step] > bytes[best]) best = step;
  const found = {
    bytes: bytes[best] ?? track.base,
    at: at[best] ?? 0,
    over: bytes[best] > capacity ? at[bytes.findIndex((level) => level > capacity)] : undefined,
  };
  extremes.set(track, found);
  return found;
}

export const firstOverLimit = (track: MemoryTrack): number | undefined => highest(track).over;

/**
 * The curve between two times as at most about `most` corners [time, level, …]. Steps that share a pixel are one step, at the
 * highest of their levels: so no peak is lost, and a moment between two operations is no dip.
 */
export function curve(track: MemoryTrack, t0: number, t1: number, most: number): Float64Array {
  const last = stepAt(track, t1);
  const pixel = (t1 - t0) / most;
  let at = stepAt(track, t0);
  const points = new Float64Array(2 * Math.min(2 * (last - at + 1), Math.ceil(most) + 3));
  let time = track.at[at];
  let out = 0;
  while (at <= last) {
    const end = time + pixel;
    let top = track.bytes[at];
    let next = at + 1;
    for (; next <= last && track.at[next] < end; next += 1) top = Math.max(top, track.bytes[next]);
    if (out === 0 || points[out - 1] !== top) {
      points[out] = time;
      points[out + 1] = top;
      out += 2;
    }
    // The last step of a pixel goes on after it.
    const goesOn = next > at + 1 && (next > last || track.at[next] > end);
    time = goesOn ? end : track.at[next];
    at = goesOn ? next - 1 : next;
  }
  return points.subarray(0, out);
}

/** The device whose peak is the greatest part of its capacity. */
export const worstDevice = ({ devices }: ReportWithoutCauses): number =>
  devices.reduce(
    (most, { peak, capacity }, index) => (peak / capacity > devices[most].peak / devices[most].capacity ? index : most),
    0,
  );

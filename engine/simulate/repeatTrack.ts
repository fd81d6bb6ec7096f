import type { MemoryTrack } from './memory.ts';

/**
 * The same track with the iterations before and after it, if iterations follow each other every `period` seconds without a barrier. A device
 * runs its iterations one after the other, so their steps do not mix. If another device's activations make them mix, the track stays
 * as it is. O(steps).
 */
export function repeatTrack(track: MemoryTrack, period: number): MemoryTrack {
  const { at, bytes, base } = track;
  const count = at.length;
  // Most tracks begin with what is always there: that is no change, and it does not come again.
  const first = bytes[0] === base ? 1 : 0;
  if (count <= first || at[count - 1] > (at[first] + period) * (1 + 1e-9)) return track;
  // Of the iteration before, only steps after time 0 are shown.
  let shown = count;
  while (shown > first && at[shown - 1] > period) shown -= 1;
  const steps = 2 * count - first + (count - shown);
  const repeated = { at: new Float64Array(steps), bytes: new Float64Array(steps) };
  repeated.bytes[0] = shown < count ? bytes[Math.max(0, shown - 1)] : bytes[0];
  let out = 1;
  const add = (from: number, later: number): void => {
    for (let step = from; step < count; step += 1, out += 1) {
      // Rounding never lets time run back.
      repeated.at[out] = Math.max(repeated.at[out - 1], at[step] + later);
      repeated.bytes[out] = bytes[step];
    }
  };
  add(shown, -period);
  add(1, 0);
  add(first, period);
  return { ...track, ...repeated };
}

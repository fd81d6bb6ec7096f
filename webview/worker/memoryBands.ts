import type { MemoryTrack } from '../../engine/simulate/memory.ts';
import { type MemoryBands, bandShares } from '../picture/memoryBands.ts';
import { stepAt } from '../picture/memoryLevel.ts';

/** Levels looked at for one picture: with more devices, columns are wider than a pixel. */
const mostLevels = 1 << 17;

/** O(steps in sight + columns × devices). `pixels`: columns at most. */
export function memoryBands(tracks: readonly MemoryTrack[], t0: number, t1: number, pixels: number): MemoryBands {
  const devices = tracks.length;
  const columns = Math.max(1, Math.min(pixels, Math.floor(mostLevels / Math.max(1, devices))));
  const highest = new Float64Array(columns * devices);
  tracks.forEach((track, device) => addHighest(track, t0, t1, columns, device, devices, highest));
  const levels = new Float64Array(columns * bandShares.length);
  for (let column = 0; column < columns; column += 1) {
    const from = column * devices;
    const to = from + devices;
    // Each rank parts the levels, so that the next is looked for above it only.
    let low = from;
    bandShares.forEach((share, at) => {
      const rank = from + Math.round(share * (devices - 1));
      select(highest, low, to - 1, rank);
      levels[column * bandShares.length + at] = highest[rank];
      low = rank;
    });
  }
  return { t0, t1, columns, levels };
}

/** The highest level of a track in each column: of what it begins with and of all steps inside. */
function addHighest(
  { at, bytes }: MemoryTrack,
  t0: number,
  t1: number,
  columns: number,
  device: number,
  devices: number,
  out: Float64Array,
): void {
  /** A time in columns. The product comes first, so that a whole number of columns stays whole. */
  const columnOf = (time: number): number => ((time - t0) * columns) / (t1 - t0);
  let step = stepAt({ at }, t0);
  for (let column = 0; column < columns; column += 1) {
    while (step + 1 < at.length && columnOf(at[step + 1]) <= column) step += 1;
    let level = bytes[step];
    while (step + 1 < at.length && columnOf(at[step + 1]) < column + 1) {
      step += 1;
      if (bytes[step] > level) level = bytes[step];
    }
    out[column * devices + device] = level;
  }
}

/** Puts the value of rank `rank` of `from` to `to` (inclusive) in its place, smaller ones before it and greater ones after (Hoare's select). */
function select(values: Float64Array, from: number, to: number, rank: number): void {
  let low = from;
  let high = to;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left] < pivot) left += 1;
      while (values[right] > pivot) right -= 1;
      if (left > right) break;
      const swapped = values[left];
      values[left] = values[right];
      values[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else return;
  }
}

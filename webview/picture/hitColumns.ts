import type { Columns } from './columns.ts';

/** Part of a timeline that is in sight. */
export interface Sight {
  readonly t0: number;
  readonly t1: number;
  /** Pixels between them. */
  readonly width: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /** First device of each row, then the number of devices. Absent where each device has a row. */
  readonly spans?: Int32Array;
  /** Rows that share a line of pixels; they are marked together at the first of them. */
  readonly rowsPerPixel: number;
}

/** Stretches of pixels that hold hits, row by row; none of a row overlap or touch. */
export interface Hits {
  readonly count: number;
  readonly row: Int32Array;
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/**
 * Where hits are in sight. `found`: blocks, ascending. Hits that share a pixel are stepped over, so that the cost follows the
 * pixels and the logarithm of the hits, not the hits.
 */
export function hitColumns(columns: Columns, found: Int32Array, sight: Sight): Hits {
  const { offsets, start, end } = columns;
  const { t0, t1, width, firstRow, lastRow, rowsPerPixel, spans } = sight;
  const scale = width / (t1 - t0);
  const pixel = (time: number): number => Math.round((time - t0) * scale);
  const row: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const first = firstRow - (firstRow % rowsPerPixel);
  for (let group = first; group <= lastRow; group += rowsPerPixel) {
    const begun = row.length;
    const head = spans?.[group] ?? group;
    const tail =
      spans?.[Math.min(group + rowsPerPixel, spans.length - 1)] ?? Math.min(group + rowsPerPixel, columns.rows);
    for (let device = head; device < tail; device += 1) {
      const stop = firstThat(0, found.length, (index) => found[index] >= offsets[device + 1]);
      let at = firstThat(0, stop, (index) => found[index] >= offsets[device]);
      at = firstThat(at, stop, (index) => end[found[index]] >= t0);
      while (at < stop && start[found[at]] < t1) {
        const from = Math.max(0, pixel(start[found[at]]));
        const to = Math.min(width, Math.max(from + 1, pixel(end[found[at]])));
        const last = row.length - 1;
        if (last >= begun && device === head && from <= right[last]) right[last] = Math.max(right[last], to);
        else {
          row.push(group);
          left.push(from);
          right.push(to);
        }
        // The next one that rounds to a pixel beyond.
        at = firstThat(at + 1, stop, (index) => pixel(end[found[index]]) > to || pixel(start[found[index]]) >= to);
      }
    }
    if (tail - head > 1) merge(begun, row, left, right);
  }
  return {
    count: row.length,
    row: Int32Array.from(row),
    left: Float64Array.from(left),
    right: Float64Array.from(right),
  };
}

/** Stretches of several rows that share a line, as stretches that do not overlap. */
function merge(begun: number, row: number[], left: number[], right: number[]): void {
  if (row.length - begun < 2) return;
  const order = Array.from({ length: row.length - begun }, (_, at) => begun + at).sort((a, b) => left[a] - left[b]);
  const merged: [number, number][] = [];
  for (const at of order) {
    const last = merged.at(-1);
    if (last !== undefined && left[at] <= last[1]) last[1] = Math.max(last[1], right[at]);
    else merged.push([left[at], right[at]]);
  }
  row.length = begun + merged.length;
  left.length = begun;
  right.length = begun;
  for (const [from, to] of merged) {
    left.push(from);
    right.push(to);
  }
}

/** First index from `from` on, before `to`, that holds; all after it hold too. Found in strides that double. */
function firstThat(from: number, to: number, holds: (at: number) => boolean): number {
  let low = from;
  let stride = 1;
  while (low + stride <= to && !holds(low + stride - 1)) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(to, low + stride);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

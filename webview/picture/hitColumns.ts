import type { Columns } from './columns.ts';

/** Part of a timeline that is in sight. */
export interface Sight {
  readonly t0: number;
  readonly t1: number;
  /** Pixels between them. */
  readonly width: number;
  readonly firstRow: number;
  readonly lastRow: number;
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
  const { t0, t1, width, firstRow, lastRow, rowsPerPixel } = sight;
  const scale = width / (t1 - t0);
  const row: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const first = firstRow - (firstRow % rowsPerPixel);
  for (let group = first; group <= lastRow; group += rowsPerPixel) {
    const begun = row.length;
    for (let device = group; device < Math.min(group + rowsPerPixel, columns.rows); device += 1) {
      const stop = firstNotBelow(found, 0, found.length, offsets[device + 1]);
      let at = firstNotBelow(found, 0, stop, offsets[device]);
      at = firstBeyond(columns, found, at, stop, t0, t0);
      while (at < stop && start[found[at]] < t1) {
        const from = Math.max(0, Math.round((start[found[at]] - t0) * scale));
        const to = Math.min(width, Math.max(from + 1, Math.round((end[found[at]] - t0) * scale)));
        const last = row.length - 1;
        if (last >= begun && device === group && from <= right[last]) right[last] = Math.max(right[last], to);
        else {
          row.push(group);
          left.push(from);
          right.push(to);
        }
        // The next one that rounds to a pixel beyond.
        at = firstBeyond(columns, found, at + 1, stop, t0 + (to - 0.5) / scale, t0 + (to + 0.5) / scale);
      }
    }
    if (rowsPerPixel > 1) merge(begun, row, left, right);
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

function firstNotBelow(found: Int32Array, from: number, to: number, block: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle] < block) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First hit from `from` on, before `to`, whose block starts or ends at these times or later; hits of a row are in order of time. */
function firstBeyond(
  { start, end }: Columns,
  found: Int32Array,
  from: number,
  to: number,
  starts: number,
  ends: number,
) {
  const isBeyond = (at: number): boolean => end[found[at]] >= ends || start[found[at]] >= starts;
  let low = from;
  let stride = 1;
  while (low + stride <= to && !isBeyond(low + stride - 1)) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(to, low + stride);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

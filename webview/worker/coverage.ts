import {
  type Columns,
  kindCollective,
  kindOptimizer,
  kindRecompute,
  kindWeight,
  syncWord,
} from '../picture/columns.ts';
import type { Colouring } from './colouring.ts';
import { colourIndex } from './palette.ts';

/** Equal stretches of time: bin 0 begins at `from`, and a second has `perSecond` bins. */
export interface Bins {
  readonly from: number;
  readonly perSecond: number;
  readonly count: number;
}

/** Adds to `coverage` (bins × slots) the share of each bin that blocks `low` to `high` (exclusive) take, times `weight`. */
export function cover(
  columns: Columns,
  low: number,
  high: number,
  { from: origin, perSecond, count }: Bins,
  colouring: Colouring,
  weight: number,
  coverage: Float32Array,
): void {
  const { start, end, word, parts, shift, pair } = columns;
  const { main, recompute, weight: weightFrom } = parts;
  const { slots, used } = colouring;
  const stride = used.length;
  const byOperation = colouring.by === 'operation';
  const palette = { colourBy: colouring.by, chunk: colouring.chunk };
  for (let block = low; block < high; block += 1) {
    const from = (start[block] - origin) * perSecond;
    const to = (end[block] - origin) * perSecond;
    // Two that share a slot are drawn one above the other.
    const share = pair !== undefined && pair[block] !== 0 ? weight / 2 : weight;
    const code = word[block];
    if (code < 0) {
      add(coverage, count, from, to, slots[code === syncWord ? kindCollective : kindOptimizer], stride, share);
      continue;
    }
    const row = code >> shift;
    // Most blocks have one part, or two: the shares below are looked at for those that have them.
    let first = from;
    if (recompute[row] > 0) {
      first = from + (to - from) * recompute[row];
      const slot = slots[byOperation ? kindRecompute : colourIndex(palette, columns, kindRecompute, code)];
      if (first > from) add(coverage, count, from, first, slot, stride, share);
    }
    const last = from + (to - from) * weightFrom[row];
    const slot = slots[byOperation ? main[row] : colourIndex(palette, columns, main[row], code)];
    add(coverage, count, first, last, slot, stride, share);
    if (last >= to) continue;
    const gradient = slots[byOperation ? kindWeight : colourIndex(palette, columns, kindWeight, code)];
    add(coverage, count, last, to, gradient, stride, share);
  }
}

function add(
  coverage: Float32Array,
  count: number,
  start: number,
  end: number,
  slot: number,
  stride: number,
  share: number,
): void {
  const from = start > 0 ? start : 0;
  const to = end < count ? end : count;
  if (!(to > from)) return;
  const first = Math.min(count - 1, Math.floor(from));
  const last = Math.min(count - 1, Math.floor(to));
  if (first === last) {
    coverage[first * stride + slot] += (to - from) * share;
    return;
  }
  coverage[first * stride + slot] += (first + 1 - from) * share;
  for (let bin = first + 1; bin < last; bin += 1) coverage[bin * stride + slot] += share;
  coverage[last * stride + slot] += (to - last) * share;
}

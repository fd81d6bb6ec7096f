import { kindCollective, kindInput, kindOptimizer, kindRecompute, kindWeight, syncWord } from '../picture/columns.ts';
import type { Frame } from './frame.ts';
import { colourOf } from './palette.ts';

/** Above this number of blocks per pixel, painting each would cost more than the picture shows. */
const most = 2;
export const isDense = (blocks: number, width: number): boolean => blocks > most * width;

/** How a line runs through the blocks of its row. */
export interface LineShape {
  /** Pixels that corners take from both ends of a block. */
  readonly inset: number;
  /** The first or last line of framed blocks. */
  readonly rim: boolean;
  readonly framed: boolean;
  /** Upper (0) or lower (1) half of shared slots. */
  readonly half: number;
  /** Whether the shape of a block says its kind, as its colour says the microbatch. */
  readonly shapes: boolean;
  /** Pixels that the notch takes from the end of a wide backward; none where it is not positive. */
  readonly notch: number;
}
export const plainLine: LineShape = { inset: 0, rim: false, framed: false, half: 0, shapes: false, notch: 0 };

/** One line of pixels from blocks `low` to `high` (exclusive), each block painted. */
export function spanLine(frame: Frame, low: number, high: number, line: number, shape: LineShape): void {
  const { view, width, columns, palette, pixels } = frame;
  const { inset, rim, framed, half, shapes, notch } = shape;
  const { start, end, word, pair, parts, shift } = columns;
  const scale = width / (view.t1 - view.t0);
  for (let i = low; i < high; i += 1) {
    if (pair !== undefined && pair[i] === (half === 0 ? 2 : 1)) continue;
    const left = (start[i] - view.t0) * scale;
    const right = (end[i] - view.t0) * scale;
    const x0 = Math.round(left);
    let x1 = Math.round(right);
    if (x1 - x0 >= 4) x1 -= 1;
    else if (x1 <= x0) x1 = x0 + 1;
    const cut = x1 - x0 >= 8 ? inset : 0;
    const a = Math.max(0, x0 + cut);
    const code = word[i];
    let cutEnd = cut;
    // A narrow backward keeps its left half whole.
    if (notch > 0 && code >= 0 && parts.main[code >> shift] === kindInput)
      cutEnd = Math.max(cut, notch - Math.max(0, view.notch - ((x1 - x0) >> 1)));
    const b = Math.min(width, x1 - cutEnd);
    if (a >= b) continue;
    if (code < 0) {
      put(pixels, palette.colours[code === syncWord ? kindCollective : kindOptimizer], line + a, line + b);
    } else {
      const row = code >> shift;
      const main = parts.main[row];
      // Where colours do not tell kinds apart, a weight gradient fills the lower half only.
      if (shapes && main === kindWeight && half === 0) continue;
      const recompute = parts.recompute[row];
      const weight = parts.weight[row];
      put(pixels, colourOf(palette, columns, main, code), line + a, line + b);
      if (recompute > 0) {
        const r = Math.min(b, Math.round(left + (right - left) * recompute));
        if (r > a) put(pixels, colourOf(palette, columns, kindRecompute, code), line + a, line + r);
      }
      if (weight < 1) {
        const w = Math.max(a, Math.round(left + (right - left) * weight));
        if (b > w) put(pixels, colourOf(palette, columns, kindWeight, code), line + w, line + b);
      }
    }
    if (framed && x1 - x0 >= 4) {
      if (rim) put(pixels, palette.border, line + a, line + b);
      else {
        if (a === x0) pixels[line + a] = palette.border;
        if (b === x1 || cutEnd > cut) pixels[line + b - 1] = palette.border;
      }
    }
  }
}

/** Most spans are a few pixels wide, for which a call of `fill` costs more than the pixels. */
function put(pixels: Uint32Array, colour: number, from: number, to: number): void {
  if (to - from > 24) pixels.fill(colour, from, to);
  else for (let at = from; at < to; at += 1) pixels[at] = colour;
}

/**
 * One line of pixels where many blocks share each: the block at one moment of every pixel. The moments lie on a grid in time,
 * so that a picture that is moved by whole pixels keeps its colours. O(pixels · log(blocks a pixel)).
 */
export function sampleLine(frame: Frame, low: number, high: number, line: number, half: number, shapes: boolean): void {
  const { view, width, columns, palette, pixels } = frame;
  const { start, end, word, pair, parts, shift } = columns;
  const step = (view.t1 - view.t0) / width;
  const origin = (Math.round(view.t0 / step) + 0.5) * step;
  let at = low;
  for (let x = 0; x < width; x += 1) {
    const time = origin + x * step;
    at = lastStartingBy(start, at, high, time);
    let block = at;
    if (pair !== undefined && pair[block] === (half === 0 ? 2 : 1)) block += half === 0 ? -1 : 1;
    if (start[block] > time || end[block] <= time) continue;
    const code = word[block];
    if (code < 0) {
      pixels[line + x] = palette.colours[code === syncWord ? kindCollective : kindOptimizer];
      continue;
    }
    const row = code >> shift;
    const share = (time - start[block]) / (end[block] - start[block]);
    const kind =
      share < parts.recompute[row] ? kindRecompute : share >= parts.weight[row] ? kindWeight : parts.main[row];
    if (shapes && half === 0 && parts.main[row] === kindWeight) continue;
    pixels[line + x] = colourOf(palette, columns, kind, code);
  }
}

/** Last block from `from` on, before `high`, that starts at or before `time`; `from` where none does. Found in strides that double. */
function lastStartingBy(start: Float64Array, from: number, high: number, time: number): number {
  let low = from;
  let stride = 1;
  while (low + stride < high && start[low + stride] <= time) {
    low += stride;
    stride *= 2;
  }
  let above = Math.min(high, low + stride);
  while (above - low > 1) {
    const middle = (low + above) >> 1;
    if (start[middle] <= time) low = middle;
    else above = middle;
  }
  return low;
}

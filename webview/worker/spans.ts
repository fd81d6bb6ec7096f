import { kindCollective, kindInput, kindOptimizer, kindRecompute, kindWeight, syncWord } from '../picture/columns.ts';
import type { Frame } from './frame.ts';
import { colourOf } from './palette.ts';

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

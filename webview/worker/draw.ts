import { type Columns, firstEndingAfter, firstStartingFrom } from '../picture/columns.ts';
import { leastBlock, leastHill } from '../picture/levelOfDetail.ts';
import { shapesSayKind } from '../picture/versions.ts';
import { fits } from './colouring.ts';
import { type Density, blockLine, densityOf, measure, mixLine, stackLines } from './density.ts';
import type { Frame, FrameView } from './frame.ts';
import { meanBlock } from './meanBlock.ts';
import type { Palette } from './palette.ts';
import type { Pyramid } from './pyramid.ts';
import { spanLine } from './spans.ts';

/** Screen pixels from which on blocks begin and end at whole ones. Under it this would show false stripes. */
const leastWhole = 3;

/**
 * Draws into `out` (made when absent or of another size): one 32-bit pixel each, row by row. With a pyramid in the colours of the
 * palette, cost follows pixels; without, it follows the blocks in sight.
 */
export function draw(
  view: FrameView,
  width: number,
  height: number,
  columns: Columns,
  pyramid: Pyramid | undefined,
  palette: Palette,
  out?: Uint32Array,
): Uint32Array {
  const pixels = drawIteration(view, width, height, columns, pyramid, palette, out);
  const { period, makespan } = columns;
  if (period === undefined) return pixels;
  // Of the iterations before and after: only what is in sight, paler.
  for (const shift of [-period, period])
    if (view.t0 - shift < makespan && view.t1 - shift > 0) {
      const shifted = { ...view, t0: view.t0 - shift, t1: view.t1 - shift };
      pale(pixels, drawIteration(shifted, width, height, columns, pyramid, palette), palette.background);
    }
  return pixels;
}

/** What is not the ground replaces the ground, halfway to it. */
function pale(pixels: Uint32Array, other: Uint32Array, ground: number): void {
  for (let at = 0; at < pixels.length; at += 1)
    if (other[at] !== ground && pixels[at] === ground) pixels[at] = halfway(other[at], ground);
}

/** Of four bytes each, without carries from one to the next; opaque. */
const halfway = (a: number, b: number): number => (((a >>> 1) & 0x7f7f7f7f) + ((b >>> 1) & 0x7f7f7f7f)) | 0xff000000;

function drawIteration(
  view: FrameView,
  width: number,
  height: number,
  columns: Columns,
  pyramid: Pyramid | undefined,
  palette: Palette,
  out?: Uint32Array,
): Uint32Array {
  const pixels = out !== undefined && out.length === width * height ? out : new Uint32Array(width * height);
  pixels.fill(palette.background);
  if (columns.rows === 0 || !(columns.makespan > 0) || !(view.t1 > view.t0)) return pixels;
  const usable = pyramid !== undefined && fits(pyramid.colouring, palette) ? pyramid : undefined;
  const frame = { view, width, height, columns, pyramid: usable, palette, pixels };
  if (view.rowHeight >= 1) drawRows(frame);
  else drawThinRows(frame);
  return pixels;
}

const rowsOf = ({ view, columns }: Frame): number => (view.spans === undefined ? columns.rows : view.spans.length - 1);
const firstDevice = ({ spans }: FrameView, row: number): number => spans?.[row] ?? row;

function drawRows(frame: Frame): void {
  const { view, width, height, columns } = frame;
  const dpr = view.dpr ?? 1;
  // One level of detail for all devices: a row that is drawn in another way than its neighbours does not compare with them.
  const block = (meanBlock(columns) * width) / (view.t1 - view.t0);
  const first = Math.max(0, Math.floor(view.top / view.rowHeight));
  const last = Math.min(rowsOf(frame) - 1, Math.floor((view.top + height) / view.rowHeight));
  let density: Density | undefined;
  for (let row = first; row <= last; row += 1) {
    const y0 = Math.round(row * view.rowHeight - view.top + view.bandTop);
    const y1 = Math.max(y0 + 1, Math.round(row * view.rowHeight - view.top + view.bandTop + view.bandHeight));
    const from = Math.max(0, y0);
    const to = Math.min(height, y1);
    if (from >= to) continue;
    const device = firstDevice(view, row);
    const next = view.folded?.[row] === 1 ? device + 1 : firstDevice(view, row + 1);
    const inBlocks = next - device === 1 && block >= leastBlock * dpr;
    if (inBlocks && block >= leastWhole) {
      const low = firstEndingAfter(columns, device, view.t0);
      drawSpans(frame, low, firstStartingFrom(columns, device, view.t1), from, to, y0, y1);
      continue;
    }
    density ??= densityOf(frame);
    measure(density, device, next);
    if (inBlocks) drawAlike(density, from, to, blockLine);
    else if (y1 - y0 >= leastHill * dpr) stackLines(density, from, to, y0, y1);
    else drawAlike(density, from, to, mixLine);
  }
}

/** Lines `from` to `to` (exclusive), all as the first. */
function drawAlike(density: Density, from: number, to: number, drawLine: typeof mixLine): void {
  const { width, pixels } = density.frame;
  drawLine(density, from * width);
  for (let y = from + 1; y < to; y += 1) pixels.copyWithin(y * width, from * width, from * width + width);
}

/** Lines of a band differ only in the corners, in the halves of shared slots and in frames; equal lines are copied. */
function drawSpans(frame: Frame, low: number, high: number, from: number, to: number, y0: number, y1: number): void {
  const { view, width, columns, palette, pixels } = frame;
  const radius = y1 - y0 >= 10 ? view.radius : 0;
  const middle = (y0 + y1) >> 1;
  const framed = palette.border !== 0 && y1 - y0 >= 6;
  const shapes = shapesSayKind(palette.colourBy, columns) && y1 - y0 >= 6;
  const notched = shapes ? y0 + Math.round(view.notch) : y0;
  let copied = -1;
  let copiedHalf = -1;
  for (let y = from; y < to; y += 1) {
    const edge = Math.min(y - y0, y1 - 1 - y);
    const inset = Math.max(0, radius - edge);
    const rim = framed && edge === 0;
    const half = (columns.pair !== undefined || shapes) && y >= middle ? 1 : 0;
    const plain = inset === 0 && !rim && y >= notched;
    if (plain && copied >= 0 && copiedHalf === half) {
      pixels.copyWithin(y * width, copied * width, copied * width + width);
      continue;
    }
    spanLine(frame, low, high, y * width, { inset, rim, framed, half, shapes, notch: notched - y });
    if (plain) {
      copied = y;
      copiedHalf = half;
    }
  }
}

/** Rows thinner than a pixel: a line shows the mean of the rows that it touches. */
function drawThinRows(frame: Frame): void {
  const { view, width, height } = frame;
  const rows = rowsOf(frame);
  const density = densityOf(frame);
  for (let y = 0; y < height; y += 1) {
    const first = Math.max(0, Math.floor((y + view.top) / view.rowHeight));
    const last = Math.min(rows, Math.ceil((y + 1 + view.top) / view.rowHeight));
    if (first >= last) continue;
    measure(density, firstDevice(view, first), firstDevice(view, last));
    mixLine(density, y * width);
  }
}

import { type Columns, firstEndingAfter, firstStartingFrom } from '../picture/columns.ts';
import type { Frame, FrameView } from './frame.ts';
import { shapesSayKind } from '../picture/versions.ts';
import type { Palette } from './palette.ts';
import type { Pyramid, RowLevel, TimeLevel } from './pyramid.ts';
import { isDense, plainLine, sampleLine, spanLine } from './spans.ts';

/** Draws into `out` (made when absent or of another size): one 32-bit pixel each, row by row. Cost follows pixels, not blocks. */
export function draw(
  view: FrameView,
  width: number,
  height: number,
  columns: Columns,
  pyramid: Pyramid,
  palette: Palette,
  out?: Uint32Array,
): Uint32Array {
  const pixels = out !== undefined && out.length === width * height ? out : new Uint32Array(width * height);
  pixels.fill(palette.background);
  if (columns.rows === 0 || pyramid.groups.length === 0 || !(view.t1 > view.t0)) return pixels;
  const frame = { view, width, height, columns, pyramid, palette, pixels };
  if (view.rowHeight >= 1) drawRows(frame);
  else drawGroups(frame);
  return pixels;
}

function drawRows(frame: Frame): void {
  const { view, width, height, columns, pyramid, palette, pixels } = frame;
  const first = Math.max(0, Math.floor(view.top / view.rowHeight));
  const last = Math.min(columns.rows - 1, Math.floor((view.top + height) / view.rowHeight));
  const level = levelFor(pyramid.groups[0], pyramid.span, view, width);
  for (let row = first; row <= last; row += 1) {
    const y0 = Math.round(row * view.rowHeight - view.top + view.bandTop);
    const y1 = Math.max(y0 + 1, Math.round(row * view.rowHeight - view.top + view.bandTop + view.bandHeight));
    const from = Math.max(0, y0);
    const to = Math.min(height, y1);
    if (from >= to) continue;
    const low = firstEndingAfter(columns, row, view.t0);
    const high = firstStartingFrom(columns, row, view.t1);
    if (high - low <= width / 2 || level === undefined || palette.colourBy !== 'operation') {
      drawSpans(frame, low, high, from, to, y0, y1);
    } else {
      sample(frame, level, row, from * width);
      for (let y = from + 1; y < to; y += 1) pixels.copyWithin(y * width, from * width, from * width + width);
    }
  }
}

/** Lines of a band differ only in the corners, in the halves of shared slots and in frames; equal lines are copied. */
function drawSpans(frame: Frame, low: number, high: number, from: number, to: number, y0: number, y1: number): void {
  const { view, width, columns, palette, pixels } = frame;
  const dense = isDense(high - low, width);
  const radius = y1 - y0 >= 10 && !dense ? view.radius : 0;
  const middle = (y0 + y1) >> 1;
  const framed = palette.border !== 0 && y1 - y0 >= 6 && !dense;
  const shapes = shapesSayKind(palette.colourBy, columns) && y1 - y0 >= 6;
  const notched = shapes && !dense ? y0 + Math.round(view.notch) : y0;
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
    if (dense) sampleLine(frame, low, high, y * width, half, shapes);
    else spanLine(frame, low, high, y * width, { inset, rim, framed, half, shapes, notch: notched - y });
    if (plain) {
      copied = y;
      copiedHalf = half;
    }
  }
}

/** The coarsest level whose bins are at most a pixel wide; undefined where even the finest are wider. */
function levelFor(group: RowLevel, span: number, view: FrameView, width: number): TimeLevel | undefined {
  const scale = width / (view.t1 - view.t0);
  let chosen: TimeLevel | undefined;
  for (const level of group.levels) if ((span / level.bins) * scale <= 1) chosen = level;
  return chosen;
}

function sample(frame: Frame, level: TimeLevel, row: number, line: number): void {
  const { view, width, palette, pixels } = frame;
  const { span } = frame.pyramid;
  const { bins, data } = level;
  const step = ((view.t1 - view.t0) / width / span) * bins;
  const origin = (view.t0 / span) * bins + step / 2;
  const base = row * bins;
  const { lut } = palette;
  const from = Math.max(0, Math.ceil(-origin / step));
  const to = Math.min(width, Math.ceil((bins - origin) / step));
  for (let x = from; x < to; x += 1) {
    const byte = data[base + Math.floor(origin + x * step)];
    if ((byte & 31) !== 0) pixels[line + x] = lut[byte];
  }
}

/** Rows thinner than a pixel: a line shows the group of rows that it stands for, or deep in time the row nearest to its middle. */
function drawGroups(frame: Frame): void {
  const { view, width, height, columns, pyramid, palette } = frame;
  const wanted = Math.min(pyramid.groups.length - 1, Math.ceil(Math.log2(1 / view.rowHeight)));
  const group = pyramid.groups[wanted];
  const level = palette.colourBy === 'operation' ? levelFor(group, pyramid.span, view, width) : undefined;
  const fine = palette.colourBy === 'operation' ? levelFor(pyramid.groups[0], pyramid.span, view, width) : undefined;
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor((y + 0.5 + view.top) / view.rowHeight);
    if (row < 0) continue;
    if (row >= columns.rows) break;
    if (level !== undefined) {
      sample(frame, level, row >> wanted, y * width);
      continue;
    }
    const low = firstEndingAfter(columns, row, view.t0);
    const high = firstStartingFrom(columns, row, view.t1);
    if (high - low > width / 2 && fine !== undefined) sample(frame, fine, row, y * width);
    else if (isDense(high - low, width)) sampleLine(frame, low, high, y * width, 0, false);
    else spanLine(frame, low, high, y * width, plainLine);
  }
}

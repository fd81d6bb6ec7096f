import { firstEndingAfter, firstStartingFrom } from '../picture/columns.ts';
import { type Colouring, colouringOf } from './colouring.ts';
import { type Bins, cover } from './coverage.ts';
import type { Frame } from './frame.ts';
import type { Palette } from './palette.ts';
import { cones, wordOf } from './oklab.ts';
import type { TimeLevel } from './pyramid.ts';

/**
 * Rows of blocks too short to be seen: the share of time of each colour in each pixel. Time is cut into half pixels, and these are
 * added up by a triangle of two pixels. Without it, blocks about as long as a pixel would show false stripes.
 */
export interface Density {
  readonly frame: Frame;
  readonly colouring: Colouring;
  /** Half pixels, with a margin on both sides for the filters. */
  readonly cells: Bins;
  /** Cells × slots. */
  readonly coverage: Float32Array;
  /** Pixels × slots, two more pixels on both sides. */
  readonly shares: Float32Array;
  /** Background, then each slot less the background: cube roots of cone responses. */
  readonly colours: Float64Array;
  /** Pixels × 3, as `shares`. */
  readonly mixed: Float32Array;
  /** By level of groups: its coarsest bins that are no wider than half a cell; undefined if all are wider. */
  readonly levels: readonly (TimeLevel | undefined)[];
  /** By number of bins. */
  readonly overlaps: Map<number, Overlap>;
}

const cellsPerPixel = 2;
/** In cells: a bin that lies in two cells is taken to be even, so wider bins would blur, and show false stripes. */
const widestBin = 0.5;
/** Cells left of the first pixel: two pixels for the binomial filter, one cell for the triangle. */
const margin = 5;
/** Pixels on both sides that the binomial filter reads. */
const reach = 2;
/** Up to this many blocks for each pixel of a row are looked at one by one. */
const blocksPerPixel = 2;
/** Up to this many devices in a picture are read one by one where the bins of their groups are too wide. */
const fewDevices = 256;

export function densityOf(frame: Frame): Density {
  const { view, width, palette, pyramid, columns } = frame;
  const colouring = pyramid?.colouring ?? known(frame);
  const stride = Math.max(1, colouring.used.length);
  const perSecond = (width * cellsPerPixel) / (view.t1 - view.t0);
  const count = width * cellsPerPixel + 2 * margin;
  const cells = { from: view.t0 - margin / perSecond, perSecond, count };
  return {
    frame,
    colouring,
    cells,
    coverage: new Float32Array(count * stride),
    shares: new Float32Array((width + 2 * reach) * stride),
    mixed: new Float32Array((width + 2 * reach) * 3),
    colours: coloursOf(colouring, palette),
    overlaps: new Map(),
    levels:
      pyramid?.groups.map(({ levels }) => {
        let chosen: TimeLevel | undefined;
        for (const level of levels) if (columns.makespan / level.bins <= widestBin / perSecond) chosen = level;
        return chosen;
      }) ?? [],
  };
}

const colourings = new WeakMap<Frame['columns'], Colouring>();
function known({ columns, palette }: Frame): Colouring {
  let colouring = colourings.get(columns);
  if (colouring === undefined || colouring.by !== palette.colourBy || colouring.chunk !== palette.chunk) {
    colouring = colouringOf(columns, palette);
    colourings.set(columns, colouring);
  }
  return colouring;
}

function coloursOf({ used }: Colouring, { background, colours }: Palette): Float64Array {
  const out = new Float64Array(3 * (used.length + 1));
  cones(background, out, 0);
  used.forEach((colour, slot) => {
    const at = 3 * (slot + 1);
    cones(colours[colour], out, at);
    for (let part = 0; part < 3; part += 1) out[at + part] -= out[part];
  });
  return out;
}

/** Finds the shares of devices `from` to `to` (exclusive) together, their mean. */
export function measure(density: Density, from: number, to: number): void {
  const { frame, cells, coverage, colouring } = density;
  const { columns, width } = frame;
  coverage.fill(0);
  const end = cells.from + cells.count / cells.perSecond;
  let blocks = 0;
  if (frame.pyramid !== undefined) {
    for (let device = from; device < to; device += 1)
      blocks += firstStartingFrom(columns, device, end) - firstEndingAfter(columns, device, cells.from);
  }
  if (blocks <= blocksPerPixel * width) {
    for (let device = from; device < to; device += 1) coverDevice(density, device, 1 / (to - from));
  } else addNodes(density, from, to);
  smooth(density, Math.max(1, colouring.used.length));
}

function coverDevice({ frame: { columns }, cells, coverage, colouring }: Density, device: number, weight: number) {
  const low = firstEndingAfter(columns, device, cells.from);
  const high = firstStartingFrom(columns, device, cells.from + cells.count / cells.perSecond);
  cover(columns, low, high, cells, colouring, weight, coverage);
}

/** Devices as the fewest groups of the pyramid that make them up. */
function addNodes(density: Density, from: number, to: number): void {
  const { frame, levels } = density;
  const { pyramid, columns, view, height } = frame;
  if (pyramid === undefined) return;
  const inSight = view.spans === undefined ? Math.ceil(height / view.rowHeight) : columns.rows;
  const whole = to - from;
  for (let device = from; device < to;) {
    let k = 0;
    while (k + 1 < pyramid.groups.length && device % (2 << k) === 0 && Math.min(device + (2 << k), columns.rows) <= to)
      k += 1;
    if (levels[k] === undefined && inSight <= fewDevices) k = 0;
    const next = Math.min(device + (1 << k), columns.rows);
    const level = levels[k] ?? (k > 0 ? pyramid.groups[k].levels[0] : undefined);
    if (level === undefined) coverDevice(density, device, 1 / whole);
    else addBins(density, level, device >> k, (next - device) / whole);
    device = next;
  }
}

/** How the cells lie over the bins of a level, equal for all rows: cell c takes `share[from[c]]` of bin `first[c]`, and so on. */
interface Overlap {
  readonly bins: number;
  readonly first: Int32Array;
  readonly from: Int32Array;
  readonly share: Float32Array;
}

function overlapOf({ frame: { columns }, cells, overlaps }: Density, bins: number): Overlap {
  const known = overlaps.get(bins);
  if (known !== undefined) return known;
  const step = bins / columns.makespan / cells.perSecond;
  const origin = (cells.from / columns.makespan) * bins;
  const first = new Int32Array(cells.count);
  const from = new Int32Array(cells.count + 1);
  const share = new Float32Array(Math.ceil((step + 2) * cells.count));
  let next = 0;
  for (let cell = 0; cell < cells.count; cell += 1) {
    const left = Math.max(0, origin + cell * step);
    const right = Math.min(bins, origin + (cell + 1) * step);
    first[cell] = Math.floor(left);
    for (let bin = first[cell]; bin < right; bin += 1, next += 1)
      share[next] = (Math.min(right, bin + 1) - Math.max(left, bin)) / step / 255;
    from[cell + 1] = next;
  }
  const found = { bins, first, from, share };
  overlaps.set(bins, found);
  return found;
}

/** Adds a row of a level of the pyramid, each cell with the part of each bin that lies in it. */
function addBins(density: Density, { bins, data }: TimeLevel, row: number, weight: number): void {
  const { coverage, colouring, cells } = density;
  const { first, from, share } = overlapOf(density, bins);
  const stride = colouring.used.length;
  const { count } = cells;
  const base = row * bins * stride;
  for (let slot = 0; slot < stride; slot += 1) {
    let part = 0;
    for (let cell = 0; cell < count; cell += 1) {
      const end = from[cell + 1];
      let sum = 0;
      for (let at = base + first[cell] * stride + slot; part < end; part += 1, at += stride)
        sum += data[at] * share[part];
      coverage[cell * stride + slot] += sum * weight;
    }
  }
}

/** Cells to pixels: four cells each, [1 3 3 1] of 8. */
function smooth({ shares, coverage, frame: { width } }: Density, stride: number): void {
  for (let pixel = 0; pixel < width + 2 * reach; pixel += 1) {
    const cell = pixel * cellsPerPixel * stride;
    for (let slot = 0; slot < stride; slot += 1) {
      const at = cell + slot;
      shares[pixel * stride + slot] =
        (coverage[at] + 3 * (coverage[at + stride] + coverage[at + 2 * stride]) + coverage[at + 3 * stride]) / 8;
    }
  }
}

/** Draws a line of the row that was measured: its blocks, whose edges mix the colours of the pixels that they cross. */
export function blockLine(density: Density, line: number): void {
  const { coverage, shares, mixed, colouring, frame } = density;
  const { width, pixels } = frame;
  const stride = colouring.used.length;
  // A pixel is two cells, and nothing around it.
  for (let x = 0; x < width; x += 1)
    for (let slot = 0; slot < stride; slot += 1) {
      const cell = (margin + x * cellsPerPixel) * stride + slot;
      shares[(x + reach) * stride + slot] = (coverage[cell] + coverage[cell + stride]) / cellsPerPixel;
    }
  mix(density);
  for (let x = 0, at = 3 * reach; x < width; x += 1, at += 3)
    pixels[line + x] = wordOf(mixed[at], mixed[at + 1], mixed[at + 2]);
}

/** Draws a line of the row that was measured: colours mixed by their shares, smoothed by [1 4 6 4 1] of 16. */
export function mixLine(density: Density, line: number): void {
  const { mixed, frame } = density;
  const { width, pixels } = frame;
  mix(density);
  for (let x = 0; x < width; x += 1) {
    const at = 3 * x;
    pixels[line + x] = wordOf(binomial(mixed, at, 3), binomial(mixed, at + 1, 3), binomial(mixed, at + 2, 3));
  }
}

function mix({ shares, mixed, colours, colouring, frame: { width } }: Density): void {
  const stride = colouring.used.length;
  const [ground0, ground1, ground2] = colours;
  for (let pixel = 0; pixel < width + 2 * reach; pixel += 1) {
    let first = ground0;
    let second = ground1;
    let third = ground2;
    for (let slot = 0; slot < stride; slot += 1) {
      const share = shares[pixel * stride + slot];
      if (share === 0) continue;
      first += share * colours[3 * slot + 3];
      second += share * colours[3 * slot + 4];
      third += share * colours[3 * slot + 5];
    }
    mixed[3 * pixel] = first;
    mixed[3 * pixel + 1] = second;
    mixed[3 * pixel + 2] = third;
  }
}

/** Draws the row that was measured as shares stacked from below, in lines `from` to `to` (exclusive) of the band `top` to `bottom`. */
export function stackLines(density: Density, from: number, to: number, top: number, bottom: number): void {
  const { shares, colouring, frame } = density;
  const { width, pixels, palette } = frame;
  const stride = colouring.used.length;
  for (let x = 0; x < width; x += 1) {
    let sum = 0;
    let below = bottom;
    for (let slot = 0; slot < stride; slot += 1) {
      sum += binomial(shares, x * stride + slot, stride);
      const above = Math.max(top, Math.round(bottom - sum * (bottom - top)));
      const colour = palette.colours[colouring.used[slot]];
      for (let y = Math.max(from, above); y < Math.min(to, below); y += 1) pixels[y * width + x] = colour;
      below = above;
    }
  }
}

/** Around the third of five values. */
const binomial = (values: Float32Array, at: number, stride: number): number =>
  (values[at] +
    4 * (values[at + stride] + values[at + 3 * stride]) +
    6 * values[at + 2 * stride] +
    values[at + 4 * stride]) /
  16;

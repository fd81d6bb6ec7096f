import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { eachBlock } from './blocks.ts';
import { type Ink, inkLook, inks } from './ink.ts';
import { base64, png } from './png.ts';
import { type Sheet, xOf, yOf } from './sheet.ts';
import { points } from './xml.ts';

/** Pixels of a point: 216 to the inch, what a printer's screen resolves. */
const pixelsPerPoint = 3;

/**
 * Rows of too many blocks for shapes: a picture for each row, one pixel high, in which a pixel mixes the colours by their share of its
 * time. Light is mixed, as paper does.
 */
export function* rasterRows(plan: PipelinePlan, run: Run, sheet: Sheet): Generator<string> {
  const width = Math.max(1, Math.round((xOf(sheet, run.timeline.makespan) - sheet.left) * pixelsPerPoint));
  const height = sheet.row / lanesOf(run).length;
  const lanes = lanesOf(run).map((lane) => inkShares(plan, run, sheet.rows, width, lane));
  const rgb = new Uint8Array(width * 3);
  for (let row = 0; row < sheet.rows; row += 1)
    for (const [lane, shares] of lanes.entries()) {
      for (let x = 0; x < width; x += 1) mix(shares, (row * width + x) * inks.length, rgb, x * 3);
      const image = base64(png(width, 1, rgb));
      const place = `x="${points(sheet.left)}" y="${points(yOf(sheet, row) + lane * height)}" width="${points(xOf(sheet, run.timeline.makespan) - sheet.left)}"`;
      yield `<image ${place} height="${points(height)}" preserveAspectRatio="none" href="data:image/png;base64,${image}"/>\n`;
    }
}

/** Halves of a row: two where operations share slots. */
export const lanesOf = ({ program }: Run): readonly Lane[] =>
  program.fused === undefined ? ['upper'] : ['upper', 'lower'];
type Lane = 'upper' | 'lower';

/**
 * Share of each pixel's time that each ink has, at (row × width + pixel) × inks + ink. If there are fewer rows than devices, a row is
 * the mean of neighbouring devices. A lane has what fills the row and its half of shared slots.
 */
export function inkShares(plan: PipelinePlan, run: Run, rows: number, width: number, lane: Lane): Float32Array {
  const shares = new Float32Array(rows * width * inks.length);
  const scale = width / run.timeline.makespan;
  const devices = plan.devices.length;
  const devicesOf = new Int32Array(rows);
  const rowOf = (device: number): number => Math.floor((device * rows) / devices);
  for (let device = 0; device < devices; device += 1) devicesOf[rowOf(device)] += 1;
  eachBlock(plan, run, (block) => {
    const { device, start, end } = block;
    if (block.half !== 'whole' && block.half !== lane) return;
    const row = rowOf(device);
    const weight = 1 / devicesOf[row];
    let from = start * scale;
    for (const [part, ink] of block.inks.entries()) {
      const to = (start + (end - start) * (block.until[part] ?? 1)) * scale;
      const index = inks.indexOf(ink);
      for (let x = Math.floor(from); x < Math.min(width, to); x += 1)
        shares[(row * width + x) * inks.length + index] += weight * (Math.min(x + 1, to) - Math.max(x, from));
      from = to;
    }
  });
  return shares;
}

const toLight = (byte: number): number => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
export const toByte = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));

/** Red, green and blue light of each ink, of 1. */
export const lightsOf = (colourOf: (ink: Ink) => string): readonly (readonly number[])[] =>
  inks.map((ink) => [1, 3, 5].map((at) => toLight(Number.parseInt(colourOf(ink).slice(at, at + 2), 16))));

const lights = lightsOf((ink) => inkLook(ink).colour);

/** Inks of a pixel together, at most 1 but for rounding. */
export function coveredAt(shares: Float32Array, at: number): number {
  let covered = 0;
  for (let ink = 0; ink < inks.length; ink += 1) covered += shares[at + ink];
  return covered;
}

/** The rest of a pixel is paper. */
function mix(shares: Float32Array, at: number, rgb: Uint8Array, out: number): void {
  const covered = coveredAt(shares, at);
  const most = Math.max(1, covered);
  for (let channel = 0; channel < 3; channel += 1) {
    let light = 1 - covered / most;
    for (let ink = 0; ink < inks.length; ink += 1) light += (shares[at + ink] / most) * lights[ink][channel];
    rgb[out + channel] = toByte(light);
  }
}

import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { eachBlock } from './blocks.ts';
import type { Detail } from './detail.ts';
import { type Ink, inkLook, inks } from './ink.ts';
import { base64, png } from './png.ts';
import { type Sheet, xOf, yOf } from './sheet.ts';
import { points } from './xml.ts';

/**
 * Rows of too many blocks for shapes: a picture for each row, one pixel high, in which a pixel mixes the colours by their share of its
 * time. Light is mixed, as paper does. `clear`: idle time is transparent, for paper of any colour.
 */
export function* rasterRows(
  plan: PipelinePlan,
  run: Run,
  sheet: Sheet,
  { pixels, mostRows, clear }: Pick<Detail, 'pixels' | 'mostRows'> & { readonly clear: boolean },
): Generator<string> {
  const length = xOf(sheet, run.timeline.makespan) - sheet.left;
  const width = Math.max(1, Math.round(length * pixels));
  const rows = Math.min(sheet.rows, mostRows);
  // Rows that neighbours share leave no gap: the frame is around all of them.
  const high = rows === sheet.rows ? sheet.row : (sheet.pitch * sheet.rows) / rows;
  const height = high / lanesOf(run).length;
  const lanes = lanesOf(run).map((lane) => inkShares(plan, run, rows, width, lane));
  const channels = clear ? 4 : 3;
  const line = new Uint8Array(width * channels);
  for (let row = 0; row < rows; row += 1)
    for (const [lane, shares] of lanes.entries()) {
      for (let x = 0; x < width; x += 1) mix(shares, (row * width + x) * inks.length, line, x * channels, clear);
      const image = base64(png(width, 1, line, channels));
      const place = `x="${points(sheet.left)}" y="${points(yOf(sheet, (row * sheet.rows) / rows) + lane * height)}" width="${points(length)}"`;
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

/** The rest of a pixel is paper, or nothing if it is `clear`. */
function mix(shares: Float32Array, at: number, line: Uint8Array, out: number, clear: boolean): void {
  const covered = coveredAt(shares, at);
  const whole = clear ? covered : Math.max(1, covered);
  if (clear) line[out + 3] = Math.round(255 * Math.min(1, covered));
  for (let channel = 0; channel < 3; channel += 1) {
    let light = clear ? 0 : 1 - covered / whole;
    for (let ink = 0; ink < inks.length; ink += 1)
      if (shares[at + ink] > 0) light += (shares[at + ink] / whole) * lights[ink][channel];
    line[out + channel] = toByte(light);
  }
}

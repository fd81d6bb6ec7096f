import type { Run } from '../evaluation.ts';
import type { PipelinePlan } from '../plan.ts';
import { eachBlock } from './blocks.ts';
import { inkLooks, inks } from './ink.ts';
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
  const width = Math.max(1, Math.round((sheet.right - sheet.left) * pixelsPerPoint));
  const shares = new Float32Array(sheet.rows * width * inks.length);
  const scale = width / sheet.seconds;
  eachBlock(plan, run, (block) => {
    const { device, start, end } = block;
    // Two operations that share a slot share its pixels.
    const weight = block.half === 'whole' ? 1 : 0.5;
    let from = start * scale;
    for (const [part, ink] of block.inks.entries()) {
      const to = (start + (end - start) * (block.until[part] ?? 1)) * scale;
      const index = inks.indexOf(ink);
      for (let x = Math.floor(from); x < Math.min(width, to); x += 1)
        shares[(device * width + x) * inks.length + index] += weight * (Math.min(x + 1, to) - Math.max(x, from));
      from = to;
    }
  });
  const rgb = new Uint8Array(width * 3);
  for (let row = 0; row < sheet.rows; row += 1) {
    for (let x = 0; x < width; x += 1) mix(shares, (row * width + x) * inks.length, rgb, x * 3);
    const image = base64(png(width, 1, rgb));
    const place = `x="${points(sheet.left)}" y="${points(yOf(sheet, row))}" width="${points(xOf(sheet, sheet.seconds) - sheet.left)}"`;
    yield `<image ${place} height="${points(sheet.row)}" preserveAspectRatio="none" href="data:image/png;base64,${image}"/>\n`;
  }
}

const toLight = (byte: number): number => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
const toByte = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));

const lights = inks.map((ink) =>
  [1, 3, 5].map((at) => toLight(Number.parseInt(inkLooks[ink].colour.slice(at, at + 2), 16))),
);

/** The rest of a pixel is paper. */
function mix(shares: Float32Array, at: number, rgb: Uint8Array, out: number): void {
  let covered = 0;
  for (let ink = 0; ink < inks.length; ink += 1) covered += shares[at + ink];
  const most = Math.max(1, covered);
  for (let channel = 0; channel < 3; channel += 1) {
    let light = 1 - covered / most;
    for (let ink = 0; ink < inks.length; ink += 1) light += (shares[at + ink] / most) * lights[ink][channel];
    rgb[out + channel] = toByte(light);
  }
}

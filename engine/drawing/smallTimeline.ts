/** A timeline of the size of a word's hover. It has no text, so it holds no words of a file. Its ground lets every theme through. */
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type Ink, inkLook, inks, isOperationInk, type OperationInk } from './ink.ts';
import { smallLane } from './smallLane.ts';
import { base64, png } from './png.ts';
import { coveredAt, inkShares, lanesOf, lightsOf, toByte } from './raster.ts';

const width = 320;
/** More devices share rows; lanes under them take room, too. */
const mostRows = 12;
const mostRowsWithLanes = 8;
const rowHeight = 9;
const rowPitch = 11;
/** Of a lane under its device. */
const exchangeHeight = 5;
const exchangePitch = 6;

/** Seen on dark and on light ground. */
const colours: Readonly<Record<Exclude<Ink, OperationInk>, string>> = {
  forward: '#3f83d1',
  recompute: '#2b6199',
  backward: '#e09343',
  backwardInput: '#e09343',
  backwardWeight: '#5fb595',
  transfer: '#a58fd0',
  collective: '#b16780',
  optimizer: '#b5a642',
};
const lights = lightsOf((ink) => (isOperationInk(ink) ? inkLook(ink).colour : colours[ink]));

/** SVG of at most 50,000 characters, whatever the timeline. Idle time is transparent. */
export function smallTimeline(plan: PipelinePlan, run: Run): string {
  const most = run.timeline.exchange === undefined ? mostRows : mostRowsWithLanes;
  const rows = Math.min(most, plan.devices.length);
  const lanes = lanesOf(run).map((lane) => inkShares(plan, run, rows, width, lane));
  const laneHeight = rowHeight / lanes.length;
  // Of devices that share a row, the first.
  const exchanged = Array.from({ length: rows }, (_, row) =>
    smallLane(run.timeline, Math.ceil((row * plan.devices.length) / rows), width),
  );
  const pitch = exchanged.some((lane) => lane !== undefined) ? rowPitch + exchangePitch : rowPitch;
  const height = Math.max(1, rows * pitch);
  const images: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    images.push(`<rect y="${row * pitch}" width="${width}" height="${rowHeight}" fill="#808080" fill-opacity="0.2"/>`);
    for (const [lane, shares] of lanes.entries()) {
      const place = `y="${row * pitch + lane * laneHeight}" width="${width}" height="${laneHeight}"`;
      const pixels = new Uint8Array(width * 4);
      for (let x = 0; x < width; x += 1) mix(shares, (row * width + x) * inks.length, pixels, x * 4);
      images.push(
        `<image ${place} preserveAspectRatio="none" href="data:image/png;base64,${base64(png(width, 1, pixels, 4))}"/>`,
      );
    }
    const pixels = exchanged[row];
    if (pixels !== undefined)
      images.push(
        `<image y="${row * pitch + rowPitch - 1}" width="${width}" height="${exchangeHeight}" preserveAspectRatio="none" href="data:image/png;base64,${base64(png(width, 1, pixels, 4))}"/>`,
      );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${images.join('')}</svg>`;
}

/** Colour of the inks, as opaque as they cover the pixel. */
function mix(shares: Float32Array, at: number, pixels: Uint8Array, out: number): void {
  const covered = coveredAt(shares, at);
  if (covered <= 0) return;
  for (let channel = 0; channel < 3; channel += 1) {
    let light = 0;
    for (let ink = 0; ink < inks.length; ink += 1) light += (shares[at + ink] / covered) * lights[ink][channel];
    pixels[out + channel] = toByte(light);
  }
  pixels[out + 3] = Math.round(255 * Math.min(1, covered));
}

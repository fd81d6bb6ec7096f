import { deviceOf, microbatchOf, paintKindOf, typeOf } from '../../picture/blocks.ts';
import type { Columns } from '../../picture/columns.ts';
import { type Drift, type DriftedBlock, driftOf, sides, type Side } from '../../picture/drift.ts';
import { labelAt, labelKind, labelledPart, labelsAt } from '../../picture/labels.ts';
import { kindOf } from '../../../engine/values/program.ts';
import { shortened } from '../paint/names.ts';
import { ticks } from '../paint/ruler.ts';
import {
  bandTop,
  besideRows,
  besideRuler,
  type BesideScene,
  blockBox,
  blocksOf,
  partnerOf,
  timeToX,
} from '../scene/besideScene.ts';
import { labelOn } from '../scene/colour.ts';
import { css, font } from '../scene/theme.ts';

type Ink = CanvasRenderingContext2D;

/** Bands that the worker has drawn. */
export interface BandImage {
  readonly canvas: HTMLCanvasElement;
  readonly t0: number;
  readonly t1: number;
  readonly devices: readonly number[];
}

/** Two timelines under one ruler, device by device: the drawn bands, what differs, and what is pointed at. */
export function paintBeside(
  ink: Ink,
  scene: BesideScene,
  images: Readonly<Partial<Record<Side, BandImage>>>,
  lacking: Readonly<Record<Side, string>>,
): void {
  const { theme, width, height, dpr, left, plot } = scene;
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.fillStyle = css(theme.background);
  ink.fillRect(0, 0, width, height);
  const [first, last] = besideRows(scene);
  for (let row = first; row <= last; row += 1) paintName(ink, scene, row);
  ink.save();
  ink.beginPath();
  ink.rect(left, besideRuler, plot + 2, height - besideRuler);
  ink.clip();
  for (let row = first; row <= last; row += 1) {
    for (const side of sides) paintBand(ink, scene, row, side, images[side], lacking[side]);
    for (const side of sides) paintDrift(ink, scene, row, side);
  }
  paintNumbers(ink, scene, first, last);
  paintEnds(ink, scene);
  paintPointed(ink, scene);
  ink.restore();
  paintTimes(ink, scene);
}

function paintName(ink: Ink, scene: BesideScene, row: number): void {
  const { theme, rows, left, pitch, marked } = scene;
  const y = besideRuler + row * pitch - scene.scroll;
  ink.strokeStyle = css(theme.line, 0.55);
  ink.lineWidth = 1;
  ink.beginPath();
  ink.moveTo(0, Math.round(y) + 0.5);
  ink.lineTo(scene.width, Math.round(y) + 0.5);
  ink.stroke();
  if (row === marked) {
    ink.fillStyle = css(theme.warning);
    ink.fillRect(0, y + 2, 3, pitch - 4);
  }
  ink.font = font(theme, 11, 600);
  ink.fillStyle = css(theme.foreground);
  ink.textAlign = 'left';
  ink.textBaseline = 'middle';
  ink.fillText(shortened(ink, rows[row].name, '', left - 14), 8, y + pitch / 2);
}

function paintBand(
  ink: Ink,
  scene: BesideScene,
  row: number,
  side: Side,
  image: BandImage | undefined,
  lacking: string,
): void {
  const { theme, rows, band, left } = scene;
  const y = bandTop(scene, row, side);
  const device = rows[row][side];
  if (device < 0) {
    if (lacking === '') return;
    ink.font = font(theme, 11);
    ink.fillStyle = css(theme.dim);
    ink.textAlign = 'left';
    ink.textBaseline = 'middle';
    ink.fillText(lacking, left + 6, y + band / 2);
    return;
  }
  const index = image?.devices.indexOf(device) ?? -1;
  if (image === undefined || index < 0) return;
  const tall = image.canvas.height / image.devices.length;
  const [x, to] = [timeToX(scene, image.t0), timeToX(scene, image.t1)];
  // What is drawn anew comes a moment later; meanwhile the last image is stretched.
  ink.imageSmoothingEnabled = false;
  ink.drawImage(image.canvas, 0, index * tall, image.canvas.width, tall, x, y, to - x, band);
}

/** Narrower blocks are underlined together. */
const leastOutlined = 7;
const dashes = { start: [3, 2.5], length: [], alone: [] } satisfies Record<Drift, number[]>;
const widths: Readonly<Record<Drift, number>> = { start: 1.3, length: 2, alone: 1.3 };

/** What differs, in the editor's foreground over its background: one of the two is visible on every colour. */
function paintDrift(ink: Ink, scene: BesideScene, row: number, side: Side): void {
  const { pair, theme, tolerance, band } = scene;
  if (pair === undefined) return;
  const [low, high] = blocksOf(scene, side, scene.rows[row]);
  for (let block = low; block < high; block += 1) {
    const drift = driftOf(pair, side, block, tolerance);
    if (drift === undefined) continue;
    const { x, y, width, height } = blockBox(scene, { side, block }, row);
    if (width < leastOutlined) {
      ink.fillStyle = css(theme.ring);
      ink.fillRect(x, bandTop(scene, row, side) + band - 2, Math.max(1, width), 2);
      continue;
    }
    const path = new Path2D();
    path.rect(x + 1.5, y + 1.5, width - 4, height - 3);
    if (drift === 'alone') {
      // Crossed out: there is nothing to compare it with.
      path.moveTo(x + 1.5, y + height - 1.5);
      path.lineTo(x + width - 2.5, y + 1.5);
    }
    ink.strokeStyle = css(theme.background);
    ink.lineWidth = widths[drift] + 1.5;
    ink.stroke(path);
    ink.strokeStyle = css(theme.ring);
    ink.lineWidth = widths[drift];
    ink.setLineDash(dashes[drift]);
    ink.stroke(path);
    ink.setLineDash([]);
  }
}

/** Numbers of microbatches, by the rules of the timeline. */
function paintNumbers(ink: Ink, scene: BesideScene, first: number, last: number): void {
  const { pair, plot, t0, t1, band, rows } = scene;
  if (pair === undefined) return;
  for (const side of sides) {
    const columns: Columns = pair.columns[side];
    const labels = labelsAt(columns, plot / (t1 - t0), columns.pair === undefined ? band - 2 : band / 2 - 1);
    if (labels.size === 0) continue;
    ink.font = font(scene.theme, labels.size, 600);
    ink.textAlign = 'center';
    ink.textBaseline = 'middle';
    for (let row = first; row <= last; row += 1) {
      const [low, high] = blocksOf(scene, side, rows[row]);
      for (let block = low; block < high; block += 1) {
        const word: number = columns.word[block];
        const at = word < 0 ? -1 : labelAt(columns, rows[row][side], block, labelKind(kindOf(columns, word)));
        if (at >= 0 && labels.shown[at] === 1) writeNumber(ink, scene, columns, { side, block }, row);
      }
    }
  }
}

function writeNumber(ink: Ink, scene: BesideScene, columns: Columns, at: DriftedBlock, row: number): void {
  const { y, height } = blockBox(scene, at, row);
  const ground = scene.theme.kinds[paintKindOf({ columns }, at.block)];
  const [from, to] = labelledPart(columns, at.block);
  ink.fillStyle = css(labelOn(ground));
  const x = timeToX(scene, (from + to) / 2);
  const text = String(microbatchOf({ columns }, at.block));
  if (typeOf({ columns }, at.block) === 'R') {
    // Stripes would run through the text.
    const wide = ink.measureText(text).width + 4;
    ink.fillStyle = css(ground);
    ink.fillRect(x - wide / 2, y + 1, wide, height - 2);
    ink.fillStyle = css(labelOn(ground));
  }
  ink.fillText(text, x, y + height / 2 + 0.5);
}

/** The end of each timeline: solid above, dashed below. */
function paintEnds(ink: Ink, scene: BesideScene): void {
  const { theme, ends, height } = scene;
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1.5;
  for (const side of sides) {
    const end = ends[side];
    if (end === undefined) continue;
    ink.setLineDash(side === 'upper' ? [] : [4, 3]);
    ink.beginPath();
    ink.moveTo(timeToX(scene, end), besideRuler);
    ink.lineTo(timeToX(scene, end), height);
    ink.stroke();
  }
  ink.setLineDash([]);
}

/** What is pointed at and what is selected, each with the same operation of the other timeline. */
function paintPointed(ink: Ink, scene: BesideScene): void {
  const { pair, theme, pointed, selected, cursor } = scene;
  if (cursor !== undefined) {
    ink.strokeStyle = css(theme.dim, 0.7);
    ink.lineWidth = 1;
    ink.setLineDash([2, 3]);
    ink.beginPath();
    ink.moveTo(timeToX(scene, cursor), besideRuler);
    ink.lineTo(timeToX(scene, cursor), scene.height);
    ink.stroke();
    ink.setLineDash([]);
  }
  if (pair === undefined) return;
  for (const at of [pointed, selected]) {
    if (at === undefined) continue;
    const partner = partnerOf(pair, at);
    const boxes = [at, ...(partner === undefined ? [] : [partner])].map((each) => ({
      ...blockBox(scene, each, rowOfBlock(scene, each)),
      side: each.side,
    }));
    const [above, below] = boxes.toSorted((a, b) => a.y - b.y);
    const path = new Path2D();
    for (const { x, y, width, height } of boxes) path.rect(x - 1.5, y - 1.5, width + 2, height + 3);
    if (partner !== undefined) {
      path.moveTo(above.x, above.y + above.height);
      path.lineTo(below.x, below.y);
    }
    const thickness = at === selected ? 3 : 1.5;
    ink.strokeStyle = css(theme.background);
    ink.lineWidth = thickness + 2;
    ink.stroke(path);
    ink.strokeStyle = css(theme.ring);
    ink.lineWidth = thickness;
    ink.stroke(path);
  }
}

export function rowOfBlock({ pair, rows }: BesideScene, { side, block }: DriftedBlock): number {
  const columns = pair?.columns[side];
  const device = columns === undefined ? -1 : deviceOf({ columns }, block);
  return rows.findIndex((row) => row[side] === device);
}

function paintTimes(ink: Ink, scene: BesideScene): void {
  const { theme, t0, t1, plot, width, left } = scene;
  ink.fillStyle = css(theme.background);
  ink.fillRect(0, 0, width, besideRuler);
  ink.font = font(theme, 11);
  ink.fillStyle = css(theme.dim);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  for (const { at, text } of ticks(t0, t1, plot)) {
    const half = ink.measureText(text).width / 2;
    ink.fillText(text, Math.max(left, Math.min(width - half - 2, timeToX(scene, at))), besideRuler / 2);
  }
}

import { time } from '../../../engine/quantities.ts';
import { rowOf } from '../../../engine/program.ts';
import { type BlockType, microbatchOf, paintKindOf, stageOf, typeOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font, groundOf } from '../scene/theme.ts';
import { labelOn } from '../scene/colour.ts';
import { kindRecompute } from '../../picture/columns.ts';
import { paintFill } from './fill.ts';
import { type Ink, blockEdges, blocksInSight, clipped, hatch, isDense, rowY, rowsInSight, timeX } from './canvas.ts';

const leastLabel = 9;
const leastDuration = 54;
/** Pixels of labels, the first that fits is taken. */
const sizes = [12, 10.5, 9];

/** Over the blocks of every row: idle time and what fills it, stripes of recomputation and synchronisation, numbers. */
export function paintRows(ink: Ink, scene: Scene): void {
  const { layout, shape } = scene;
  if (!shape.labels) return;
  const [first, last] = rowsInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let row = first; row <= last; row += 1) {
      const [low, high] = blocksInSight(scene, row);
      if (isDense(scene, high - low)) continue;
      if (scene.bubbles) paintGaps(ink, scene, row, low, high);
      paintFill(ink, scene, row);
      for (let block = low; block < high; block += 1) paintBlock(ink, scene, row, block);
    }
  });
}

function paintGaps(ink: Ink, scene: Scene, row: number, low: number, high: number): void {
  const { offsets, start, end, makespan } = scene.picture.columns;
  for (let block = low; block <= high; block += 1) {
    const from = block > offsets[row] ? end[block - 1] : 0;
    const to = block < offsets[row + 1] ? start[block] : makespan;
    if (to - from > makespan * 1e-9) paintGap(ink, scene, row, from, to);
  }
}

function paintGap(ink: Ink, scene: Scene, row: number, from: number, to: number): void {
  const { layout, theme, shape, dpr } = scene;
  const left = Math.max(layout.left - 2, Math.round(timeX(scene, from)));
  const right = Math.min(layout.left + layout.plot + 2, Math.round(timeX(scene, to)) - 1);
  if (right - left < 2) return;
  const y = Math.round(rowY(scene, row) + shape.bandTop);
  ink.fillStyle = hatch(ink, theme.bubble, theme.highContrast ? 0.6 : 0.45, 6, 1, dpr);
  ink.fillRect(left, y, right - left, shape.bandHeight);
  if (right - left >= 6) {
    ink.strokeStyle = css(theme.bubble, theme.highContrast ? 1 : 0.8);
    ink.lineWidth = 1;
    ink.strokeRect(left + 0.5, y + 0.5, right - left - 1, shape.bandHeight - 1);
  }
  // Where another job works in gaps, names of its tasks stand there.
  if (right - left < leastDuration || shape.bandHeight < 12 || scene.picture.fill !== undefined) return;
  const text = time(to - from);
  ink.font = font(theme, 11);
  const width = ink.measureText(text).width + 10;
  if (width > right - left - 4) return;
  const middle = (left + right) / 2;
  ink.fillStyle = css(theme.background);
  ink.beginPath();
  ink.roundRect(middle - width / 2, y + shape.bandHeight / 2 - 8, width, 16, 3);
  ink.fill();
  ink.fillStyle = css(theme.dim);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.fillText(text, middle, y + shape.bandHeight / 2 + 0.5);
}

function paintBlock(ink: Ink, scene: Scene, row: number, block: number): void {
  const { picture, theme, shape, dpr, colourBy } = scene;
  const { columns } = picture;
  const [left, right] = blockEdges(scene, block);
  if (right - left < 5) return;
  const y = rowY(scene, row) + shape.bandTop;
  const pair = columns.pair?.[block] ?? 0;
  const top = Math.round(pair === 2 ? y + shape.bandHeight / 2 : y);
  const height = pair === 0 ? shape.bandHeight : Math.floor(shape.bandHeight / 2);
  const code = columns.word[block];
  const type = typeOf(picture, block);
  const width = right - left;
  const recompute = code < 0 ? 0 : columns.parts.recompute[rowOf(columns, code)];
  const weight = code < 0 ? 1 : columns.parts.weight[rowOf(columns, code)];
  if (recompute > 0) {
    ink.fillStyle = hatch(ink, theme.labels[kindRecompute], 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width * recompute, height);
  }
  if (type === 'R') {
    ink.fillStyle = hatch(ink, theme.labels[kindRecompute], 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width, height);
  }
  if (type === 'sync') {
    ink.fillStyle = hatch(ink, theme.background, 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width, height);
  }
  const from = left + width * recompute;
  const to = left + width * weight;
  const text = labelOf(type, microbatchOf(picture, block));
  if (Math.max(to - from, recompute > 0 ? to - left : 0) < leastLabel || height < 10) return;
  const start = to - from >= leastLabel ? from : left;
  // Two that share a slot have half the height each.
  const size = sizes.find(
    (size) => size <= height - (pair === 0 ? 4 : 3) && textWidth(ink, font(theme, size, 600), text) <= to - start - 1,
  );
  if (size === undefined) return;
  ink.font = font(theme, size, 600);
  const stage = stageOf(picture, block);
  const kind = paintKindOf(picture, block);
  const mb = microbatchOf(picture, block) / Math.max(1, columns.microbatches - 1);
  const ground = code < 0 ? theme.kinds[kind] : groundOf(theme, colourBy, kind, stage < 0 ? 0 : scene.chunk[stage], mb);
  // Stripes would run through the text.
  if (type === 'sync' || type === 'R') {
    const width = textWidth(ink, ink.font, text) + 4;
    ink.fillStyle = css(ground);
    const tall = Math.min(14, height);
    ink.fillRect((start + to - width) / 2, top + (height - tall) / 2, width, tall);
  }
  ink.fillStyle = css(labelOn(ground));
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  // Coloured by microbatch, a weight gradient fills the lower half.
  const middle = colourBy === 'microbatch' && type === 'W' ? top + (height * 3) / 4 : top + height / 2;
  ink.fillText(text, (start + to) / 2, middle + 0.5);
}

const widths = new Map<string, number>();
/** Of short texts that come again and again. */
function textWidth(ink: Ink, face: string, text: string): number {
  const key = `${face} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  ink.font = face;
  const { width } = ink.measureText(text);
  if (widths.size > 4096) widths.clear();
  widths.set(key, width);
  return width;
}

const labelOf = (type: BlockType, microbatch: number): string =>
  type === 'optimizer' ? 'opt' : type === 'sync' ? 'sync' : String(microbatch);

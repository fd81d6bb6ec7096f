import { time } from '../../../engine/basics/quantities.ts';
import { rowOf } from '../../../engine/values/program.ts';
import { marksOf, paintKindOf, typeOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { idleFrom, idleUntil, kindRecompute } from '../../picture/columns.ts';
import { paintFill } from './fill.ts';
import { paintNumbers } from './numbers.ts';
import { paintVersionEdges } from './versionEdges.ts';
import {
  type Ink,
  blockEdges,
  blocksInSight,
  clipped,
  hatch,
  isDense,
  deviceY,
  devicesInSight,
  timeX,
  hasBlocks,
} from './canvas.ts';

const leastDuration = 54;

/** Over the blocks of every row: idle time and what fills it, stripes of recomputation and synchronisation, numbers. */
export function paintRows(ink: Ink, scene: Scene): void {
  const { layout, shape } = scene;
  if (!shape.labels) return;
  const [first, last] = devicesInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let row = first; row <= last; row += 1) {
      if (!hasBlocks(scene, row)) continue;
      const [low, high] = blocksInSight(scene, row);
      if (isDense(scene, high - low)) continue;
      if (scene.bubbles) paintGaps(ink, scene, row, low, high);
      paintFill(ink, scene, row);
      for (let block = low; block < high; block += 1) paintStripes(ink, scene, row, block);
    }
    paintVersionEdges(ink, scene);
    paintNumbers(ink, scene);
  });
}

function paintGaps(ink: Ink, scene: Scene, row: number, low: number, high: number): void {
  const { columns } = scene.picture;
  const { offsets, start, end, makespan } = columns;
  for (let block = low; block <= high; block += 1) {
    const from = block > offsets[row] ? end[block - 1] : idleFrom(columns, row);
    const to = block < offsets[row + 1] ? start[block] : idleUntil(columns, row);
    if (to - from > makespan * 1e-9) paintGap(ink, scene, row, from, to);
  }
}

function paintGap(ink: Ink, scene: Scene, row: number, from: number, to: number): void {
  const { layout, theme, shape, dpr } = scene;
  const left = Math.max(layout.left - 2, Math.round(timeX(scene, from)));
  const right = Math.min(layout.left + layout.plot + 2, Math.round(timeX(scene, to)) - 1);
  if (right - left < 2) return;
  const y = Math.round(deviceY(scene, row) + shape.bandTop);
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

function paintStripes(ink: Ink, scene: Scene, row: number, block: number): void {
  const { picture, theme, shape, dpr } = scene;
  const { columns } = picture;
  const [left, right] = blockEdges(scene, block);
  if (right - left < 5) return;
  const y = deviceY(scene, row) + shape.bandTop;
  const pair = columns.pair?.[block] ?? 0;
  const top = Math.round(pair === 2 ? y + shape.bandHeight / 2 : y);
  const height = pair === 0 ? shape.bandHeight : Math.floor(shape.bandHeight / 2);
  const code = columns.word[block];
  const type = typeOf(picture, block);
  const width = right - left;
  const recompute = code < 0 ? 0 : columns.parts.recompute[rowOf(columns, code)];
  if (recompute > 0) {
    ink.fillStyle = hatch(ink, theme.labels[kindRecompute], 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width * recompute, height);
  }
  if (type === 'R') {
    ink.fillStyle = hatch(ink, theme.labels[kindRecompute], 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width, height);
  }
  const marks = scene.colourBy === 'microbatch' ? 0 : marksOf(picture, block);
  for (let mark = 0; mark < marks; mark += 1) {
    ink.fillStyle = hatch(ink, theme.labels[paintKindOf(picture, block)], 0.45, 5, 1.4, dpr, mark > 0);
    ink.fillRect(left, top, width, height);
  }
  if (type === 'sync') {
    ink.fillStyle = hatch(ink, theme.background, 0.45, 5, 1.4, dpr);
    ink.fillRect(left, top, width, height);
  }
}

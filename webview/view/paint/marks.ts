import { deviceOf, needsOf, siblingsOf, stageOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, blockEdges, blocksInSight, clipped, isDense, rowY, rowsInSight, timeX } from './canvas.ts';
import type { Target } from '../../session/selection.ts';

/** Marks over the rows: the editor's place, search hits, siblings, selection with its arrows, pointer. */
export function paintMarks(ink: Ink, scene: Scene): void {
  const { layout, selection, hovered, theme } = scene;
  clipped(ink, layout.left - 3, layout.rows.y, layout.plot + 6, layout.rows.height, () => {
    paintHighlight(ink, scene);
    paintFound(ink, scene);
    if (selection?.kind === 'block') {
      ink.setLineDash([2, 2]);
      for (const block of siblingsOf(scene.picture, selection.block)) {
        if (block !== selection.block) outline(ink, scene, { kind: 'block', block }, css(theme.foreground), 1.5);
      }
      ink.setLineDash([]);
      paintArrows(ink, scene, selection.block);
    }
    if (hovered !== undefined) outline(ink, scene, hovered, css(theme.foreground, 0.8), 1);
    if (selection?.kind === 'range') paintRange(ink, scene, selection);
    else if (selection !== undefined && selection.kind !== 'device') {
      outline(ink, scene, selection, css(theme.background), 4.5);
      outline(ink, scene, selection, css(theme.focus), 2.25);
    }
  });
}

function outline(ink: Ink, scene: Scene, target: Target, colour: string, width: number): void {
  const { picture, shape, view, layout } = scene;
  const device = target.kind === 'block' ? deviceOf(picture, target.block) : target.gap.device;
  const [left, right] =
    target.kind === 'block'
      ? blockEdges(scene, target.block)
      : [timeX(scene, target.gap.from), timeX(scene, target.gap.to) - 1];
  if (right < layout.left - 4 || left > layout.left + layout.plot + 4) return;
  const pair = target.kind === 'block' ? (picture.columns.pair?.[target.block] ?? 0) : 0;
  const half = Math.floor(shape.bandHeight / 2);
  const top = rowY(scene, device) + shape.bandTop + (pair === 2 ? half : 0);
  ink.strokeStyle = colour;
  ink.lineWidth = width;
  ink.beginPath();
  const height = Math.max(2, pair === 0 ? shape.bandHeight : half);
  ink.roundRect(
    Math.max(left, layout.left - 40),
    top,
    Math.max(2, Math.min(right, layout.left + layout.plot + 40) - Math.max(left, layout.left - 40)),
    height,
    view.rowHeight >= 14 ? 3 : 0,
  );
  ink.stroke();
}

function paintRange(
  ink: Ink,
  scene: Scene,
  range: { readonly t0: number; readonly t1: number; readonly from: number; readonly to: number },
): void {
  const left = timeX(scene, range.t0);
  const top = rowY(scene, range.from);
  const width = timeX(scene, range.t1) - left;
  const height = rowY(scene, range.to + 1) - top;
  ink.fillStyle = css(scene.theme.focus, 0.14);
  ink.fillRect(left, top, width, height);
  ink.strokeStyle = css(scene.theme.focus);
  ink.lineWidth = 1.5;
  ink.strokeRect(left, top + 0.75, width, height - 1.5);
}

/** Blocks that the line at the editor's cursor makes; where blocks are dense, one mark for each stretch of pixels. */
function paintHighlight(ink: Ink, scene: Scene): void {
  const { highlight, theme, picture, shape } = scene;
  if (highlight.stages.size + highlight.devices.size + highlight.items.size === 0) return;
  const [first, last] = rowsInSight(scene);
  const colour = css(theme.focus);
  for (let row = first; row <= last; row += 1) {
    const y = rowY(scene, row) + shape.bandTop;
    if (highlight.devices.has(row)) {
      ink.strokeStyle = colour;
      ink.lineWidth = 2;
      ink.strokeRect(scene.layout.left - 2, y - 1, scene.layout.plot + 4, Math.max(2, shape.bandHeight + 2));
    }
    if (highlight.stages.size + highlight.items.size === 0) continue;
    const [low, high] = blocksInSight(scene, row);
    const dense = isDense(scene, high - low);
    let marked = Number.NEGATIVE_INFINITY;
    for (let block = low; block < high; block += 1) {
      const outlined =
        highlight.stages.has(stageOf(picture, block)) || highlight.items.has(`${row}:${picture.items?.[block] ?? -1}`);
      if (!outlined) continue;
      if (!dense) {
        outline(ink, scene, { kind: 'block', block }, colour, 2);
        continue;
      }
      const x = Math.floor(timeX(scene, picture.columns.start[block]));
      if (x - marked < 3) continue;
      marked = x;
      ink.fillStyle = colour;
      ink.fillRect(x, y + shape.bandHeight - 2, 3, 2);
    }
  }
}

function paintFound(ink: Ink, scene: Scene): void {
  const { found, picture, theme, view } = scene;
  if (found.length === 0) return;
  const [first, last] = rowsInSight(scene);
  const { offsets, start, end } = picture.columns;
  const before = (block: number) => {
    let low = 0;
    let high = found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (found[middle] < block) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (let row = first; row <= last; row += 1) {
    let marked = Number.NEGATIVE_INFINITY;
    for (let at = before(offsets[row]); at < found.length && found[at] < offsets[row + 1]; at += 1) {
      const block = found[at];
      if (end[block] < view.t0 || start[block] > view.t1) continue;
      const x = timeX(scene, end[block]);
      if (x - marked < 1) continue;
      marked = x;
      outline(ink, scene, { kind: 'block', block }, css(theme.warning), 2);
    }
  }
}

/** From what made the block's inputs to the block. */
function paintArrows(ink: Ink, scene: Scene, block: number): void {
  const { picture, theme, shape } = scene;
  const { start, end } = picture.columns;
  const target = deviceOf(picture, block);
  ink.strokeStyle = css(theme.focus);
  ink.fillStyle = css(theme.focus);
  ink.lineWidth = 1.75;
  for (const need of needsOf(picture, block)) {
    if (need.device === target) continue;
    const down = target > need.device;
    const fromX = timeX(scene, end[need.from]);
    const fromY = rowY(scene, need.device) + shape.bandTop + (down ? shape.bandHeight : 0);
    const toX = timeX(scene, start[block]) + 3;
    const toY = rowY(scene, target) + shape.bandTop + (down ? -1 : shape.bandHeight + 1);
    const middle = (fromY + toY) / 2;
    ink.beginPath();
    ink.moveTo(fromX, fromY);
    ink.lineTo(fromX, middle);
    ink.lineTo(toX, middle);
    ink.lineTo(toX, toY);
    ink.stroke();
    const tip = down ? -5 : 5;
    ink.beginPath();
    ink.moveTo(toX, toY);
    ink.lineTo(toX - 3.5, toY + tip);
    ink.lineTo(toX + 3.5, toY + tip);
    ink.fill();
  }
}

import { kindOf } from '../../../engine/values/program.ts';
import { stageNumber } from '../../../engine/costs/stages.ts';
import { deviceOf, microbatchBlocks, microbatchOf, needsOf, stageOf, typeOf } from '../../picture/blocks.ts';
import { tensorsOfBlock } from '../../picture/blockTensors.ts';
import type { Highlight } from '../../session/highlight.ts';
import { isWritten } from '../../session/writtenOperations.ts';
import { rowOf } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, blocksInSight, clipped, isDense, deviceY, devicesInSight, hasBlocks, timeX } from './canvas.ts';
import { paintMissedUpdate } from './missedUpdate.ts';
import { pieceBoxes } from './pieceBoxes.ts';
import { corners, paintCorners, paintDashedBox, paintDashes, paintHover, paintRing, paintRowCorners } from './rings.ts';

/** Marks over the rows: the editor's place, the search's current hit, siblings, selection with its arrows, pointer. */
export function paintMarks(ink: Ink, scene: Scene): void {
  const { layout, selection, hovered } = scene;
  clipped(ink, layout.left - 3, layout.rows.y, layout.plot + 6, layout.rows.height, () => {
    paintHighlight(ink, scene);
    paintHighlightedPieces(ink, scene);
    if (selection?.kind === 'block') {
      for (const block of microbatchBlocks(scene.picture, microbatchOf(scene.picture, selection.block)))
        if (block !== selection.block && hasBlocks(scene, deviceOf(scene.picture, block)))
          paintDashes(ink, scene, { kind: 'block', block });
      const wanted = tensorsOfBlock(scene.picture, selection.block);
      if (wanted !== undefined) for (const box of pieceBoxes(scene, wanted)) paintDashedBox(ink, scene, box);
      paintArrows(ink, scene, selection.block);
      paintMissedUpdate(ink, scene, selection.block);
    }
    if (hovered !== undefined) paintHover(ink, scene, hovered);
    if (scene.current >= 0) paintRing(ink, scene, { kind: 'block', block: scene.current });
    if (selection?.kind === 'range') paintRange(ink, scene, selection);
    else if (selection !== undefined && selection.kind !== 'device') paintRing(ink, scene, selection);
  });
}

function paintRange(
  ink: Ink,
  scene: Scene,
  range: { readonly t0: number; readonly t1: number; readonly from: number; readonly to: number },
): void {
  const left = timeX(scene, range.t0);
  const top = deviceY(scene, range.from);
  const width = timeX(scene, range.t1) - left;
  const height = deviceY(scene, range.to) + scene.view.rowHeight - top;
  ink.fillStyle = css(scene.theme.focus, 0.14);
  ink.fillRect(left, top, width, height);
  ink.strokeStyle = css(scene.theme.focus);
  ink.lineWidth = 1.5;
  ink.strokeRect(left, top + 0.75, width, height - 1.5);
}

/** Blocks that the line at the editor's cursor makes; where blocks are dense, one mark for each stretch of pixels. */
function paintHighlight(ink: Ink, scene: Scene): void {
  const { highlight, theme, picture, shape } = scene;
  if (highlight.devices.size === 0 && !marksBlocks(highlight)) return;
  const [first, last] = devicesInSight(scene);
  for (let row = first; row <= last; row += 1) {
    const y = deviceY(scene, row) + shape.bandTop;
    if (highlight.devices.has(row)) paintRowCorners(ink, scene, y);
    if (!marksBlocks(highlight)) continue;
    const [low, high] = blocksInSight(scene, row);
    const dense = !hasBlocks(scene, row) || isDense(scene, high - low);
    let marked = Number.NEGATIVE_INFINITY;
    for (let block = low; block < high; block += 1) {
      if (!isMarked(scene, row, block)) continue;
      if (!dense) {
        paintCorners(ink, scene, { kind: 'block', block });
        continue;
      }
      const x = Math.floor(timeX(scene, picture.columns.start[block]));
      if (x - marked < 3) continue;
      marked = x;
      ink.fillStyle = css(theme.background);
      ink.fillRect(x, y + shape.bandHeight - 4, 3, 1);
      ink.fillStyle = css(theme.ring);
      ink.fillRect(x, y + shape.bandHeight - 3, 3, 3);
    }
  }
}

/** Pieces with gradients of the layer at the editor's cursor. */
function paintHighlightedPieces(ink: Ink, scene: Scene): void {
  const { layers } = scene.highlight;
  if (layers.size === 0) return;
  for (const box of pieceBoxes(scene, (lane, tensor) => layers.has(lane.tensors[tensor].layer)))
    corners(ink, scene, box);
}

const marksBlocks = ({ stages, items, guarded, written }: Highlight): boolean =>
  stages.size + items.size + guarded.size + (written?.count ?? 0) > 0;

function isMarked({ plan, picture, highlight }: Scene, device: number, block: number): boolean {
  const { stages, items, guarded, written } = highlight;
  const stage = stageOf(picture, block);
  if (written !== undefined)
    return (
      stage >= 0 &&
      isWritten(written, kindOf(picture.columns, picture.columns.word[block]), stage, microbatchOf(picture, block))
    );
  if (guarded.size > 0) return stage >= 0 && guarded.has(`${typeOf(picture, block)}:${stageNumber(plan, stage)}`);
  return stages.has(stage) || items.has(`${device}:${picture.items?.[block] ?? -1}`);
}

/** From what made the block's inputs to the block. */
function paintArrows(ink: Ink, scene: Scene, block: number): void {
  const { picture, theme, shape, layout } = scene;
  const { map } = layout;
  const { start, end } = picture.columns;
  const target = deviceOf(picture, block);
  ink.strokeStyle = css(theme.focus);
  ink.fillStyle = css(theme.focus);
  ink.lineWidth = 1.75;
  for (const need of needsOf(picture, block)) {
    if (rowOf(map, need.device) === rowOf(map, target)) continue;
    const down = target > need.device;
    const fromX = timeX(scene, end[need.from]);
    const fromY = deviceY(scene, need.device) + shape.bandTop + (down ? shape.bandHeight : 0);
    const toX = timeX(scene, start[block]) + 3;
    const toY = deviceY(scene, target) + shape.bandTop + (down ? -1 : shape.bandHeight + 1);
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

import { rowOf } from '../../../engine/values/program.ts';
import { deviceOf, marksOf, microbatchBlocks, microbatchOf, typeOf } from '../../picture/blocks.ts';
import { isGhost } from '../../picture/ghosts.ts';
import { type Labels, labelAt, labelKind, labelSizes, labelledPart, labelsAt } from '../../picture/labels.ts';
import { blockColour, hasShapes } from '../scene/blockColour.ts';
import { css, labelOn } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { font } from '../scene/theme.ts';
import { type Ink, blockEdges, blocksInSight, devicesInSight, deviceY, hasBlocks } from './canvas.ts';

/** Numbers on the blocks: on all passes of a row or on none, and on the blocks that are pointed out wherever they fit. */
export function paintNumbers(ink: Ink, scene: Scene): void {
  const { picture, view, layout } = scene;
  const { columns } = picture;
  const labels = labelsAt(columns, layout.plot / (view.t1 - view.t0), textHeight(scene));
  const [first, last] = devicesInSight(scene);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  for (let row = first; row <= last; row += 1) {
    if (!hasBlocks(scene, row)) continue;
    if (labels.size > 0) {
      const [low, high] = blocksInSight(scene, row);
      for (let block = low; block < high; block += 1)
        if (isShown(labels, scene, row, block))
          write(ink, scene, row, block, labels.size, labelEdges(ink, scene, block, labels.size));
    }
    for (
      let block = Math.max(columns.offsets[row], columns.offsets[row + 1] - 2);
      block < columns.offsets[row + 1];
      block += 1
    )
      if (columns.word[block] < 0) writeWhereItFits(ink, scene, row, block);
  }
  for (const block of pointedOut(scene)) {
    const row = deviceOf(picture, block);
    if (row >= first && row <= last && hasBlocks(scene, row) && !isShown(labels, scene, row, block))
      writeWhereItFits(ink, scene, row, block);
  }
}

/** Pixels of height for a number: two operations that share a slot have half of it each. */
const textHeight = ({ shape, picture }: Scene): number =>
  picture.columns.pair === undefined ? shape.bandHeight - 4 : Math.floor(shape.bandHeight / 2) - 3;

function isShown({ shown }: Labels, { picture }: Scene, row: number, block: number): boolean {
  const { columns } = picture;
  const { start, end, word, shift, stages } = columns;
  return (
    word[block] >= 0 &&
    end[block] > start[block] &&
    shown[labelAt(columns, row, block, labelKind(Math.trunc((word[block] >> shift) / stages)))] === 1
  );
}

/** Selected, hovered and found blocks, and the blocks of a chain of causes; of very many hits none, since they are too narrow. */
function pointedOut({ selection, hovered, found, current, why, picture, layout }: Scene): readonly number[] {
  const blocks: number[] = [
    ...(found.length <= layout.plot ? found : []),
    ...(selection?.kind === 'block'
      ? [...microbatchBlocks(picture, microbatchOf(picture, selection.block)), selection.block]
      : []),
  ];
  if (hovered?.kind === 'block') blocks.push(hovered.block);
  if (current >= 0) blocks.push(current);
  for (const { block } of why?.steps ?? []) if (block >= 0) blocks.push(block);
  return blocks;
}

/** At the largest size that fits its part of the block, otherwise the whole block. */
function writeWhereItFits(ink: Ink, scene: Scene, row: number, block: number): void {
  const [left, right] = blockEdges(scene, block);
  const room = textHeight(scene);
  const text = labelOf(scene, block);
  for (const [from, to] of [partEdges(scene, block), [left, right] as const]) {
    const size = labelSizes.find(
      (candidate) => candidate <= room && textWidth(ink, font(scene.theme, candidate, 600), text) <= to - from - 2,
    );
    if (size === undefined) continue;
    write(ink, scene, row, block, size, [from, to]);
    return;
  }
}

/** If a block shares a slot and the part for its number is too narrow, the number takes all of the block. */
function labelEdges(ink: Ink, scene: Scene, block: number, size: number): readonly [number, number] {
  const [from, to] = partEdges(scene, block);
  const shares = (scene.picture.columns.pair?.[block] ?? 0) > 0;
  if (!shares || textWidth(ink, font(scene.theme, size, 600), labelOf(scene, block)) <= to - from) return [from, to];
  return blockEdges(scene, block);
}

/** Pixels of the part of a block that carries its number. If shapes say the kind, both halves of a backward look alike. */
function partEdges(scene: Scene, block: number): readonly [number, number] {
  const { columns } = scene.picture;
  const [left, right] = blockEdges(scene, block);
  const length = columns.end[block] - columns.start[block];
  if (hasShapes(scene) || !(length > 0)) return [left, right];
  const [from, to] = labelledPart(columns, block);
  const scale = (right - left) / length;
  return [left + (from - columns.start[block]) * scale, left + (to - columns.start[block]) * scale];
}

function write(
  ink: Ink,
  scene: Scene,
  row: number,
  block: number,
  size: number,
  [from, to]: readonly [number, number],
): void {
  const { picture, theme, shape } = scene;
  const type = typeOf(picture, block);
  const pair = picture.columns.pair?.[block] ?? 0;
  const y = deviceY(scene, row) + shape.bandTop;
  const height = pair === 0 ? shape.bandHeight : Math.floor(shape.bandHeight / 2);
  const top = Math.round(pair === 2 ? y + shape.bandHeight / 2 : y);
  const text = labelOf(scene, block);
  const ground = blockColour(scene, block);
  ink.font = font(theme, size, 600);
  // Stripes would run through the text.
  const striped =
    type === 'sync' ||
    type === 'R' ||
    marksOf(picture, block) > 0 ||
    isGhost(picture, block) ||
    (hasShapes(scene) && recomputes(scene, block));
  if (striped) {
    const width = Math.min(to - from, textWidth(ink, ink.font, text) + 4);
    const tall = Math.min(14, height);
    ink.fillStyle = css(ground);
    ink.fillRect((from + to - width) / 2, top + (height - tall) / 2, width, tall);
  }
  ink.fillStyle = css(labelOn(ground));
  // Where shapes say the kind, a weight gradient fills the lower half.
  const middle = type === 'W' && hasShapes(scene) ? top + (height * 3) / 4 : top + height / 2;
  ink.fillText(text, (from + to) / 2, middle + 0.5);
}

const recomputes = ({ picture: { columns } }: Scene, block: number): boolean =>
  columns.word[block] >= 0 && columns.parts.recompute[rowOf(columns, columns.word[block])] > 0;

function labelOf({ picture }: Scene, block: number): string {
  const type = typeOf(picture, block);
  return type === 'optimizer' ? 'opt' : type === 'sync' ? 'sync' : String(microbatchOf(picture, block));
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

import { type PieceTarget, type Target, targetDevice } from '../../session/selection.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { legBand, legTop } from './exchangeBand.ts';
import { type Ink, blockEdges, deviceY, timeX } from './canvas.ts';

/**
 * Outlines of blocks and gaps. Each is drawn in the editor's foreground over the background: one of the two is visible on every
 * colour.
 */

const ringWidth = 2;
const dashWidth = 1.3;
const hoverWidth = 1;
/** Pixels of background on both sides of a ring. */
const halo = 1;
/** Blocks narrower than this are ringed from outside, so that their colour stays in sight. */
const leastInside = 10;

/** The selection, and the hit that a search is at. */
export function paintRing(ink: Ink, scene: Scene, target: Target): void {
  const box = targetBox(scene, target);
  if (box !== undefined) paintRingAround(ink, scene, box, isNarrow(scene, target));
}

/** `narrow`: from outside. */
export function paintRingAround(ink: Ink, scene: Scene, box: Frame, narrow = box.width < leastInside): void {
  const grow = narrow ? ringWidth / 2 + halo : 0;
  strokeBox(ink, scene, box, css(scene.theme.background), ringWidth + 2 * halo, grow);
  strokeBox(ink, scene, box, css(scene.theme.ring), ringWidth, grow);
}

/** Blocks of the selected microbatch. */
export function paintDashes(ink: Ink, scene: Scene, target: Target): void {
  stroke(ink, scene, target, css(scene.theme.background), dashWidth);
  ink.setLineDash([2.5, 2]);
  stroke(ink, scene, target, css(scene.theme.ring), dashWidth);
  ink.setLineDash([]);
}

/** Pieces of the selected block. */
export function paintDashedBox(ink: Ink, scene: Scene, { left, top, width, height }: Frame): void {
  const outline = (colour: string): void => {
    ink.strokeStyle = colour;
    ink.lineWidth = dashWidth;
    ink.strokeRect(left + 0.5, top + 0.5, Math.max(2, width - 1), height - 1);
  };
  outline(css(scene.theme.background));
  ink.setLineDash([2.5, 2]);
  outline(css(scene.theme.ring));
  ink.setLineDash([]);
}

/** What the pointer is at. */
export function paintHover(ink: Ink, scene: Scene, target: Target): void {
  stroke(ink, scene, target, css(scene.theme.background), hoverWidth + 2 * halo);
  stroke(ink, scene, target, css(scene.theme.ring), hoverWidth);
}

/** What comes from the line of the editor's cursor: four corners, so that it differs from the selection at every width. */
export function paintCorners(ink: Ink, scene: Scene, target: Target): void {
  const box = targetBox(scene, target);
  if (box !== undefined) corners(ink, scene, box);
}

/** A whole row at the editor's cursor. */
export const paintRowCorners = (ink: Ink, scene: Scene, y: number): void =>
  corners(ink, scene, {
    left: scene.layout.left,
    top: y,
    width: scene.layout.plot,
    height: Math.max(2, scene.shape.bandHeight),
  });

/** Most pixels of a corner along an edge. Two corners never meet. */
const cornerLength = 7;

/** Of a box on the canvas. */
export function corners(ink: Ink, scene: Scene, { left, top, width, height }: Frame): void {
  // Narrow blocks have theirs outside, so that their colour stays in sight.
  const grow = width < leastInside ? ringWidth / 2 + halo : 0;
  const [from, to] = [left - grow, left + width + grow];
  const [across, down] = [Math.min(cornerLength, (to - from) / 3), Math.min(cornerLength, height / 3)];
  ink.beginPath();
  for (const [x, right] of [
    [from, across],
    [to, -across],
  ])
    for (const [y, under] of [
      [top, down],
      [top + height, -down],
    ]) {
      ink.moveTo(x, y + under);
      ink.lineTo(x, y);
      ink.lineTo(x + right, y);
    }
  for (const [colour, size] of [
    [scene.theme.background, ringWidth + 2 * halo],
    [scene.theme.ring, ringWidth],
  ] as const) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = size;
    ink.stroke();
  }
}

function edges(scene: Scene, target: Target): readonly [number, number] {
  if (target.kind === 'piece') return pieceEdges(scene, target);
  return target.kind === 'block'
    ? blockEdges(scene, target.block)
    : [timeX(scene, target.gap.from), timeX(scene, target.gap.to) - 1];
}

function isNarrow(scene: Scene, target: Target): boolean {
  const [left, right] = edges(scene, target);
  return right - left < leastInside;
}

function pieceEdges(scene: Scene, { piece }: PieceTarget): readonly [number, number] {
  const { lanes } = scene.picture;
  const leg = lanes?.all[piece.lane]?.legs[piece.leg];
  if (lanes === undefined || leg === undefined) return [0, 0];
  const later = piece.shift * lanes.period;
  return [timeX(scene, leg.start[piece.row] + later), timeX(scene, leg.end[piece.row] + later) - 1];
}

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The place of a block or gap; undefined if it is out of sight. */
export function targetBox(scene: Scene, target: Target): Frame | undefined {
  const { picture, shape, view, layout } = scene;
  const device = targetDevice(picture, target);
  const [left, right] = edges(scene, target);
  if (right < layout.left - 4 || left > layout.left + layout.plot + 4) return undefined;
  const pair = target.kind === 'block' ? (picture.columns.pair?.[target.block] ?? 0) : 0;
  const y = deviceY(scene, device);
  if (y > layout.rows.y + layout.rows.height || y + view.rowHeight < layout.rows.y) return undefined;
  const half = Math.floor(shape.bandHeight / 2);
  const piece = target.kind === 'piece' ? target.piece : undefined;
  const top = piece === undefined ? y + shape.bandTop + (pair === 2 ? half : 0) : legTop(scene, device, piece.leg);
  const height = piece === undefined ? Math.max(2, pair === 0 ? shape.bandHeight : half) : legBand(scene);
  // Far outside the plot a long edge costs time and shows nothing.
  const from = Math.max(left, layout.left - 40);
  const to = Math.min(right, layout.left + layout.plot + 40);
  return { left: from, top, width: Math.max(2, to - from), height };
}

function stroke(ink: Ink, scene: Scene, target: Target, colour: string, width: number): void {
  const box = targetBox(scene, target);
  if (box !== undefined) strokeBox(ink, scene, box, colour, width, 0);
}

function strokeBox(ink: Ink, scene: Scene, box: Frame, colour: string, width: number, grow: number): void {
  ink.strokeStyle = colour;
  ink.lineWidth = width;
  ink.beginPath();
  ink.roundRect(box.left - grow, box.top, box.width + 2 * grow, box.height, scene.view.rowHeight >= 14 ? 3 : 0);
  ink.stroke();
}

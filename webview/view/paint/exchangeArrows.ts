import { lastBackwardAt, nextForwardAt } from '../../picture/laneWords.ts';
import { leadingPieces } from '../../picture/laneWalk.ts';
import { bucketOf, type PieceRow, tensorsOf } from '../../picture/lanes.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { hueOf, legBand, legTop } from './exchangeBand.ts';
import { type Ink, deviceY, devicesInSight, hasBlocks, timeX } from './canvas.ts';

/** With more, arrows hide each other. */
const most = 16;

/** Pixels between blocks and pieces from which on arrows can be seen one by one. */
const leastGap = 8;

/**
 * From the gradients that pieces hold to the pieces, and from the last of them to the forwards that need them. The pieces are the ones
 * that are selected or pointed at, otherwise the leading ones.
 */
export function paintExchangeArrows(ink: Ink, scene: Scene): void {
  const { selection, hovered, why } = scene;
  const target = selection?.kind === 'piece' ? selection : hovered?.kind === 'piece' ? hovered : undefined;
  if (target !== undefined) {
    if (hasBlocks(scene, target.device)) paintArrows(ink, scene, target.piece, target.device);
    // A chain of causes has arrows of its own.
  } else if (why === undefined) paintLeading(ink, scene);
}

function paintLeading(ink: Ink, scene: Scene): void {
  const { picture, shape } = scene;
  const { lanes } = picture;
  if (lanes === undefined || shape.exchangeTop - shape.bandTop - shape.bandHeight < leastGap) return;
  const [first, last] = devicesInSight(scene);
  for (let device = first; device <= last; device += 1) {
    const lane = lanes.ofDevice[device];
    if (lane < 0 || !hasBlocks(scene, device)) continue;
    for (const piece of leadingPieces(lanes, lane)) paintArrows(ink, scene, piece, device);
  }
}

function paintArrows(ink: Ink, scene: Scene, piece: PieceRow, device: number): void {
  const { picture, shape, theme } = scene;
  const { lanes } = picture;
  if (lanes === undefined) return;
  const lane = lanes.all[piece.lane];
  const bucket = bucketOf(lanes, piece);
  const later = piece.shift * lanes.period;
  const { start } = lane.legs[piece.leg];
  const foot = deviceY(scene, device) + shape.bandTop + shape.bandHeight;
  const pieces = legTop(scene, device, piece.leg);
  ink.lineWidth = 1.75;
  for (const tensor of tensorsOf(lane, bucket).slice(0, most)) {
    const made = lastBackwardAt(picture, lane, tensor);
    const used = nextForwardAt(picture, lane, tensor);
    const colour = css(theme.highContrast ? theme.foreground : hueOf(scene, lane, bucket));
    ink.strokeStyle = colour;
    ink.fillStyle = colour;
    if (made !== undefined)
      arrow(ink, timeX(scene, made + later), foot, timeX(scene, start[piece.row] + later) + 2, pieces);
    if (used === undefined) continue;
    const last = lane.legs.length - 1;
    const from = legTop(scene, device, last) + (last > 0 ? legBand(scene) / 2 : 0);
    arrow(ink, timeX(scene, lane.arrival[tensor] + later), from, timeX(scene, used + later) + 1, foot);
  }
}

/** With its tip at the second point; a curve that leaves and arrives upright. */
function arrow(ink: Ink, x0: number, y0: number, x1: number, y1: number): void {
  const tip = y1 > y0 ? -5 : 5;
  const middle = (y0 + y1 + tip) / 2;
  ink.beginPath();
  ink.moveTo(x0, y0);
  ink.bezierCurveTo(x0, middle, x1, middle, x1, y1 + tip);
  ink.stroke();
  ink.beginPath();
  ink.moveTo(x1, y1);
  ink.lineTo(x1 - 3.5, y1 + tip);
  ink.lineTo(x1 + 3.5, y1 + tip);
  ink.fill();
}

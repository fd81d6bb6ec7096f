import { deviceOf } from '../../picture/blocks.ts';
import { missedUpdate } from '../../picture/missedUpdate.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, deviceY, timeX } from './canvas.ts';

const depth = 9;
const tip = 4;

/** From the update that a selected operation missed, under the row, to the operation. */
export function paintMissedUpdate(ink: Ink, scene: Scene, block: number): void {
  const { picture, theme, shape, view } = scene;
  const missed = missedUpdate(picture, block);
  if (missed === undefined || view.rowHeight < 14) return;
  const { start, end } = picture.columns;
  const foot = deviceY(scene, deviceOf(picture, block)) + shape.bandTop + shape.bandHeight + 1;
  const from = timeX(scene, end[missed.update]);
  const to = Math.max(from, timeX(scene, start[block]) + 3);
  const below = foot + Math.min(depth, view.rowHeight - shape.bandHeight);
  for (const [colour, width] of [
    [css(theme.background), 4],
    [css(theme.warning), 2],
  ] as const) {
    ink.strokeStyle = colour;
    ink.lineWidth = width;
    ink.beginPath();
    ink.arc(from, foot, 2, 0, 2 * Math.PI);
    ink.moveTo(from, foot);
    ink.lineTo(from, below);
    ink.lineTo(to, below);
    ink.lineTo(to, foot + tip);
    ink.stroke();
  }
  ink.fillStyle = css(theme.warning);
  ink.beginPath();
  ink.moveTo(to, foot - 1);
  ink.lineTo(to - tip, foot + tip + 1);
  ink.lineTo(to + tip, foot + tip + 1);
  ink.fill();
  const text = `version ${missed.newest}`;
  ink.font = font(theme, 9, 600);
  if (to - from < ink.measureText(text).width + 8) return;
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.strokeStyle = css(theme.background);
  ink.lineWidth = 4;
  ink.strokeText(text, (from + to) / 2, below);
  ink.fillText(text, (from + to) / 2, below);
}

import { iterationTime } from '../../../engine/basics/quantities.ts';
import { boundsOf } from '../../session/violin.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';

/** The time that 95 % of the random draws do not exceed, on the axis, and the bounds that the file expects of percentiles. */
export function paintPercentile(ink: Ink, scene: Scene): void {
  const { plan, picture, theme, layout } = scene;
  const { jitter } = picture.report;
  if (jitter === undefined || jitter.counts === undefined) return;
  for (const { bound, isMet } of boundsOf(plan, picture.report))
    line(ink, scene, bound, css(isMet ? theme.dim : theme.error), [2, 2]);
  const x = line(ink, scene, jitter.p95, css(theme.foreground), [5, 3]);
  if (x === undefined) return;
  const text = `p95 ${iterationTime(jitter.p95)}`;
  ink.font = font(theme, 11, 600);
  ink.textBaseline = 'middle';
  const width = ink.measureText(text).width + 10;
  const left = Math.min(layout.left + layout.plot - width, x - width / 2);
  ink.fillStyle = css(theme.background);
  ink.fillRect(left, layout.ruler.y + 1, width, 18);
  ink.fillStyle = css(theme.foreground);
  ink.textAlign = 'center';
  ink.fillText(text, left + width / 2, layout.ruler.y + 10);
}

/** Down from the axis over the rows; undefined if the time is out of sight. */
function line(ink: Ink, scene: Scene, time: number, colour: string, dashes: number[]): number | undefined {
  const { layout, view } = scene;
  if (time < view.t0 || time > view.t1) return undefined;
  const x = Math.round(timeX(scene, time)) + 0.5;
  ink.strokeStyle = colour;
  ink.lineWidth = 1;
  ink.setLineDash(dashes);
  ink.beginPath();
  ink.moveTo(x, layout.ruler.y + 19);
  ink.lineTo(x, layout.rows.y + layout.rows.height);
  ink.stroke();
  ink.setLineDash([]);
  return x;
}

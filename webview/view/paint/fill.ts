import type { FillStretches } from '../../../engine/fill/stretches.ts';
import { labelOn } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { kindFill } from '../../picture/columns.ts';
import { type Ink, deviceY, timeX } from './canvas.ts';

const leastTask = 3;
const leastName = 22;
/** Pixels of idle time left above and below, so that the work of another job is never taken for a block. */
const inset = 3;

/** Work of a fill job in the gaps of a row: its tasks if they are wide enough, otherwise the stretch that they take. */
export function paintFill(ink: Ink, scene: Scene, row: number): void {
  const { picture, view, shape, theme } = scene;
  const stretches = picture.fill?.[row];
  if (stretches === undefined || shape.bandHeight < 3 * inset) return;
  const { from, to } = stretches;
  const top = Math.round(deviceY(scene, row) + shape.bandTop) + inset;
  const height = shape.bandHeight - 2 * inset;
  ink.font = font(theme, 10);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  for (let index = firstAfter(to, view.t0); index < from.length && from[index] < view.t1; index += 1) {
    const left = timeX(scene, from[index]);
    const right = timeX(scene, to[index]);
    if ((right - left) / stretches.count[index] >= leastTask) paintTasks(ink, scene, stretches, index, top, height);
    else box(ink, scene, left, right, top, height);
  }
}

function paintTasks(
  ink: Ink,
  scene: Scene,
  stretches: FillStretches,
  index: number,
  top: number,
  height: number,
): void {
  const { layers, seconds, count, first } = stretches;
  const { layout, theme, view } = scene;
  // Passes left of what is in sight are stepped over: a stretch may hold very many.
  const pass = seconds.reduce((sum, part) => sum + part, 0);
  const skipped = Math.max(0, Math.floor((view.t0 - stretches.from[index]) / pass));
  let time = stretches.from[index] + skipped * pass;
  for (let task = skipped * layers.length; task < count[index]; task += 1) {
    const which = (first[index] + task) % layers.length;
    const left = timeX(scene, time);
    time += seconds[which];
    const right = timeX(scene, time);
    if (right < layout.left) continue;
    if (left > layout.left + layout.plot) return;
    box(ink, scene, left, right, top, height);
    if (right - left < leastName || height < 12) continue;
    const name = layers[which];
    if (ink.measureText(name).width > right - left - 4) continue;
    ink.fillStyle = css(labelOn(theme.kinds[kindFill]));
    ink.fillText(name, (left + right) / 2, top + height / 2 + 0.5);
  }
}

function box(ink: Ink, { theme }: Scene, from: number, to: number, top: number, height: number): void {
  const left = Math.round(from);
  const width = Math.max(1, Math.round(to) - left - (to - from >= 3 ? 1 : 0));
  ink.fillStyle = css(theme.kinds[kindFill]);
  ink.fillRect(left, top, width, height);
  if (!theme.highContrast || width < 4) return;
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1;
  ink.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
}

/** First of ascending values that is above `value`. */
function firstAfter(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

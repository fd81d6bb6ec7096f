import { horizonOf } from '../../picture/columns.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import type { Ink } from './canvas.ts';

/** All of the iteration: which part of it is in sight, with handles at its ends. */
export function paintOverview(ink: Ink, scene: Scene): void {
  const { layout, theme, view, picture } = scene;
  const { y, height } = layout.overview;
  if (height === 0) return;
  const whole = horizonOf(picture.columns);
  const x = (time: number) => layout.left + (time / whole) * layout.plot;
  const [left, right] = [x(view.t0), x(view.t1)];
  ink.fillStyle = css(theme.background, 0.66);
  ink.fillRect(layout.left, y, Math.max(0, left - layout.left), height);
  ink.fillRect(right, y, Math.max(0, layout.left + layout.plot - right), height);
  // Down the overview, too: which rows are in sight.
  const total = layout.map.rows * view.rowHeight;
  const top = y + (view.scroll / total) * height;
  const bottom = y + (Math.min(total, view.scroll + layout.rows.height) / total) * height;
  ink.strokeStyle = css(theme.highContrast ? theme.foreground : theme.dim);
  ink.lineWidth = 1;
  ink.strokeRect(left - 0.5, y + 0.5, right - left + 1, height - 1);
  if (bottom - top < height - 1) {
    ink.strokeStyle = css(theme.focus);
    ink.strokeRect(left + 0.5, top + 0.5, Math.max(2, right - left - 1), Math.max(2, bottom - top - 1));
  }
  ink.fillStyle = css(theme.foreground);
  for (const edge of [left, right]) {
    ink.beginPath();
    ink.roundRect(edge - 2, y, 4, height, 2);
    ink.fill();
  }
}

import { deviceOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, clipped, deviceY, timeX } from './canvas.ts';

const most = 20_000;

/** One critical path: under its blocks, across rows where it changes device, over a halo. */
export function paintCritical(ink: Ink, scene: Scene): void {
  const { layout, picture, theme, shape, view } = scene;
  const { critical, columns } = picture;
  if (!scene.criticalPath || critical.length === 0) return;
  // In the gap under the blocks, where rows have one.
  const below = view.rowHeight >= 14 ? 1.5 : 0.5;
  const foot = (device: number) => Math.round(deviceY(scene, device) + shape.bandTop + shape.bandHeight) + below;
  const stride = Math.max(1, Math.ceil(critical.length / most));
  clipped(ink, layout.left - 2, layout.rows.y, layout.plot + 4, layout.rows.height, () => {
    ink.beginPath();
    let drawn = false;
    let before = 0;
    for (let at = 0; at < critical.length; at += stride) {
      const block = critical[at];
      if (columns.end[block] < view.t0) continue;
      const y = foot(deviceOf(picture, block));
      const x = timeX(scene, columns.start[block]);
      // On along the row until the next block starts, then across: transfers show as the part beyond the block.
      if (drawn) {
        ink.lineTo(x, before);
        ink.lineTo(x, y);
      } else ink.moveTo(x, y);
      drawn = true;
      before = y;
      ink.lineTo(timeX(scene, columns.end[block]), y);
      if (columns.start[block] > view.t1) break;
    }
    // What the device does after its last operation decides the iteration, too.
    const last = critical[critical.length - 1];
    const tail = columns.offsets[deviceOf(picture, last) + 1] - 1;
    if (drawn && tail > last && columns.word[last + 1] < 0 && columns.end[last] < view.t1) {
      const y = foot(deviceOf(picture, last));
      ink.lineTo(timeX(scene, columns.end[tail]), y);
    }
    ink.lineJoin = 'round';
    ink.strokeStyle = css(theme.background);
    ink.lineWidth = view.rowHeight >= 14 ? 4 : 3;
    ink.stroke();
    ink.strokeStyle = css(theme.foreground);
    ink.lineWidth = view.rowHeight >= 14 ? 1.6 : 1;
    ink.stroke();
  });
}

import { deviceOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { type Ink, blocksInSight, clipped, devicesInSight, hasBlocks, isDense } from './canvas.ts';
import { paintDashes } from './rings.ts';

/** Outlines of operations that run at another place than in the file. If blocks are dense, all others are only faded. */
export function paintMoved(ink: Ink, scene: Scene): void {
  const { moved, layout, picture } = scene;
  if (moved.length === 0) return;
  const [first, last] = devicesInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    let at = 0;
    for (let device = first; device <= last; device += 1) {
      if (!hasBlocks(scene, device)) continue;
      const [low, high] = blocksInSight(scene, device);
      if (isDense(scene, high - low)) continue;
      while (at < moved.length && moved[at] < low) at += 1;
      for (; at < moved.length && moved[at] < high && deviceOf(picture, moved[at]) === device; at += 1)
        paintDashes(ink, scene, { kind: 'block', block: moved[at] });
    }
  });
}

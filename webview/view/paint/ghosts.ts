import { deviceOf } from '../../picture/blocks.ts';
import { isGhost } from '../../picture/ghosts.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import {
  type Ink,
  blockEdges,
  blocksInSight,
  clipped,
  devicesInSight,
  deviceY,
  hasBlocks,
  hatch,
  isDense,
} from './canvas.ts';

/** How much of a missing operation the background covers. */
const cover = 0.62;

/** Operations that the text lacks: pale, hatched, with a dashed outline. Under the numbers. */
export function paintGhosts(ink: Ink, scene: Scene): void {
  const { picture, layout } = scene;
  if (picture.missing === undefined) return;
  const [first, last] = devicesInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let device = first; device <= last; device += 1) {
      if (!hasBlocks(scene, device)) continue;
      const [low, high] = blocksInSight(scene, device);
      const dense = isDense(scene, high - low);
      for (let block = low; block < high; block += 1) if (isGhost(picture, block)) paintGhost(ink, scene, block, dense);
    }
  });
}

function paintGhost(ink: Ink, scene: Scene, block: number, dense: boolean): void {
  const { picture, theme, shape, dpr } = scene;
  const [left, right] = blockEdges(scene, block);
  const pair = picture.columns.pair?.[block] ?? 0;
  const half = Math.floor(shape.bandHeight / 2);
  const top = deviceY(scene, deviceOf(picture, block)) + shape.bandTop + (pair === 2 ? half : 0);
  const height = Math.max(2, pair === 0 ? shape.bandHeight : half);
  ink.fillStyle = css(theme.background, cover);
  ink.fillRect(left, top, right - left, height);
  if (dense || right - left < 4) return;
  ink.fillStyle = hatch(ink, theme.foreground, theme.highContrast ? 0.7 : 0.4, 5, 1, dpr);
  ink.fillRect(left, top, right - left, height);
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1;
  ink.setLineDash([4, 3]);
  ink.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), height - 1);
  ink.setLineDash([]);
}

import { needsOf } from '../../picture/blocks.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { kindTransfer } from '../../picture/columns.ts';
import { type Ink, blocksInSight, clipped, isDense, deviceY, devicesInSight, timeX, hasBlocks } from './canvas.ts';

/** Under the blocks: what arrives over links. */
export function paintLanes(ink: Ink, scene: Scene): void {
  const { layout, shape } = scene;
  if (shape.laneHeight === 0) return;
  const [first, last] = devicesInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let row = first; row <= last; row += 1) if (hasBlocks(scene, row)) paintTransfers(ink, scene, row);
  });
}

/** Each transfer in the row of the device that receives it, from leaving to arriving. */
function paintTransfers(ink: Ink, scene: Scene, row: number): void {
  const { picture, theme, shape } = scene;
  const [low, high] = blocksInSight(scene, row);
  if (isDense(scene, high - low)) return;
  const y = Math.round(deviceY(scene, row) + shape.laneTop);
  ink.fillStyle = css(theme.kinds[kindTransfer]);
  // A transfer may arrive long before its block starts: look a little beyond the right edge.
  for (let block = low; block < Math.min(high + 8, picture.columns.offsets[row + 1]); block += 1) {
    for (const need of needsOf(picture, block)) {
      if (need.route < 0) continue;
      const left = timeX(scene, need.arrival - need.occupancy - need.latency);
      const right = timeX(scene, need.arrival);
      ink.fillRect(left, y, Math.max(2, right - left), shape.laneHeight);
    }
  }
}

import { needsOf } from '../../picture/blocks.ts';
import { curve } from '../../picture/memoryLevel.ts';
import { groupFigures } from '../../picture/groupFigures.ts';
import { endDevice, firstDevice, rowOf } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { horizonOf, kindTransfer } from '../../picture/columns.ts';
import { type Ink, blocksInSight, clipped, isDense, deviceY, devicesInSight, timeX, hasBlocks } from './canvas.ts';

/** Under the blocks: what arrives over links, and how much memory is held. */
export function paintLanes(ink: Ink, scene: Scene): void {
  const { layout, shape } = scene;
  if (shape.laneHeight === 0) return;
  const [first, last] = devicesInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let row = first; row <= last; row += 1) {
      if (!hasBlocks(scene, row)) continue;
      paintTransfers(ink, scene, row);
      const fullest = fullestIn(scene, row);
      if (shape.memoryHeight > 3 && scene.picture.report.devices[fullest].peak > 0) paintSparkline(ink, scene, fullest);
    }
  });
}

/** Devices that share a row differ in memory: the one with the highest peak is shown. */
function fullestIn({ layout: { map }, picture }: Scene, device: number): number {
  const row = rowOf(map, device);
  return groupFigures(picture.report, firstDevice(map, row), endDevice(map, row)).fullest;
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

/** Above what is always held, scaled to the limit. */
function paintSparkline(ink: Ink, scene: Scene, row: number): void {
  const { layout, picture, theme, shape, view } = scene;
  const track = picture.memory[row];
  const points = curve(track, view.t0, view.t1, layout.plot);
  const bottom = Math.round(deviceY(scene, row) + shape.memoryTop + shape.memoryHeight) - 0.5;
  const above = Math.max(1, track.capacity - track.base, picture.report.devices[row].peak - track.base);
  const y = (level: number) => bottom - ((level - track.base) / above) * (shape.memoryHeight - 2);
  ink.beginPath();
  let x = layout.left;
  ink.moveTo(x, y(points[1]));
  for (let at = 2; at < points.length; at += 2) {
    x = timeX(scene, points[at]);
    ink.lineTo(x, y(points[at - 1]));
    ink.lineTo(x, y(points[at + 1]));
  }
  x = Math.min(layout.left + layout.plot, timeX(scene, horizonOf(picture.columns)));
  ink.lineTo(x, y(points[points.length - 1]));
  ink.strokeStyle = css(theme.dim, theme.highContrast ? 1 : 0.75);
  ink.lineWidth = 1;
  ink.stroke();
  ink.lineTo(x, bottom);
  ink.lineTo(layout.left, bottom);
  ink.fillStyle = css(theme.dim, 0.12);
  ink.fill();
}

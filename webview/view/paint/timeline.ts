import { hit } from '../../picture/columns.ts';
import { firstOverLimit } from '../../picture/memoryLevel.ts';
import { endDevice, firstDevice } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, blockEdges, clipped, rowY, rowsInSight } from './canvas.ts';
import { paintChain } from './chain.ts';
import { paintCritical } from './critical.ts';
import { paintExchange } from './exchange.ts';
import { paintFound } from './found.ts';
import { paintGhosts } from './ghosts.ts';
import { paintGutter } from './gutter.ts';
import { paintLanes } from './lanes.ts';
import { paintLayerStrips } from './layerStrips.ts';
import { paintMarks } from './marks.ts';
import { memoryCharts, paintHostMemory } from './hostMemory.ts';
import { paintMemory } from './memory.ts';
import { paintMoved } from './moved.ts';
import { paintOverview } from './overview.ts';
import { paintPercentile } from './percentile.ts';
import { paintPlayed } from './played.ts';
import { paintCursor, paintRuler } from './ruler.ts';
import { paintRows } from './rows.ts';
import { paintStack } from './stack.ts';
import { paintMicrobatchPath } from './microbatchPath.ts';

/** Everything over the blocks, in order from back to front. */
export function paintTimeline(ink: Ink, scene: Scene): void {
  const { layout, dpr } = scene;
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.clearRect(0, 0, layout.width, layout.height);
  paintOverview(ink, scene);
  paintRuler(ink, scene);
  paintGutter(ink, scene);
  paintGhosts(ink, scene);
  paintLayerStrips(ink, scene);
  paintRows(ink, scene);
  paintLanes(ink, scene);
  paintExchange(ink, scene);
  paintFound(ink, scene);
  paintMoved(ink, scene);
  paintOverLimit(ink, scene);
  paintCritical(ink, scene);
  paintMicrobatchPath(ink, scene);
  paintMarks(ink, scene);
  paintChain(ink, scene);
  paintPercentile(ink, scene);
  paintPlayed(ink, scene);
  const ofDevices: Scene = { ...scene, layout: { ...layout, memory: memoryCharts(scene).devices } };
  if (scene.stack === undefined) paintMemory(ink, ofDevices);
  else paintStack(ink, ofDevices);
  paintHostMemory(ink, scene);
  paintCursor(ink, scene);
}

/** In each row of devices that run out of memory: the block during which that happens first. */
function paintOverLimit(ink: Ink, scene: Scene): void {
  const { layout } = scene;
  const [first, last] = rowsInSight(scene);
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (let row = first; row <= last; row += 1) {
      const block = firstOver(scene, row);
      if (block >= 0) paintOver(ink, scene, row, block);
    }
  });
}

/** −1 if all devices of the row fit. */
function firstOver({ picture, layout: { map } }: Scene, row: number): number {
  const { devices } = picture.report;
  let found = -1;
  let earliest = Number.POSITIVE_INFINITY;
  for (let device = firstDevice(map, row); device < endDevice(map, row); device += 1) {
    if (devices[device].peak <= devices[device].capacity) continue;
    const time = firstOverLimit(picture.memory[device]) ?? earliest;
    const block = time < earliest ? hit(picture.columns, time, device) : -1;
    if (block < 0) continue;
    found = block;
    earliest = time;
  }
  return found;
}

function paintOver(ink: Ink, scene: Scene, row: number, block: number): void {
  const { layout, theme, shape } = scene;
  const [left, right] = blockEdges(scene, block);
  const y = rowY(scene, row) + shape.bandTop;
  ink.strokeStyle = css(theme.error);
  ink.lineWidth = 2;
  ink.strokeRect(left, y, Math.max(2, right - left), shape.bandHeight);
  if (shape.bandHeight < 12) return;
  const middle = Math.max(y, layout.rows.y + 7);
  ink.fillStyle = css(theme.error);
  ink.beginPath();
  ink.arc(right, middle, 6, 0, 2 * Math.PI);
  ink.fill();
  ink.fillStyle = css(theme.background);
  ink.font = font(theme, 10, 700);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.fillText('!', right, middle + 0.5);
}

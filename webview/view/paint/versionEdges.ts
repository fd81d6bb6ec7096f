import { kindInput, kindWeight } from '../../picture/columns.ts';
import { paintKindOf } from '../../picture/blocks.ts';
import { versionLook, versionOfWord } from '../../picture/versions.ts';
import { blockColour, hasShapes } from '../scene/blockColour.ts';
import { css, labelOn } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { type Ink, blockEdges, blocksInSight, isDense, deviceY, devicesInSight, hasBlocks } from './canvas.ts';

/** Dashes of the edges, by `versionLook`: solid, dashed, dotted, dash-dot. */
const dashes: readonly (readonly number[])[] = [[], [4, 2.5], [1.2, 2], [5, 2, 1.2, 2]];
const least = 8;
const inset = 1.5;
const notch = 7;

/** Inside every block that has a version: an edge whose dashes repeat the hue, for those who cannot tell hues apart. */
export function paintVersionEdges(ink: Ink, scene: Scene): void {
  const { picture, shape } = scene;
  const { columns } = picture;
  if (scene.colourBy !== 'version' || !hasShapes(scene) || shape.bandHeight < least) return;
  const [first, last] = devicesInSight(scene);
  ink.lineWidth = 1;
  for (let row = first; row <= last; row += 1) {
    if (!hasBlocks(scene, row)) continue;
    const [low, high] = blocksInSight(scene, row);
    if (isDense(scene, high - low)) continue;
    for (let block = low; block < high; block += 1) {
      const version = versionOfWord(columns, columns.word[block]);
      const [left, right] = blockEdges(scene, block);
      if (version < 0 || right - left < least) continue;
      ink.strokeStyle = css(labelOn(blockColour(scene, block)));
      ink.setLineDash([...dashes[versionLook(version)]]);
      edge(ink, scene, row, block, left + inset, right - inset);
    }
  }
  ink.setLineDash([]);
}

function edge(ink: Ink, scene: Scene, row: number, block: number, left: number, right: number): void {
  const { picture, shape } = scene;
  const pair = picture.columns.pair?.[block] ?? 0;
  const kind = paintKindOf(picture, block);
  const half = shape.bandHeight / 2;
  const y = deviceY(scene, row) + shape.bandTop + (pair === 2 ? half : 0);
  const bottom = y + (pair === 0 ? shape.bandHeight : Math.floor(half)) - inset;
  const top = (kind === kindWeight && pair === 0 ? y + half : y) + inset;
  const cut = kind === kindInput ? Math.min(notch, (right - left) / 2) : 0;
  ink.beginPath();
  ink.moveTo(left, top);
  ink.lineTo(right - cut, top);
  ink.lineTo(right, top + cut);
  ink.lineTo(right, bottom);
  ink.lineTo(left, bottom);
  ink.closePath();
  ink.stroke();
}

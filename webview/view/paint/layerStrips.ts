import { shiftsOf } from '../../picture/lanes.ts';
import { type LayerStrip, layerStrips } from '../../picture/layerStrips.ts';
import { areBlocksDrawn } from '../../picture/levelOfDetail.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, blockEdges, clipped, deviceY, hasBlocks, timeX } from './canvas.ts';
import { hueOf } from './exchangeBand.ts';

/** Lower blocks have no room for a strip and their number. */
const leastBand = 22;
const height = 4;

/** In the first forward and the last backward: which layer runs when, in the colour of its pieces on the lane. */
export function paintLayerStrips(ink: Ink, scene: Scene): void {
  const { picture, layout, view, shape, colourBy } = scene;
  const { lanes } = picture;
  // Colours of microbatches are the same hues.
  if (lanes === undefined || shape.legs === 0 || shape.bandHeight < leastBand || colourBy !== 'operation') return;
  if (!areBlocksDrawn(picture.columns, (view.t1 - view.t0) / layout.plot)) return;
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    for (const strip of layerStrips(picture))
      if (hasBlocks(scene, strip.device))
        for (const shift of shiftsOf(lanes)) paintStrip(ink, scene, strip, shift * lanes.period);
  });
}

function paintStrip(
  ink: Ink,
  scene: Scene,
  { device, block, side, from, to, lane, bucket }: LayerStrip,
  later: number,
): void {
  const { shape, view } = scene;
  if (to + later <= view.t0 || from + later >= view.t1) return;
  const moved = timeX(scene, later) - timeX(scene, 0);
  const right = Math.min(blockEdges(scene, block)[1] + moved, timeX(scene, to + later));
  const left = timeX(scene, from + later);
  if (right <= left) return;
  const band = deviceY(scene, device) + shape.bandTop;
  ink.fillStyle = css(hueOf(scene, lane, bucket));
  ink.fillRect(left, side === 'needs' ? band : band + shape.bandHeight - height, right - left, height);
}

import { firstPieceAfter, type Lane, shiftsOf, tensorsOf } from '../../picture/lanes.ts';
import type { Scene } from '../scene/scene.ts';
import { legBand, legTop } from './exchangeBand.ts';
import { devicesInSight, hasBlocks, timeX } from './canvas.ts';

/** Pixels that pieces take on the canvas. */
export interface PieceBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Which tensors are wanted. `shift`: periods by which their pieces are drawn later. */
export type WantedTensor = (lane: Lane, tensor: number, shift: number) => boolean;

/** Pieces in sight that hold gradients of a wanted tensor; those that touch are one box. O(pieces in sight). */
export function pieceBoxes(scene: Scene, wanted: WantedTensor): readonly PieceBox[] {
  const { picture, view, layout, shape } = scene;
  const { lanes } = picture;
  if (lanes === undefined || shape.legs === 0) return [];
  const boxes: PieceBox[] = [];
  const height = legBand(scene);
  const [first, last] = devicesInSight(scene);
  for (let device = first; device <= last; device += 1) {
    const lane = lanes.all[lanes.ofDevice[device]];
    if (lane === undefined || !hasBlocks(scene, device)) continue;
    const shifts = shiftsOf(lanes).map((shift) => ({
      later: shift * lanes.period,
      holds: lane.buckets.call.map((_, bucket) =>
        tensorsOf(lane, bucket).some((tensor) => wanted(lane, tensor, shift)),
      ),
    }));
    lane.legs.forEach((leg, index) => {
      const top = legTop(scene, device, index);
      let [left, right] = [layout.left, layout.left];
      const close = (): void => {
        if (right > left) boxes.push({ left, top, width: right - left, height });
      };
      for (const { later, holds } of shifts)
        for (let row = firstPieceAfter(leg, view.t0 - later); row < leg.end.length; row += 1) {
          if (leg.start[row] + later >= view.t1) break;
          if (!holds[leg.bucket[row]]) continue;
          const from = Math.max(right, Math.floor(timeX(scene, leg.start[row] + later)));
          const to = Math.ceil(timeX(scene, leg.end[row] + later));
          if (to <= from) continue;
          if (from > right + 1) {
            close();
            left = from;
          }
          right = to;
        }
      close();
    });
  }
  return boxes;
}

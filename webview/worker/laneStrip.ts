import { type Lanes, type Leg, firstPieceAfter, shiftsOf } from '../picture/lanes.ts';
import { hueColours, hues, type Palette } from './palette.ts';

/** An image of rows, one a device: seconds at its edges, and the end of the iteration, which ends the picture. */
export interface StripView {
  readonly t0: number;
  readonly t1: number;
  readonly end: number;
  readonly rowHeight: number;
}

/** Share of a row that blocks take if lanes are under them. */
export const bandShare = 0.62;

/** Lanes under the blocks of a strip, in the colours of layers: a pixel has the colour that takes most of its time, if that is half of it. */
export function drawLanes(pixels: Uint32Array, width: number, lanes: Lanes, view: StripView, palette: Palette): void {
  const { rowHeight, t0, t1, end } = view;
  const height = pixels.length / width;
  for (const [device, lane] of lanes.ofDevice.entries()) {
    const legs = lanes.all[lane]?.legs ?? [];
    for (const [index, leg] of legs.entries()) {
      const share = new Float32Array(width * hues);
      for (const shift of shiftsOf(lanes)) {
        const later = shift * lanes.period;
        addShares(share, leg, lanes.all[lane].buckets.front, {
          t0: t0 - later,
          t1: t1 - later,
          end: end - later,
          width,
        });
      }
      const top = (device + bandShare + (0.32 * index) / legs.length) * rowHeight;
      const from = Math.min(height, Math.round(top));
      const to = Math.min(height, Math.max(from + 1, Math.round(top + (0.32 * rowHeight) / legs.length)));
      for (let x = 0; x < width; x += 1) {
        const hue = most(share, x);
        if (hue < 0) continue;
        for (let y = from; y < to; y += 1) pixels[y * width + x] = palette.colours[hueColours + hue];
      }
    }
  }
}

function addShares(
  share: Float32Array,
  leg: Leg,
  front: Int32Array,
  { t0, t1, end, width }: { readonly t0: number; readonly t1: number; readonly end: number; readonly width: number },
): void {
  const scale = width / (t1 - t0);
  const last = Math.min(t1, end);
  // What began before the iteration is drawn only from its start on.
  for (let row = firstPieceAfter(leg, t0); row < leg.end.length && leg.start[row] < last; row += 1) {
    const from = Math.max(0, (leg.start[row] - t0) * scale);
    const to = Math.min(width, (Math.min(leg.end[row], end) - t0) * scale);
    const hue = front[leg.bucket[row]] % hues;
    for (let x = Math.floor(from); x < to; x += 1) share[x * hues + hue] += Math.min(to, x + 1) - Math.max(from, x);
  }
}

/** The hue that takes most of a pixel; −1 if the lane is idle for half of it. */
function most(share: Float32Array, x: number): number {
  let [found, highest, all] = [-1, 0, 0];
  for (let hue = 0; hue < hues; hue += 1) {
    const part = share[x * hues + hue];
    all += part;
    if (part > highest) [found, highest] = [hue, part];
  }
  return all >= 0.5 ? found : -1;
}

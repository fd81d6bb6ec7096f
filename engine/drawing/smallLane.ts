import type { LaneTimeline } from '../values/exchangeTimeline.ts';
import type { Timeline } from '../values/timeline.ts';
import { layerLooks, legsIn, repeatsAfter } from './lanes.ts';

const lights = layerLooks.map(({ colour }) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));

/**
 * What a device's ranks exchange during the iteration, as pixels of red, green, blue and opacity. A pixel has the colour of the layer
 * that takes most of its time. It is as opaque as the lane is busy. Undefined where the device has no lane.
 */
export function smallLane(timeline: Timeline, device: number, width: number): Uint8Array | undefined {
  const lane = timeline.exchange?.lanes.find(({ plan }) => plan.devices.includes(device));
  if (lane === undefined || !(timeline.makespan > 0)) return undefined;
  const colours = layerLooks.length;
  const shares = new Float32Array(width * colours);
  const period = repeatsAfter(timeline);
  // Without a barrier the iteration before still sends.
  for (const later of period === undefined ? [0] : [-period, 0])
    addShares(shares, lane, width / timeline.makespan, later, width);
  const pixels = new Uint8Array(width * 4);
  for (let x = 0; x < width; x += 1) {
    let [most, all] = [0, 0];
    for (let colour = 0; colour < colours; colour += 1) {
      all += shares[x * colours + colour];
      if (shares[x * colours + colour] > shares[x * colours + most]) most = colour;
    }
    if (all <= 0) continue;
    pixels.set(lights[most], x * 4);
    pixels[x * 4 + 3] = Math.round(255 * Math.min(1, all));
  }
  return pixels;
}

function addShares(shares: Float32Array, lane: LaneTimeline, scale: number, later: number, width: number): void {
  const legs = legsIn(lane);
  for (const { length, bucket, start, end } of legs)
    for (let row = 0; row < length; row += 1) {
      const from = Math.max(0, (start[row] + later) * scale);
      const to = Math.min(width, (end[row] + later) * scale);
      const colour = lane.buckets.front[bucket[row]] % layerLooks.length;
      for (let x = Math.floor(from); x < to; x += 1)
        shares[x * layerLooks.length + colour] += (Math.min(to, x + 1) - Math.max(from, x)) / legs.length;
    }
}

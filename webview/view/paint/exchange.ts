import { bucketName, firstPieceAfter, type Lane, type Leg, shiftsOf } from '../../picture/lanes.ts';
import { idleUntil } from '../../picture/columns.ts';
import { type Rgb, labelOn } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { paintExchangeArrows } from './exchangeArrows.ts';
import { hueOf, legBand, legTop } from './exchangeBand.ts';
import { type Ink, clipped, deviceY, devicesInSight, hasBlocks, hatch, timeX } from './canvas.ts';

/** Pieces narrower than this on average are mixed: a pixel shows the colour that takes most of it. */
const leastPiece = 2;
const leastLabel = 9;

/** Under the blocks of each device: what its ranks exchange, piece by piece, in the colour of the layer. Calls are hatched. */
export function paintExchange(ink: Ink, scene: Scene): void {
  const { layout, picture, shape } = scene;
  const { lanes } = picture;
  if (lanes === undefined || shape.legs === 0) return;
  const [first, last] = devicesInSight(scene);
  for (let device = first; device <= last; device += 1) {
    if (!hasBlocks(scene, device)) continue;
    const lane = lanes.all[lanes.ofDevice[device]];
    if (lane === undefined) continue;
    clipped(ink, 0, layout.rows.y, layout.width, layout.rows.height, () => paintNames(ink, scene, device, lane));
    clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
      lane.legs.forEach((leg, index) => {
        paintGround(ink, scene, legTop(scene, device, index));
        const top = legTop(scene, device, index);
        for (const shift of shiftsOf(lanes)) paintLeg(ink, scene, { lane, leg, top, later: shift * lanes.period });
      });
    });
  }
  clipped(ink, layout.left, layout.rows.y, layout.plot, layout.rows.height, () => {
    if (lanes.repeats) for (let device = first; device <= last; device += 1) paintPeriod(ink, scene, device);
    paintExchangeArrows(ink, scene);
  });
}

/** Left of the lane: what it carries, and by which collective. */
function paintNames(ink: Ink, scene: Scene, device: number, lane: Lane): void {
  const { layout, theme, shape } = scene;
  if (shape.legHeight < 9 || layout.left < 60) return;
  ink.textAlign = 'right';
  ink.textBaseline = 'middle';
  ink.fillStyle = css(theme.dim);
  ink.font = font(theme, Math.min(11, shape.legHeight));
  const right = layout.left - (layout.left < 96 ? 5 : 14);
  const calls = [...new Set(lane.buckets.call)];
  lane.legs.forEach((leg, index) => {
    const call = calls.length === 1 ? calls[0] : `${calls.length} collectives`;
    const text = lane.legs.length > 1 ? leg.name : call;
    const room = right - 4;
    const shown = ink.measureText(text).width <= room ? text : '';
    // The names of the device and its figures take the upper part of the row.
    const y = legTop(scene, device, index) + legBand(scene) / 2;
    if (y - deviceY(scene, device) > 48) ink.fillText(shown, right, y);
  });
}

function paintGround(ink: Ink, scene: Scene, top: number): void {
  const { layout, theme, shape } = scene;
  if (shape.legHeight < 6) return;
  ink.strokeStyle = css(theme.line);
  ink.lineWidth = 1;
  ink.strokeRect(layout.left + 0.5, top + 0.5, layout.plot - 1, legBand(scene) - 1);
}

/** A leg at its place: pixels from the top, and seconds by which it is drawn later than it ran. */
interface PlacedLeg {
  readonly lane: Lane;
  readonly leg: Leg;
  readonly top: number;
  readonly later: number;
}

/** Rows of pieces that are in sight. */
function paintLeg(ink: Ink, scene: Scene, placed: PlacedLeg): void {
  const { view, layout } = scene;
  const { leg, later } = placed;
  const low = firstPieceAfter(leg, view.t0 - later);
  let high = firstPieceAfter(leg, view.t1 - later);
  if (high < leg.start.length && leg.start[high] < view.t1 - later) high += 1;
  if (high - low > layout.plot / leastPiece) paintMany(ink, scene, placed, low, high);
  else for (let row = low; row < high; row += 1) paintRow(ink, scene, placed, row);
}

/** Equal pieces, one after the other: each with its call, if that is to be seen. */
function paintRow(ink: Ink, scene: Scene, { lane, leg, top, later }: PlacedLeg, row: number): void {
  const { theme, layout, dpr } = scene;
  const height = legBand(scene);
  const bucket = leg.bucket[row];
  const hue = hueOf(scene, lane, bucket);
  const name = bucketName(lane, bucket);
  const [start, end, count] = [leg.start[row] + later, leg.end[row] + later, leg.count[row]];
  const whole = timeX(scene, end) - timeX(scene, start);
  const each = (end - start) / count;
  const apart = whole / count >= 4;
  const share = end > start ? Math.min(1, (leg.overhead[row] * count) / (end - start)) : 0;
  const seen = apart ? count : 1;
  // Only those in sight.
  const from = apart ? Math.max(0, Math.floor((scene.view.t0 - start) / each)) : 0;
  const to = apart ? Math.min(count, Math.ceil((scene.view.t1 - start) / each)) : seen;
  for (let piece = from; piece < to; piece += 1) {
    const left = timeX(scene, start + piece * (apart ? each : 0));
    const right = apart ? timeX(scene, start + (piece + 1) * each) : timeX(scene, end);
    const gap = right - left >= 4 ? 1 : 0;
    const x = Math.max(layout.left - 4, Math.round(left));
    const width = Math.max(1, Math.min(layout.left + layout.plot + 4, Math.round(right)) - gap - x);
    const call = share * (right - left);
    ink.fillStyle = css(hue);
    ink.fillRect(x, top, width, height);
    if (call >= 2 && apart) {
      const edge = Math.min(width, Math.round(left + call) - x);
      ink.fillStyle = css(theme.background, 0.72);
      ink.fillRect(x, top, edge, height);
      ink.fillStyle = hatch(ink, hue, 1, 4, 1.4, dpr);
      ink.fillRect(x, top, edge, height);
      paintLabel(ink, scene, name, hue, { x: x + edge, width: width - edge, top });
    } else paintLabel(ink, scene, name, hue, { x, width, top });
  }
}

interface LabelRoom {
  readonly x: number;
  readonly width: number;
  readonly top: number;
}

function paintLabel(ink: Ink, scene: Scene, text: string, hue: Rgb, { x, width, top }: LabelRoom): void {
  const height = legBand(scene);
  if (height < 11 || width < leastLabel) return;
  ink.font = font(scene.theme, height >= 15 ? 11 : 10, 600);
  if (ink.measureText(text).width + 2 > width) return;
  ink.fillStyle = css(labelOn(hue));
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.fillText(text, x + width / 2, top + height / 2 + 0.5);
}

/** Shares of time by pixel and hue, kept while the view stays: the pointer moves far more often. */
const kept = new WeakMap<Leg, Map<number, { readonly key: string; readonly shares: Float32Array }>>();
function sharesOf(leg: Leg, later: number, key: string, find: () => Float32Array): Float32Array {
  const byShift = kept.get(leg) ?? new Map<number, { readonly key: string; readonly shares: Float32Array }>();
  kept.set(leg, byShift);
  const known = byShift.get(later);
  if (known?.key === key) return known.shares;
  const shares = find();
  byShift.set(later, { key, shares });
  return shares;
}

/** More pieces than pixels: each pixel has the colour that takes most of its time, as high as the share that the lane is busy. */
function paintMany(ink: Ink, scene: Scene, { lane, leg, top, later }: PlacedLeg, low: number, high: number): void {
  const { theme, layout, view } = scene;
  const count = Math.ceil(layout.plot);
  const hues = theme.hues.length;
  const shares = sharesOf(leg, later, [view.t0, view.t1, count, low, high].join(), () => {
    const found = new Float32Array(count * hues);
    const scale = layout.plot / (view.t1 - view.t0);
    for (let row = low; row < high; row += 1) {
      const from = Math.max(0, (leg.start[row] + later - view.t0) * scale);
      const to = Math.min(count, (leg.end[row] + later - view.t0) * scale);
      const hue = lane.buckets.front[leg.bucket[row]] % hues;
      for (let pixel = Math.floor(from); pixel < to; pixel += 1)
        found[pixel * hues + hue] += Math.min(to, pixel + 1) - Math.max(from, pixel);
    }
    return found;
  });
  const height = legBand(scene);
  for (let pixel = 0; pixel < count; pixel += 1) {
    let y = top + height;
    for (let hue = 0; hue < hues; hue += 1) {
      const part = shares[pixel * hues + hue] * height;
      if (part < 0.05) continue;
      ink.fillStyle = css(theme.hues[hue]);
      ink.fillRect(layout.left + pixel, y - part, 1, part);
      y -= part;
    }
  }
}

/** A line at which a device begins the next iteration. */
function paintPeriod(ink: Ink, scene: Scene, device: number): void {
  const { theme, picture, view } = scene;
  const at = idleUntil(picture.columns, device);
  if (!hasBlocks(scene, device) || at <= view.t0 || at >= view.t1) return;
  const x = Math.round(timeX(scene, at)) - 0.5;
  const top = deviceY(scene, device);
  ink.strokeStyle = css(theme.foreground, theme.highContrast ? 1 : 0.75);
  ink.lineWidth = 1;
  ink.setLineDash([3, 3]);
  ink.beginPath();
  ink.moveTo(x, top + 1);
  ink.lineTo(x, top + view.rowHeight - 2);
  ink.stroke();
  ink.setLineDash([]);
}

import { type PieceKind, pieceKinds } from '../../../engine/simulate/memoryStack.ts';
import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { bytes, moment } from '../../../engine/basics/quantities.ts';
import { horizonOf, kindForward, kindInput, kindOptimizer, kindRecompute, kindWeight } from '../../picture/columns.ts';
import { curve, highest } from '../../picture/memoryLevel.ts';
import { type PlacedStack, placedStack } from '../../picture/placedStack.ts';
import { labelOn, type Rgb } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { operationColour, quietColours } from '../scene/stackColours.ts';
import { css, font } from '../scene/theme.ts';
import { mix } from '../scene/colour.ts';
import { memoryAxis } from './memoryAxis.ts';
import { type Ink, clipped, timeX } from './canvas.ts';
import { aroundPoint, labels } from './labels.ts';
import { paintLimit, paintMemoryAxis, paintOverLimit } from './memoryFrame.ts';

const names = {
  weights: 'weights',
  gradients: 'gradients',
  optimizer: 'optimizer state',
  buffers: 'transfer buffers',
} as const;

/** Pixels of the chart for bytes. */
type Level = (level: number) => number;

/** In place of the memory of all devices: what fills one device over time, with a line at its peak. */
export function paintStack(ink: Ink, scene: Scene): void {
  const { layout, theme, picture, plan, stack } = scene;
  const panel = layout.memory;
  if (stack === undefined || panel.height < 60) return;
  const track = picture.memory[stack.device];
  const { capacity } = picture.report.devices[stack.device];
  const peak = highest(track);
  const axis = memoryAxis(peak.bytes, capacity, panel);
  const { y, bottom } = axis;
  paintMemoryAxis(ink, scene, axis, plan.devices[stack.device].name);
  clipped(ink, layout.left, panel.y, layout.plot, panel.height, () => {
    paintOverLimit(ink, scene, axis, { peak: peak.bytes, capacity });
    const placed = placedStack(stack);
    const cursor = timeX(scene, peak.at);
    const end = Math.min(layout.left + layout.plot, timeX(scene, horizonOf(picture.columns)));
    const start = Math.max(layout.left, timeX(scene, 0));
    if (paintPieces(ink, scene, placed, y, cursor)) paintOtherIterations(ink, scene, placed, y);
    else fillUnder(ink, scene, stack.device, y, theme.kinds[kindForward]);
    let base = 0;
    for (const [kind, colour] of quietColours(theme)) {
      const size = stack.statics[kind];
      if (!(size > 0)) continue;
      ink.fillStyle = css(colour);
      ink.fillRect(
        start,
        y(base + size),
        end - start,
        y(base) - y(base + size) - (y(base) - y(base + size) > 3 ? 1 : 0),
      );
      if (y(base) - y(base + size) >= 13) {
        const text = `${names[kind]} ${bytes(size)}`;
        ink.font = font(theme, 11);
        const from = clearOf(cursor, start + 8, ink.measureText(text).width);
        write(ink, scene, text, from, (y(base) + y(base + size)) / 2, labelOn(colour));
      }
      base += size;
    }
    paintTotal(ink, scene, y);
    const written = labels(ink, scene);
    paintLimit(ink, scene, axis, { peak: peak.bytes, capacity }, written);
    const x = cursor;
    ink.strokeStyle = css(theme.foreground);
    ink.lineWidth = 1.5;
    ink.beginPath();
    ink.moveTo(x, panel.y);
    ink.lineTo(x, bottom);
    ink.stroke();
    ink.fillStyle = css(theme.background);
    ink.lineWidth = 2;
    ink.beginPath();
    ink.arc(x, y(peak.bytes), 4.5, 0, 2 * Math.PI);
    ink.fill();
    ink.stroke();
    written.write(
      `peak ${memoryAmount(peak.bytes, plan.unitTimes)} at ${moment(peak.at)}`,
      theme.foreground,
      aroundPoint(x + 3, y(peak.bytes)),
    );
  });
}

/** Left edge of a text: right of the line at the peak if that line would run through it. */
const clearOf = (cursor: number, from: number, width: number): number =>
  cursor > from - 4 && cursor < from + width + 4 ? cursor + 6 : from;

function write(ink: Ink, { theme }: Scene, text: string, x: number, y: number, colour: Rgb): void {
  ink.font = font(theme, 11);
  ink.textAlign = 'left';
  ink.fillStyle = css(colour);
  ink.fillText(text, x, y + 0.5);
}

/** Of the iterations before and after, without a barrier: their pieces, paler, as their blocks are. */
function paintOtherIterations(ink: Ink, scene: Scene, placed: PlacedStack, y: Level): void {
  const { view, picture } = scene;
  const { period } = picture.columns;
  if (period === undefined) return;
  ink.save();
  ink.globalAlpha = 0.5;
  for (const later of [-period, period])
    paintPieces(ink, { ...scene, view: { ...view, t0: view.t0 - later, t1: view.t1 - later } }, placed, y, Infinity);
  ink.restore();
}

/** Pieces, if each has room; otherwise returns false. `cursor`: the line that texts avoid. */
function paintPieces(ink: Ink, scene: Scene, { stack, base, places }: PlacedStack, y: Level, cursor: number): boolean {
  const { theme, view, layout } = scene;
  const shade = mix(theme.kinds[kindForward], theme.background, 0.3);
  const colours: Readonly<Record<Exclude<PieceKind, 'operations'>, readonly [Rgb, Rgb]>> = {
    versions: [theme.dim, theme.dim],
    activations: [theme.kinds[kindForward], shade],
    activations_for_weight: [theme.kinds[kindWeight], mix(theme.kinds[kindWeight], theme.background, 0.3)],
    recomputed: [theme.kinds[kindRecompute], theme.kinds[kindRecompute]],
    workspace: [theme.kinds[kindInput], theme.kinds[kindInput]],
    gradient_copies: [theme.kinds[kindOptimizer], theme.kinds[kindOptimizer]],
  };
  const inSight: number[] = [];
  let least = Infinity;
  for (let stretch = 0; stretch < (places?.from.length ?? 0); stretch += 1) {
    if (places === undefined || places.from[stretch] > view.t1) break;
    if (places.to[stretch] < view.t0) continue;
    inSight.push(stretch);
    const piece = places.piece[stretch];
    if (pieceKinds[stack.kind[piece]] === 'activations') least = Math.min(least, stack.bytes[piece]);
  }
  const tooThin = y(0) - y(least) < 1;
  if (places === undefined || tooThin || inSight.length > 4 * layout.plot) return false;
  const draw = (piece: number, from: number, to: number, bottom: number) => {
    const left = Math.max(layout.left, timeX(scene, from));
    const right = Math.min(layout.left + layout.plot, timeX(scene, to));
    const upper = y(bottom + stack.bytes[piece]);
    const height = y(bottom) - upper;
    const microbatch = stack.microbatch[piece];
    const kind = pieceKinds[stack.kind[piece]];
    const colour =
      kind === 'operations'
        ? operationColour(theme, stack.operation[piece])
        : colours[kind][Math.max(0, microbatch) % 2];
    ink.fillStyle = css(colour);
    ink.fillRect(left, upper, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), height - (height > 4 ? 1 : 0));
    if (microbatch < 0 || height < 12) return;
    const [long, short] = [`microbatch ${microbatch}`, String(microbatch)];
    ink.font = font(theme, 11, 600);
    const text = ink.measureText(long).width + 14 < right - left ? long : short;
    const wide = ink.measureText(text).width;
    const at = clearOf(cursor, left + (text === long ? 7 : 3), wide);
    if (at + wide + 3 < right) write(ink, scene, text, at, (upper + y(bottom)) / 2, labelOn(colour));
  };
  for (const stretch of inSight)
    draw(places.piece[stretch], places.from[stretch], places.to[stretch], base + places.offset[stretch]);
  return true;
}

function levelPath(ink: Ink, scene: Scene, device: number, y: Level): void {
  const { layout, view, picture } = scene;
  const points = curve(picture.memory[device], view.t0, view.t1, layout.plot);
  ink.moveTo(Math.max(layout.left, timeX(scene, points[0])), y(points[1]));
  for (let at = 2; at < points.length; at += 2) {
    const x = timeX(scene, points[at]);
    ink.lineTo(x, y(points[at - 1]));
    ink.lineTo(x, y(points[at + 1]));
  }
  ink.lineTo(
    Math.min(layout.left + layout.plot, timeX(scene, horizonOf(picture.columns))),
    y(points[points.length - 1]),
  );
}

function fillUnder(ink: Ink, scene: Scene, device: number, y: Level, colour: Rgb): void {
  const { layout, picture } = scene;
  ink.fillStyle = css(colour);
  ink.beginPath();
  levelPath(ink, scene, device, y);
  ink.lineTo(Math.min(layout.left + layout.plot, timeX(scene, horizonOf(picture.columns))), y(0));
  ink.lineTo(layout.left, y(0));
  ink.fill();
}

/** The level that all pieces add up to. */
function paintTotal(ink: Ink, scene: Scene, y: Level): void {
  const { theme, stack } = scene;
  if (stack === undefined) return;
  for (const [width, colour] of [
    [3.5, theme.background],
    [1.3, theme.foreground],
  ] as const) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = width;
    ink.beginPath();
    levelPath(ink, scene, stack.device, y);
    ink.stroke();
  }
}

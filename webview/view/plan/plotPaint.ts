/** What the scatter draws, one mark at a time. Places are CSS pixels. */
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import { hatch, type Ink } from '../paint/canvas.ts';
import { mix, type Rgb } from '../scene/colour.ts';
import { css, font, type Theme } from '../scene/theme.ts';
import { type Frame, iterationTicks, memoryTicks, type Plot, type Scales } from './frame.ts';
import { frontLine } from './frontLine.ts';
import { overlap, type Rectangle } from './labelPlaces.ts';
import { hueOf, hueOrder, type Looks, shapeOf } from './looks.ts';
import { cornersOf, shapes } from './marks.ts';

export const margin = { left: 64, right: 14, top: 10, bottom: 26 };
/** Size of a mark of the front. */
export const frontSize = 11;

/** Without a scheme of colours, all points have the ink of the page. */
export const colourOf = (theme: Theme, { colour }: Looks, hue: number): Rgb =>
  colour === undefined ? theme.hues[hueOrder[0]] : theme.hues[hue];

export function paintAxes(ink: Ink, theme: Theme, frame: Frame, { x, y }: Scales, area: Plot): void {
  ink.font = font(theme, 11);
  ink.lineWidth = 1;
  ink.strokeStyle = css(theme.line);
  ink.fillStyle = css(theme.dim);
  ink.textBaseline = 'middle';
  ink.textAlign = 'right';
  for (const { at, text } of iterationTicks(frame.time, area.height)) {
    const place = Math.round(y(at)) + 0.5;
    if (place < area.top || place > area.top + area.height) continue;
    stroke(ink, [[area.left, place], [area.left + area.width, place]]); // prettier-ignore
    ink.fillText(text, area.left - 8, place);
  }
  ink.textAlign = 'center';
  for (const { at, text } of memoryTicks(frame.memory, area.width)) {
    const place = Math.round(x(at)) + 0.5;
    if (place < area.left || place > area.left + area.width) continue;
    stroke(ink, [[place, area.top], [place, area.top + area.height]]); // prettier-ignore
    const half = ink.measureText(text).width / 2;
    ink.fillText(text, Math.min(place, area.left + area.width + margin.right - half - 1), area.top + area.height + 14);
  }
}

export function paintBeyond(ink: Ink, theme: Theme, limit: number, area: Plot, dpr: number): void {
  const left = Math.max(area.left, limit);
  ink.fillStyle = css(theme.error, theme.highContrast ? 0 : 0.07);
  ink.fillRect(left, area.top, area.left + area.width - left, area.height);
  ink.fillStyle = hatch(ink, theme.error, theme.highContrast ? 0.6 : 0.22, 8, 1, dpr);
  ink.fillRect(left, area.top, area.left + area.width - left, area.height);
}

export function paintLimit(ink: Ink, theme: Theme, limit: number, area: Plot): void {
  if (limit < area.left) return;
  ink.strokeStyle = css(theme.error);
  ink.lineWidth = 1.5;
  ink.setLineDash([4, 3]);
  stroke(ink, [[limit, area.top], [limit, area.top + area.height]]); // prettier-ignore
  ink.setLineDash([]);
}

/** At the foot of the limit, on the side that has room for it, or at its top, if it would cover marks that matter. Its rectangle is returned. */
export function paintLimitLabel(
  ink: Ink,
  theme: Theme,
  text: string,
  limit: number,
  area: Plot,
  marks: readonly Rectangle[],
): Rectangle {
  ink.font = font(theme, 11);
  ink.textBaseline = 'middle';
  ink.textAlign = 'left';
  const width = ink.measureText(text).width + 4;
  const [behind, before] = [Math.max(area.left, limit) + 4, Math.max(area.left, limit - 8 - width)];
  const sides = behind + width <= area.left + area.width ? [behind, before] : [before];
  const places = [area.top + area.height - 18, area.top + 3].flatMap((top) =>
    sides.map((left) => ({ left, top, width, height: 15 })),
  );
  const place = places.find((each) => !marks.some((mark) => overlap(each, mark))) ?? places[0];
  ink.fillStyle = css(theme.background, 0.85);
  ink.fillRect(place.left, place.top, place.width, place.height);
  ink.fillStyle = css(theme.highContrast ? theme.foreground : mix(theme.foreground, theme.error, 0.5));
  ink.fillText(text, place.left + 2, place.top + place.height / 2);
  return place;
}

export function paintFront(
  ink: Ink,
  theme: Theme,
  { front, beyond }: PlanSearchState,
  { x, y }: Scales,
  area: Plot,
  { memory }: Frame,
): void {
  const spot = ({ peak, iteration }: FoundPoint) => ({ x: x(Math.min(peak, memory[1])), y: y(iteration) });
  ink.save();
  ink.beginPath();
  ink.rect(area.left, area.top, area.width, area.height);
  ink.clip();
  const trace = (points: readonly FoundPoint[]): void =>
    stroke(
      ink,
      frontLine(points.map(spot)).map((corner) => [corner.x, corner.y] as const),
    );
  ink.lineJoin = 'round';
  if (beyond.length > 0) {
    ink.strokeStyle = css(theme.dim, theme.highContrast ? 1 : 0.7);
    ink.lineWidth = 1;
    ink.setLineDash([3, 3]);
    trace([...beyond, ...front.slice(0, 1)]);
    ink.setLineDash([]);
  }
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1.5;
  trace(front);
  ink.restore();
}

export function paintMark(ink: Ink, theme: Theme, looks: Looks, point: FoundPoint, { x, y }: Scales): void {
  const [left, top, half] = [x(point.peak), y(point.iteration), frontSize / 2];
  ink.beginPath();
  const corners = cornersOf(shapes[shapeOf(looks)(point)]);
  if (corners === undefined) ink.arc(left, top, half * 0.95, 0, 2 * Math.PI);
  else for (const [across, down] of corners) ink.lineTo(left + across * half, top + down * half);
  ink.closePath();
  ink.lineWidth = 2.5;
  ink.strokeStyle = css(theme.background);
  ink.stroke();
  ink.fillStyle = css(colourOf(theme, looks, hueOrder[hueOf(looks)(point)]));
  ink.fill();
  if (!theme.highContrast) return;
  ink.lineWidth = 1;
  ink.strokeStyle = css(theme.foreground);
  ink.stroke();
}

/** This file: a ring with a cross, which no row looks like. */
export function paintFile(ink: Ink, theme: Theme, x: number, y: number): void {
  for (const [colour, width] of [
    [theme.background, 4],
    [theme.foreground, 1.5],
  ] as const) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = width;
    ink.beginPath();
    ink.arc(x, y, 6, 0, 2 * Math.PI);
    for (const [across, down] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]) {
      // prettier-ignore
      ink.moveTo(x + across * 6, y + down * 6);
      ink.lineTo(x + across * 10, y + down * 10);
    }
    ink.stroke();
  }
}

export function paintRing(
  ink: Ink,
  theme: Theme,
  { peak, iteration }: FoundPoint,
  { x, y }: Scales,
  strong: boolean,
): void {
  for (const [colour, width] of strong
    ? ([
        [theme.background, 5],
        [theme.ring, 2],
      ] as const)
    : ([[theme.foreground, 1]] as const)) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = width;
    ink.beginPath();
    ink.arc(x(peak), y(iteration), frontSize / 2 + 4.5, 0, 2 * Math.PI);
    ink.stroke();
  }
}

function stroke(ink: Ink, corners: readonly (readonly [x: number, y: number])[]): void {
  ink.beginPath();
  for (const [x, y] of corners) ink.lineTo(x, y);
  ink.stroke();
}

import type { LaneTimeline, Sent } from '../values/exchangeTimeline.ts';
import type { Timeline } from '../values/timeline.ts';
import { bucketName, layerLooks, legsIn, repeatsAfter } from './lanes.ts';
import { legTop, type Sheet, xOf } from './sheet.ts';
import { points, textWidth, xmlText } from './xml.ts';

/** Pieces narrower than this are drawn as one, in the colour of the first. */
const leastWidth = 0.25;

/** The lanes of all devices. Pieces of the iterations before and after are drawn if they are in the figure. */
export function* laneShapes(timeline: Timeline, sheet: Sheet): Generator<string> {
  const { exchange } = timeline;
  if (exchange === undefined || sheet.leg === 0) return;
  const period = repeatsAfter(timeline);
  const shifts = period === undefined ? [0] : [-period, 0, period];
  yield `<g class="lanes" text-anchor="middle" font-size="5" stroke="none">\n`;
  for (const lane of exchange.lanes)
    for (const device of lane.plan.devices)
      for (const [index, leg] of legsIn(lane).entries()) {
        const top = legTop(sheet, device, index);
        for (const shift of shifts) yield* legShapes(lane, leg, sheet, top, shift);
      }
  yield '</g>\n';
  if (period === undefined || period >= sheet.seconds) return;
  const x = points(xOf(sheet, period));
  yield `<path class="period" d="M${x} ${points(sheet.top)}V${points(sheet.top + sheet.rows * sheet.pitch)}" fill="none" stroke="#000000" stroke-width="0.5" stroke-dasharray="2 1.5"/>\n`;
}

function* legShapes(lane: LaneTimeline, leg: Sent, sheet: Sheet, top: number, shift: number): Generator<string> {
  let row = 0;
  while (row < leg.length) {
    const first = row;
    const from = Math.max(0, leg.start[first] + shift);
    let until = leg.end[first] + shift;
    row += 1;
    // A stretch of pieces that no printer shows apart.
    while (row < leg.length && xOf(sheet, until) - xOf(sheet, from) < leastWidth) {
      if (xOf(sheet, leg.start[row] + shift) - xOf(sheet, from) >= leastWidth) break;
      until = leg.end[row] + shift;
      row += 1;
    }
    if (until <= from || from >= sheet.seconds) continue;
    yield piece(lane, leg, first, sheet, { top, from, until: Math.min(until, sheet.seconds) });
  }
}

function piece(
  lane: LaneTimeline,
  leg: Sent,
  row: number,
  sheet: Sheet,
  { top, from, until }: { readonly top: number; readonly from: number; readonly until: number },
): string {
  const bucket = leg.bucket[row];
  const { colour, text } = layerLooks[lane.buckets.front[bucket] % layerLooks.length];
  const [left, right] = [xOf(sheet, from), xOf(sheet, until)];
  const name = bucketName(lane, bucket);
  const shown = sheet.leg >= 6 && textWidth(name, 5) + 1 <= right - left;
  const label = shown
    ? `<text x="${points((left + right) / 2)}" y="${points(top + sheet.leg / 2 + 1.8)}" fill="${text}">${xmlText(name)}</text>`
    : '';
  // The calls of the pieces together: seconds that do not depend on their bytes.
  const calls = Math.min(right - left, xOf(sheet, leg.overhead[row] * leg.count[row]) - sheet.left);
  const call =
    calls >= 1 && from > 0
      ? `<rect x="${points(left)}" y="${points(top)}" width="${points(calls)}" height="${points(sheet.leg)}" fill="#000000" fill-opacity="0.35"/>`
      : '';
  // A white hairline parts neighbours, unless it would hide them.
  return `<rect class="piece" x="${points(left)}" y="${points(top)}" width="${points(right - left)}" height="${points(sheet.leg)}" fill="${colour}"${right - left >= 2 ? ' stroke="#ffffff" stroke-width="0.25"' : ''}/>${call}${label}\n`;
}

import { gapAt } from '../picture/blocks.ts';
import { type Layout, inside } from '../view/scene/layout.ts';
import { type RowMap, deviceAt, endDevice, firstDevice, groupAtRow, isFolded, isOpen } from '../view/scene/rowMap.ts';
import { rowShape } from '../view/scene/rowShape.ts';
import { type Bounds, type Viewport, timeAt } from '../view/scene/viewport.ts';
import { firstEndingAfter, hit } from '../picture/columns.ts';
import { pieceAt } from '../picture/lanes.ts';
import type { DeviceGroup } from '../picture/deviceGroups.ts';
import type { Picture } from '../picture/picture.ts';
import type { Target } from '../session/selection.ts';

/** What lies at a point of the timeline area. */
export type Picked =
  | { readonly kind: 'device'; readonly device: number }
  /** The caret of a group, or the name of a closed one. */
  | { readonly kind: 'group'; readonly group: DeviceGroup }
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'nothing' };

const nothing: Picked = { kind: 'nothing' };
/** Pixels around a block that still count as it: a block may be thinner than a pixel. */
const reach = 2;

export const rowAt = (view: Viewport, layout: Layout, y: number): number =>
  Math.floor((y - layout.rows.y + view.scroll) / view.rowHeight);

export function pickAt(picture: Picture, view: Viewport, layout: Layout, x: number, y: number): Picked {
  if (!inside(layout.rows, y)) return nothing;
  const row = rowAt(view, layout, y);
  if (row < 0 || row >= layout.map.rows) return nothing;
  if (x < layout.left) return nameAt(layout.map, row, x);
  const shape = rowShape(view.rowHeight, layout.map.mixed, layout.map.legs);
  const inRow = (y - layout.rows.y + view.scroll) % view.rowHeight;
  const time = timeAt(view, layout.plot, x - layout.left);
  const device = isFolded(layout.map, row)
    ? firstDevice(layout.map, row)
    : deviceAt(layout.map, row, inRow / view.rowHeight);
  if (shape.legs > 0 && inRow >= shape.exchangeTop - 1 && picture.lanes !== undefined) {
    const leg = Math.min(shape.legs - 1, Math.max(0, Math.floor((inRow - shape.exchangeTop) / shape.legHeight)));
    const below = inRow >= shape.exchangeTop + shape.legs * shape.legHeight;
    const margin = (reach / layout.plot) * (view.t1 - view.t0);
    const piece = below ? undefined : pieceAt(picture.lanes, device, leg, time, margin);
    if (!below) return piece === undefined ? nothing : { kind: 'target', target: { kind: 'piece', device, piece } };
  }
  const block = hit(picture.columns, time, device, inRow - shape.bandTop >= shape.bandHeight / 2);
  if (block >= 0) return { kind: 'target', target: { kind: 'block', block } };
  const margin = (reach / layout.plot) * (view.t1 - view.t0);
  const near = firstEndingAfter(picture.columns, device, time - margin);
  if (
    near < picture.columns.offsets[device + 1] &&
    picture.columns.start[near] <= time + margin &&
    picture.columns.end[near] - picture.columns.start[near] < margin
  ) {
    return { kind: 'target', target: { kind: 'block', block: near } };
  }
  const gap = gapAt(picture, device, time);
  return gap === undefined ? nothing : { kind: 'target', target: { kind: 'gap', gap } };
}

/** Pixels at the left of the names that belong to carets. */
export const caretWidth = 16;

function nameAt(map: RowMap, row: number, x: number): Picked {
  const group = groupAtRow(map, row);
  if (group !== undefined && (x < caretWidth || !isOpen(map, group))) return { kind: 'group', group };
  return { kind: 'device', device: firstDevice(map, row) };
}

type Point = readonly [x: number, y: number];

/** The stretch of time and the devices between two points; all devices where the first lies on the ruler. */
export function rangeOf(view: Viewport, layout: Layout, bounds: Bounds, a: Point, b: Point) {
  const time = (x: number) =>
    Math.max(0, Math.min(bounds.iteration ?? bounds.makespan, timeAt(view, layout.plot, x - layout.left)));
  const foot = layout.rows.y + layout.rows.height - 1;
  const row = (y: number) => Math.max(0, Math.min(bounds.rows - 1, rowAt(view, layout, Math.min(y, foot))));
  const [t0, t1] = [time(Math.min(a[0], b[0])), time(Math.max(a[0], b[0]))];
  const { map } = layout;
  if (a[1] < layout.rows.y) return { t0, t1, from: 0, to: map.devices - 1 };
  const [from, to] = [row(Math.min(a[1], b[1])), row(Math.max(a[1], b[1]))];
  return { t0, t1, from: firstDevice(map, from), to: endDevice(map, to) - 1 };
}

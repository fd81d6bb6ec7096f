import { type Rgb, css } from '../scene/colour.ts';
import { endDevice, firstDevice, isFolded, isShared, rowOf } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';
import { firstEndingAfter, firstStartingFrom } from '../../picture/columns.ts';

export type Ink = CanvasRenderingContext2D;

export const timeX = ({ layout, view }: Scene, time: number): number =>
  layout.left + ((time - view.t0) / (view.t1 - view.t0)) * layout.plot;

/** Top of a row in the timeline area. */
export const rowY = ({ layout, view }: Scene, row: number): number =>
  layout.rows.y + row * view.rowHeight - view.scroll;

/** Top of the row that shows a device. */
export const deviceY = (scene: Scene, device: number): number => rowY(scene, rowOf(scene.layout.map, device));

/** Rows in sight, first to last. */
export function rowsInSight({ layout, view }: Scene): readonly [number, number] {
  const first = Math.max(0, Math.floor(view.scroll / view.rowHeight));
  const last = Math.min(layout.map.rows - 1, Math.ceil((view.scroll + layout.rows.height) / view.rowHeight) - 1);
  return [first, last];
}

/** Devices of the rows in sight, first to last. */
export function devicesInSight(scene: Scene): readonly [number, number] {
  const [first, last] = rowsInSight(scene);
  const { map } = scene.layout;
  return last < first ? [0, -1] : [firstDevice(map, first), endDevice(map, last) - 1];
}

/** Whether the blocks of a device can be seen: it has a row for itself, or a row of devices that are all alike. */
export function hasBlocks({ layout: { map } }: Scene, device: number): boolean {
  const row = rowOf(map, device);
  return !isShared(map, row) || (isFolded(map, row) && firstDevice(map, row) === device);
}

/** Blocks in sight of a device: from, to (exclusive). */
export const blocksInSight = ({ picture, view }: Scene, row: number): readonly [number, number] => [
  firstEndingAfter(picture.columns, row, view.t0),
  firstStartingFrom(picture.columns, row, view.t1),
];

/** Whether a row has more blocks than people can see apart. */
export const isDense = (scene: Scene, count: number): boolean => count > scene.layout.plot / 3;

/** Left and right edge of a block, the gap to its neighbour left out, as the renderer draws it. */
export function blockEdges(scene: Scene, block: number): readonly [number, number] {
  const { start, end } = scene.picture.columns;
  const snap = (x: number) => Math.round((x - scene.layout.left) * scene.dpr) / scene.dpr + scene.layout.left;
  const left = snap(timeX(scene, start[block]));
  const right = snap(timeX(scene, end[block]));
  return [left, right - left >= 4 / scene.dpr ? right - 1 / scene.dpr : Math.max(right, left + 1 / scene.dpr)];
}

/** Paints inside a rectangle only. */
export function clipped(ink: Ink, x: number, y: number, width: number, height: number, paint: () => void): void {
  ink.save();
  ink.beginPath();
  ink.rect(x, y, width, height);
  ink.clip();
  paint();
  ink.restore();
}

const hatches = new Map<string, CanvasPattern>();
/** Lines at 45 degrees, `spacing` CSS pixels apart; `mirrored`: from the upper left down. */
export function hatch(
  ink: Ink,
  colour: Rgb,
  alpha: number,
  spacing: number,
  thickness: number,
  dpr: number,
  mirrored = false,
): CanvasPattern | string {
  const key = [colour, alpha, spacing, thickness, dpr, mirrored].join();
  const known = hatches.get(key);
  if (known !== undefined) return known;
  const size = Math.max(4, Math.round(spacing * dpr));
  const tile = new OffscreenCanvas(size, size);
  const pen = tile.getContext('2d');
  if (pen === null) return css(colour, alpha);
  pen.strokeStyle = css(colour, alpha);
  pen.lineWidth = thickness * dpr;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 2, size + 2);
    pen.lineTo(shift + size + 2, -2);
  }
  pen.stroke();
  const pattern = ink.createPattern(tile, 'repeat');
  if (pattern === null) return css(colour, alpha);
  pattern.setTransform(new DOMMatrix().scale(mirrored ? -1 / dpr : 1 / dpr, 1 / dpr));
  if (hatches.size > 64) hatches.clear();
  hatches.set(key, pattern);
  return pattern;
}

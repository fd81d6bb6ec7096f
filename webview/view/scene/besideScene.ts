import { firstEndingAfter, firstStartingFrom } from '../../picture/columns.ts';
import { type DriftedBlock, otherSide, type PairedColumns, type Side } from '../../picture/drift.ts';
import type { RowPair } from '../../picture/rowPairs.ts';
import type { Sight } from './jobScene.ts';
import type { Theme } from './theme.ts';

/** One moment of two timelines side by side, in CSS pixels. */
export interface BesideScene extends Sight {
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  /** Names are left of `left`; time runs from there over `plot` pixels. */
  readonly left: number;
  readonly plot: number;
  readonly rows: readonly RowPair[];
  /** A device has two bands, one above the other, and some ground under them. */
  readonly pitch: number;
  readonly band: number;
  readonly scroll: number;
  /** Seconds at which the timelines end; absent for one that has none. */
  readonly ends: Readonly<Partial<Record<Side, number>>>;
  /** Absent while operations are paired, and if they are too many. */
  readonly pair?: PairedColumns;
  /** Seconds from which on a difference is shown. */
  readonly tolerance: number;
  readonly pointed?: DriftedBlock;
  readonly selected?: DriftedBlock;
  /** Under the pointer, in seconds. */
  readonly cursor?: number;
  /** Row of the device that explains the difference; −1 for none. */
  readonly marked: number;
  readonly dpr: number;
}

export const besideRuler = 22;
const pitches = { least: 30, most: 144 };
/** Pixels at the right for the last end. */
const right = 14;
/** Pixels between the bands of a device. */
export const bandGap = 1;

/** Pixels that names take. */
export const besideNames = (width: number): number => (width < 520 ? 62 : width < 860 ? 96 : 136);

/** As high as there is room for; more rows are scrolled. */
export function besideRoom(width: number, height: number, rows: number) {
  const fitting = Math.floor((height - besideRuler - 2) / Math.max(1, rows));
  const pitch = Math.max(pitches.least, Math.min(pitches.most, fitting));
  const left = besideNames(width);
  return {
    left,
    plot: Math.max(1, width - left - right),
    pitch,
    band: Math.floor((pitch - bandGap - (pitch >= 44 ? 9 : 5)) / 2),
    tall: besideRuler + rows * pitch + 2,
  };
}

export const timeToX = ({ left, plot, t0, t1 }: BesideScene, time: number): number =>
  left + ((time - t0) / (t1 - t0)) * plot;

/** Top of a band of a row. */
export const bandTop = ({ pitch, band, scroll }: BesideScene, row: number, side: Side): number =>
  besideRuler + row * pitch - scroll + (side === 'upper' ? 2 : 2 + band + bandGap);

/** Rows in sight, first to last. */
export function besideRows({ rows, pitch, scroll, height }: BesideScene): readonly [number, number] {
  const first = Math.max(0, Math.floor(scroll / pitch));
  return [first, Math.min(rows.length - 1, Math.floor((scroll + height - besideRuler) / pitch))];
}

/** Blocks of a row in sight: from, to (exclusive). */
export function blocksOf({ pair, t0, t1 }: BesideScene, side: Side, row: RowPair): readonly [number, number] {
  const columns = pair?.columns[side];
  if (columns === undefined || row[side] < 0) return [0, 0];
  return [firstEndingAfter(columns, row[side], t0), firstStartingFrom(columns, row[side], t1)];
}

/** Left edge, top, width and height of a block; undefined if its row is not shown. */
export function blockBox(
  scene: BesideScene,
  { side, block }: DriftedBlock,
  row: number,
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } {
  const columns = scene.pair?.columns[side];
  const [start, end] = [columns?.start[block] ?? 0, columns?.end[block] ?? 0];
  const half = columns?.pair?.[block] ?? 0;
  const [x, to] = [timeToX(scene, start), timeToX(scene, end)];
  const height = half === 0 ? scene.band : scene.band / 2;
  return { x, y: bandTop(scene, row, side) + (half === 2 ? height : 0), width: Math.max(1, to - x), height };
}

/** What lies under a point: the side and the row, and the block of it if there is one. */
export function besideAt(
  scene: BesideScene,
  x: number,
  y: number,
): { readonly side: Side; readonly row: number; readonly time: number } | undefined {
  const row = Math.floor((y - besideRuler + scene.scroll) / scene.pitch);
  if (y < besideRuler || row < 0 || row >= scene.rows.length || x < scene.left) return undefined;
  const side = y < bandTop(scene, row, 'lower') ? 'upper' : 'lower';
  if (y > bandTop(scene, row, side) + scene.band) return undefined;
  return { side, row, time: scene.t0 + ((x - scene.left) / scene.plot) * (scene.t1 - scene.t0) };
}

/** The same operation of the other timeline. */
export function partnerOf({ partners }: PairedColumns, { side, block }: DriftedBlock): DriftedBlock | undefined {
  const partner = partners[side][block];
  return partner < 0 ? undefined : { side: otherSide(side), block: partner };
}

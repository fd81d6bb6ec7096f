import { type MemoryBands, bandShares } from '../../picture/memoryBands.ts';
import { horizonOf } from '../../picture/columns.ts';
import type { Scene } from '../scene/scene.ts';
import { mix } from '../scene/colour.ts';
import { css } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';
import type { Labels } from './labels.ts';

/** Pairs of shares between which a band lies, the widest first, and how much of the foreground each band has. */
const bands = [
  [0, 6, 0.13],
  [1, 5, 0.22],
  [2, 4, 0.34],
] as const;
const median = 3;
/** The first ones have the choice of room. */
const named = [
  [median, 'median'],
  [5, '90 %'],
  [1, '10 %'],
] as const;

/** Many devices: all, those between a tenth and nine tenths, those between the quarters, and the median. */
export function paintMemoryBands(
  ink: Ink,
  scene: Scene,
  { t0, t1, columns, levels }: MemoryBands,
  y: (level: number) => number,
): void {
  const { theme, layout } = scene;
  const edge = (column: number) => timeX(scene, t0 + ((t1 - t0) * column) / columns);
  const level = (column: number, share: number) => y(levels[column * bandShares.length + share]);
  const end = Math.min(timeX(scene, horizonOf(scene.picture.columns)), layout.left + layout.plot);
  for (const [low, high, strength] of bands) {
    ink.beginPath();
    for (let column = 0; column < columns; column += 1) {
      ink.lineTo(edge(column), level(column, high));
      ink.lineTo(Math.min(end, edge(column + 1)), level(column, high));
    }
    for (let column = columns - 1; column >= 0; column -= 1) {
      ink.lineTo(Math.min(end, edge(column + 1)), level(column, low));
      ink.lineTo(edge(column), level(column, low));
    }
    ink.fillStyle = css(mix(theme.background, theme.foreground, theme.highContrast ? strength * 1.5 : strength));
    ink.fill();
  }
  ink.beginPath();
  for (let column = 0; column < columns; column += 1) {
    ink.lineTo(edge(column), level(column, median));
    ink.lineTo(Math.min(end, edge(column + 1)), level(column, median));
  }
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1.3;
  ink.stroke();
}

/** Shares of the chart's width at which names begin. */
const places = [0.62, 0.76, 0.48, 0.88, 0.34];

/** One above the other, over no other name of the chart. Bands that are thinner than a text have the name of the median alone. */
export function nameMemoryBands(
  { theme, layout }: Scene,
  { columns, levels }: MemoryBands,
  y: (level: number) => number,
  names: Labels,
): void {
  if (layout.plot < 360) return;
  for (const place of places) {
    const x = layout.left + layout.plot * place;
    const row = Math.floor(columns * place) * bandShares.length;
    const write = ([share, name]: (typeof named)[number]): boolean =>
      names.write(name, theme.foreground, [[x, y(levels[row + share]), 'left']], 400);
    const [middle, ...others] = named;
    if (!write(middle)) continue;
    for (const other of others) write(other);
    return;
  }
}

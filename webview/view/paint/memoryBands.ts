import { type MemoryBands, bandShares } from '../../picture/memoryBands.ts';
import { horizonOf } from '../../picture/columns.ts';
import type { Scene } from '../scene/scene.ts';
import { mix } from '../scene/colour.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';

/** Pairs of shares between which a band lies, the widest first, and how much of the foreground each band has. */
const bands = [
  [0, 6, 0.13],
  [1, 5, 0.22],
  [2, 4, 0.34],
] as const;
const median = 3;
const named = [
  [5, '90 %'],
  [median, 'median'],
  [1, '10 %'],
] as const;
/** Pixels between two names. */
const leastApart = 13;

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
  paintNames(ink, scene, columns, level);
}

/** In the middle of the chart, if they have room there. */
function paintNames(
  ink: Ink,
  { theme, layout }: Scene,
  columns: number,
  level: (column: number, share: number) => number,
): void {
  if (layout.plot < 360) return;
  const column = Math.floor(columns * 0.62);
  const x = layout.left + layout.plot * 0.62;
  ink.font = font(theme, 10);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  let above = Number.NEGATIVE_INFINITY;
  for (const [share, name] of named) {
    const at = level(column, share);
    if (at - above < leastApart) continue;
    above = at;
    ink.lineWidth = 3;
    ink.strokeStyle = css(theme.background);
    ink.strokeText(name, x, at);
    ink.fillStyle = css(theme.foreground);
    ink.fillText(name, x, at);
  }
}

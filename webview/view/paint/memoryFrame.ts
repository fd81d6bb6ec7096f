import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import type { MemoryAxis } from './memoryAxis.ts';
import { limitColour } from '../scene/limitColour.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, clipped, hatch } from './canvas.ts';
import type { Labels } from './labels.ts';

/** Name and ticks of a memory chart. `of`: whose memory it is. */
export function paintMemoryAxis(
  ink: Ink,
  { layout, theme, plan }: Scene,
  axis: Pick<MemoryAxis, 'ticks' | 'unit' | 'bottom' | 'cut'>,
  of: string,
  name = 'Memory',
): void {
  const panel = layout.memory;
  // The peak says what a timeline without a model counts in.
  const unit = plan.unitTimes === true ? '' : axis.unit;
  const narrow = layout.left < 96;
  const from = narrow ? 7 : 14;
  clipped(ink, 0, panel.y, layout.left - 2, panel.height, () => {
    ink.textBaseline = 'middle';
    ink.textAlign = 'left';
    ink.font = font(theme, narrow ? 11 : 12, 600);
    ink.fillStyle = css(theme.foreground);
    ink.fillText(layout.left < 60 ? name.slice(0, 4).replace('Memo', 'Mem') : name, from, panel.y + 12);
    ink.font = font(theme, 11);
    ink.fillStyle = css(theme.dim);
    if (narrow) ink.fillText(unit, from, axis.bottom);
    else {
      const long = [of, unit].filter((part) => part !== '').join(', ');
      const fits = from + ink.measureText(long).width < layout.left - 34;
      ink.fillText(fits ? long : unit, from, panel.y + 28);
    }
    ink.textAlign = 'right';
    for (const { at, text } of axis.ticks)
      if (!narrow || at > panel.y + 26) ink.fillText(text, layout.left - 8, Math.round(at) + 0.5);
  });
  ink.strokeStyle = css(theme.line, 0.5);
  ink.lineWidth = 1;
  ink.beginPath();
  for (const { at } of axis.ticks) {
    ink.moveTo(layout.left, Math.round(at) + 0.5);
    ink.lineTo(layout.left + layout.plot, Math.round(at) + 0.5);
  }
  ink.stroke();
  if (axis.cut !== undefined) paintCut(ink, layout.left, axis.cut, css(theme.dim));
  if (axis.cut !== undefined) paintCut(ink, layout.left + layout.plot, axis.cut, css(theme.dim));
}

/** Two strokes across the axis: what is between is left out. */
function paintCut(ink: Ink, x: number, y: number, colour: string): void {
  ink.strokeStyle = colour;
  ink.lineWidth = 1;
  ink.beginPath();
  for (const offset of [-2, 2]) {
    ink.moveTo(x - 5, y + offset + 3);
    ink.lineTo(x + 4, y + offset - 3);
  }
  ink.stroke();
}

/** The highest level that the chart shows, and the limit that it is compared with. */
interface Filled {
  readonly peak: number;
  readonly capacity: number;
}

/** What no device has, behind the levels. */
export function paintOverLimit(
  ink: Ink,
  { layout, theme, dpr }: Scene,
  { top, limit }: MemoryAxis,
  { peak, capacity }: Filled,
): void {
  const colour = limitColour(theme, peak, capacity);
  const strong = peak > capacity || theme.highContrast;
  ink.fillStyle = css(colour, strong ? 0.14 : 0.06);
  ink.fillRect(layout.left, top, layout.plot, limit - top);
  ink.fillStyle = hatch(ink, colour, strong ? 0.5 : 0.22, 6, 1, dpr);
  ink.fillRect(layout.left, top, layout.plot, limit - top);
}

/** The limit, over the levels, with its name at the right. */
export function paintLimit(
  ink: Ink,
  { layout, theme, plan }: Scene,
  { top, limit }: MemoryAxis,
  { peak, capacity }: Filled,
  labels: Labels,
): void {
  const colour = limitColour(theme, peak, capacity);
  const right = layout.left + layout.plot;
  ink.strokeStyle = css(colour);
  const over = peak > capacity;
  const y = over ? Math.round(limit) : Math.floor(limit) + 0.5;
  ink.lineWidth = over ? 2 : 1;
  ink.setLineDash([5, 4]);
  ink.beginPath();
  ink.moveTo(layout.left, y);
  ink.lineTo(right, y);
  ink.stroke();
  ink.setLineDash([]);
  const middle = limit - top >= 24 ? limit - 9 : (top + limit) / 2;
  labels.write(`limit ${memoryAmount(capacity, plan.unitTimes)}`, colour, [[right - 5, middle, 'right']]);
}

import { scaleLinear } from 'd3-scale';
import { moment } from '../../../engine/basics/quantities.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';

const tickSpacing = 110;

/** Round times in sight, and how to write them: all in one unit, with the digits that tell them apart. */
export function ticks(t0: number, t1: number, width: number): { readonly at: number; readonly text: string }[] {
  const scale = scaleLinear().domain([t0, t1]);
  const at = scale.ticks(Math.max(2, Math.floor(width / tickSpacing)));
  const size = Math.max(Math.abs(t0), Math.abs(t1));
  const [unit, factor] = size >= 1 ? ['s', 1] : size >= 1e-3 ? ['ms', 1e3] : size >= 1e-6 ? ['µs', 1e6] : ['ns', 1e9];
  const step = at.length > 1 ? (at[1] - at[0]) * factor : 1;
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  return at.map((tick) => ({ at: tick, text: tick === 0 ? '0' : `${(tick * factor).toFixed(digits)} ${unit}` }));
}

export function paintRuler(ink: Ink, scene: Scene): void {
  const { layout, theme, view } = scene;
  const { ruler, memory } = layout;
  ink.font = font(theme, 11);
  ink.textBaseline = 'middle';
  ink.textAlign = 'center';
  for (const { at, text } of ticks(view.t0, view.t1, layout.plot)) {
    const x = Math.round(timeX(scene, at)) + 0.5;
    if (x < layout.left - 1 || x > layout.left + layout.plot + 1) continue;
    ink.fillStyle = css(theme.dim);
    const half = ink.measureText(text).width / 2;
    ink.fillText(text, Math.min(x, layout.width - half - 2), ruler.y + 10);
    ink.strokeStyle = css(theme.line, 0.55);
    ink.lineWidth = 1;
    ink.beginPath();
    ink.moveTo(x, ruler.y + 20);
    ink.lineTo(x, ruler.y + ruler.height);
    ink.moveTo(x, memory.y + 4);
    ink.lineTo(x, memory.y + memory.height - 10);
    ink.stroke();
  }
}

/** The time under the pointer: a badge on the ruler, a dotted line down to the memory. */
export function paintCursor(ink: Ink, scene: Scene): void {
  const { layout, theme, view, cursor } = scene;
  if (cursor === undefined || cursor < view.t0 || cursor > view.t1) return;
  const x = Math.round(timeX(scene, cursor)) + 0.5;
  ink.strokeStyle = css(theme.dim, 0.7);
  ink.lineWidth = 1;
  ink.setLineDash([2, 3]);
  ink.beginPath();
  ink.moveTo(x, layout.ruler.y + layout.ruler.height - 4);
  ink.lineTo(x, layout.memory.y + layout.memory.height);
  ink.stroke();
  ink.setLineDash([]);
  const text = moment(cursor);
  ink.font = font(theme, 11, 600);
  const width = ink.measureText(text).width + 12;
  const left = Math.max(layout.left, Math.min(layout.left + layout.plot - width, x - width / 2));
  ink.fillStyle = css(theme.foreground);
  ink.beginPath();
  ink.roundRect(left, layout.ruler.y + 1, width, 18, 3);
  ink.fill();
  ink.fillStyle = css(theme.background);
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  ink.fillText(text, left + width / 2, layout.ruler.y + 10.5);
}

import { scaleLinear } from 'd3-scale';
import { bytes } from '../../../engine/quantities.ts';
import { curve, firstOverLimit, highest, memoryRange, worstDevice } from '../../picture/memoryLevel.ts';
import { type Scene } from '../scene/scene.ts';
import { deviceOf } from '../../picture/blocks.ts';
import { css, font } from '../scene/theme.ts';
import type { Rgb } from '../scene/colour.ts';
import { paintPlayedMemory } from './played.ts';
import { type Ink, clipped, hatch, timeX } from './canvas.ts';
import { paintMemoryBands } from './memoryBands.ts';
import { selectedDevice } from '../../session/selection.ts';

const unit = 2 ** 30;

export function paintMemory(ink: Ink, scene: Scene): void {
  const { layout, theme, picture, plan } = scene;
  const panel = layout.memory;
  if (panel.height < 60) return;
  const { devices } = picture.report;
  const [low, high] = memoryRange(picture);
  const top = panel.y + 14;
  const bottom = panel.y + panel.height - 10;
  const y = (level: number) => bottom - ((level - low) / (high - low)) * (bottom - top);
  const worst = worstDevice(picture.report);
  const chosen = selectedDevice(scene.selection, (block) => deviceOf(picture, block));

  ink.textBaseline = 'middle';
  ink.textAlign = 'left';
  ink.font = font(theme, 12, 600);
  ink.fillStyle = css(theme.foreground);
  ink.fillText('Memory', 14, top + 4);
  ink.font = font(theme, 11);
  ink.fillStyle = css(theme.dim);
  const large = high >= unit;
  ink.fillText(`per device, ${large ? 'GiB' : 'MiB'}`, 14, top + 20);
  const scale = large ? unit : 2 ** 20;
  for (const tick of scaleLinear()
    .domain([low / scale, high / scale])
    .ticks(Math.max(2, Math.floor(panel.height / 45)))) {
    const at = Math.round(y(tick * scale)) + 0.5;
    if (at < top + 30 && layout.left < 110) continue;
    ink.textAlign = 'right';
    ink.fillStyle = css(theme.dim);
    ink.fillText(`${tick}`, layout.left - 8, at);
    ink.strokeStyle = css(theme.line, 0.5);
    ink.lineWidth = 1;
    ink.beginPath();
    ink.moveTo(layout.left, at);
    ink.lineTo(layout.left + layout.plot, at);
    ink.stroke();
  }

  clipped(ink, layout.left, panel.y, layout.plot, panel.height, () => {
    const base = y(picture.memory[worst].base);
    ink.fillStyle = css(theme.dim, 0.12);
    ink.fillRect(layout.left, base, layout.plot, bottom - base);
    const capacity = devices[worst].capacity;
    const limit = capacity <= high ? y(capacity) : undefined;
    if (limit !== undefined) {
      ink.fillStyle = css(theme.error, 0.14);
      ink.fillRect(layout.left, panel.y, layout.plot, limit - panel.y);
      ink.fillStyle = hatch(ink, theme.error, 0.5, 6, 1, scene.dpr);
      ink.fillRect(layout.left, panel.y, layout.plot, limit - panel.y);
    }
    if (scene.bands !== undefined) paintMemoryBands(ink, scene, scene.bands, y);
    else
      for (let device = 0; device < devices.length; device += 1)
        if (device !== worst && device !== chosen) line(ink, scene, device, y, theme.dim, 0.4, 1);
    line(ink, scene, worst, y, theme.foreground, 1, 1.75);
    if (chosen >= 0) line(ink, scene, chosen, y, theme.focus, 1, 2);
    if (limit !== undefined) {
      ink.strokeStyle = css(theme.error);
      ink.lineWidth = 1.5;
      ink.setLineDash([5, 4]);
      ink.beginPath();
      ink.moveTo(layout.left, limit);
      ink.lineTo(layout.left + layout.plot, limit);
      ink.stroke();
      ink.setLineDash([]);
    }
    const limitText = `limit ${bytes(capacity)}${limit === undefined ? ' (above)' : ''}`;
    tag(ink, scene, limitText, layout.left + layout.plot - 6, limit ?? panel.y + 8, theme.error, 'right');
    const peak = highest(picture.memory[worst]);
    mark(ink, scene, peak.at, y(peak.bytes), theme.foreground, `${plan.devices[worst].name} peak ${bytes(peak.bytes)}`);
    if (chosen >= 0 && chosen !== worst) {
      const peak = highest(picture.memory[chosen]);
      mark(ink, scene, peak.at, y(peak.bytes), theme.focus, `${plan.devices[chosen].name} peak ${bytes(peak.bytes)}`);
    }
    const over = firstOverLimit(picture.memory[worst]);
    if (over !== undefined && limit !== undefined) paintOver(ink, scene, over, limit);
    paintPlayedMemory(ink, scene, y);
    if (bottom - base > 16) {
      ink.font = font(theme, 11);
      ink.textAlign = 'left';
      ink.fillStyle = css(theme.dim);
      ink.fillText('weights + gradients + optimizer state', layout.left + 8, bottom - 9);
    }
  });
}

function line(
  ink: Ink,
  scene: Scene,
  device: number,
  y: (level: number) => number,
  colour: Rgb,
  alpha: number,
  width: number,
): void {
  const { layout, view, picture } = scene;
  const points = curve(picture.memory[device], view.t0, view.t1, layout.plot);
  ink.beginPath();
  ink.moveTo(layout.left, y(points[1]));
  for (let at = 2; at < points.length; at += 2) {
    const x = timeX(scene, points[at]);
    ink.lineTo(x, y(points[at - 1]));
    ink.lineTo(x, y(points[at + 1]));
  }
  ink.lineTo(Math.min(layout.left + layout.plot, timeX(scene, picture.columns.makespan)), y(points[points.length - 1]));
  ink.strokeStyle = css(colour, alpha);
  ink.lineWidth = width;
  ink.lineJoin = 'miter';
  ink.stroke();
}

function tag(ink: Ink, scene: Scene, text: string, x: number, y: number, colour: Rgb, align: 'left' | 'right'): void {
  ink.font = font(scene.theme, 11, 600);
  const width = ink.measureText(text).width;
  ink.fillStyle = css(scene.theme.background, 0.85);
  ink.fillRect(align === 'right' ? x - width - 4 : x - 4, y - 8, width + 8, 16);
  ink.fillStyle = css(colour);
  ink.textAlign = align;
  ink.fillText(text, x, y + 0.5);
}

function mark(ink: Ink, scene: Scene, time: number, y: number, colour: Rgb, text: string): void {
  const x = timeX(scene, time);
  ink.fillStyle = css(colour);
  ink.beginPath();
  ink.arc(x, y, 3.5, 0, 2 * Math.PI);
  ink.fill();
  const right = x > scene.layout.left + scene.layout.plot * 0.7;
  tag(
    ink,
    scene,
    text,
    right ? x - 9 : x + 9,
    Math.max(scene.layout.memory.y + 8, y - 10),
    colour,
    right ? 'right' : 'left',
  );
}

/** Where the limit is first passed. */
function paintOver(ink: Ink, scene: Scene, time: number, limit: number): void {
  const x = timeX(scene, time);
  ink.fillStyle = css(scene.theme.error);
  ink.beginPath();
  ink.arc(x, limit, 8, 0, 2 * Math.PI);
  ink.fill();
  ink.fillStyle = css(scene.theme.background);
  ink.font = font(scene.theme, 12, 700);
  ink.textAlign = 'center';
  ink.fillText('!', x, limit + 0.5);
}

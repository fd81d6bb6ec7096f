import type { MemoryTrack } from '../../../engine/simulate/memory.ts';
import { curve } from '../../picture/memoryLevel.ts';
import type { Rgb } from '../scene/colour.ts';
import { horizonOf } from '../../picture/columns.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';

/** Bytes over time as a line of steps. `y`: place of a level. */
export function levelLine(
  ink: Ink,
  scene: Scene,
  track: MemoryTrack,
  y: (level: number) => number,
  colour: Rgb,
  alpha: number,
  width: number,
): void {
  const { layout, view, picture } = scene;
  const points = curve(track, view.t0, view.t1, layout.plot);
  ink.beginPath();
  ink.moveTo(layout.left, y(points[1]));
  for (let at = 2; at < points.length; at += 2) {
    const x = timeX(scene, points[at]);
    ink.lineTo(x, y(points[at - 1]));
    ink.lineTo(x, y(points[at + 1]));
  }
  ink.lineTo(
    Math.min(layout.left + layout.plot, timeX(scene, horizonOf(picture.columns))),
    y(points[points.length - 1]),
  );
  ink.strokeStyle = css(colour, alpha);
  ink.lineWidth = width;
  ink.lineJoin = 'miter';
  ink.stroke();
}

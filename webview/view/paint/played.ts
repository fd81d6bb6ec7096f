import type { MemoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryAfter } from '../../picture/memoryLevel.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, timeX } from './canvas.ts';

/** How much of the future stays to be seen. */
const future = 0.35;
const futureInHighContrast = 0.6;
const mostDots = 64;

/** While the iteration is played: what the cursor has not reached fades. */
export function paintPlayed(ink: Ink, scene: Scene): void {
  const { layout, played } = scene;
  if (played === undefined) return;
  fade(ink, scene, layout.rows.y, layout.rows.height, played);
  cursor(ink, scene, layout.ruler.y + layout.ruler.height - 6, layout.rows.y + layout.rows.height, played);
}

/** The same in the memory chart, with a dot on each curve. `y`: place of a level. */
export function paintPlayedMemory(
  ink: Ink,
  scene: Scene,
  tracks: readonly MemoryTrack[],
  y: (bytes: number) => number,
): void {
  const { layout, played, theme } = scene;
  if (played === undefined) return;
  const { memory } = layout;
  fade(ink, scene, memory.y, memory.height, played);
  cursor(ink, scene, memory.y, memory.y + memory.height, played);
  const x = timeX(scene, played);
  const step = Math.max(1, Math.ceil(tracks.length / mostDots));
  for (let device = 0; device < tracks.length; device += step) {
    ink.beginPath();
    ink.arc(x, y(memoryAfter(tracks[device], played)), 3, 0, 2 * Math.PI);
    ink.fillStyle = css(theme.foreground);
    ink.fill();
    ink.strokeStyle = css(theme.background);
    ink.lineWidth = 1;
    ink.stroke();
  }
}

function fade(ink: Ink, scene: Scene, top: number, height: number, played: number): void {
  const { layout, theme } = scene;
  const from = Math.max(layout.left, timeX(scene, played));
  const to = layout.left + layout.plot;
  if (from >= to) return;
  ink.fillStyle = css(theme.background, 1 - (theme.highContrast ? futureInHighContrast : future));
  ink.fillRect(from, top, to - from, height);
}

function cursor(ink: Ink, scene: Scene, top: number, bottom: number, played: number): void {
  const { layout, theme } = scene;
  const x = Math.round(timeX(scene, played));
  if (x < layout.left || x > layout.left + layout.plot) return;
  ink.fillStyle = css(theme.ring);
  ink.fillRect(x, top, 1, bottom - top);
}

import type { Rgb } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { css, font } from '../scene/theme.ts';
import type { Ink } from './canvas.ts';

/** A place for a text: its end or start, and its middle. */
export type LabelPlace = readonly [x: number, y: number, align: 'left' | 'right'];

export interface Labels {
  /** At the first place where it is in sight and over no other; false if there is none. */
  write(text: string, colour: Rgb, places: readonly LabelPlace[], weight?: number): boolean;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
const half = 7;

/** Names in the memory chart: none is ever over another. The first ones have the choice. */
export function labels(ink: Ink, { layout, theme }: Scene): Labels {
  const placed: Box[] = [];
  const { left, plot, memory } = layout;
  const area = { left, right: left + plot, top: memory.y, bottom: memory.y + memory.height };
  return {
    write(text, colour, places, weight = 600) {
      ink.font = font(theme, 11, weight);
      const { width } = ink.measureText(text);
      for (const [x, y, align] of places) {
        const start = align === 'left' ? x : x - width;
        const box = { left: start - 3, right: start + width + 3, top: y - half, bottom: y + half };
        if (box.left < area.left || box.right > area.right || box.top < area.top || box.bottom > area.bottom) continue;
        if (placed.some((other) => overlaps(other, box))) continue;
        placed.push(box);
        ink.fillStyle = css(theme.background, 0.85);
        ink.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
        ink.fillStyle = css(colour);
        ink.textAlign = 'left';
        ink.textBaseline = 'middle';
        ink.fillText(text, start, y + 0.5);
        return true;
      }
      return false;
    },
  };
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Round a point: over it, then under it, at its right and at its left. */
export const aroundPoint = (x: number, y: number): readonly LabelPlace[] => [
  [x + 7, y - 10, 'left'],
  [x - 7, y - 10, 'right'],
  [x + 8, y + 11, 'left'],
  [x - 8, y + 11, 'right'],
];

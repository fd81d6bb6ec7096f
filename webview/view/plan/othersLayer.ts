import type { PlanSearchState } from '../../session/planFound.ts';
import type { Ink } from '../paint/canvas.ts';
import { mix } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';
import { type Frame, isInside, type Scales } from './frame.ts';
import { hueOf, hueOrder, type Looks, shapeOf } from './looks.ts';
import { drawMarks, maskOf, shapes } from './marks.ts';
import { colourOf } from './plotPaint.ts';

/** Sizes of marks in CSS pixels; of one in a crowd. */
const sizes = { other: 8, crowded: 5 };
const crowd = 2_000;
/** How much of its colour a mark has that is not on the front, and one that misses a limit. */
const strength = { other: 0.5, misses: 0.4, highContrast: 0.65 };

/** All points but the front: up to a hundred thousand, drawn once. */
export function othersLayer() {
  let layer: OffscreenCanvas | undefined;
  let layerKey = '';
  let outside = 0;

  /** All points but the front, as pixels that are kept until something about them changes. */
  function paint(
    ink: Ink,
    { search, looks, theme }: { readonly search: PlanSearchState; readonly looks: Looks; readonly theme: Theme },
    frame: Frame,
    scales: Scales,
    { width, height, dpr }: { readonly width: number; readonly height: number; readonly dpr: number },
  ): void {
    const { points, front } = search;
    const key = JSON.stringify([points.length, front.map(({ row }) => row), frame, width, height, dpr, theme, looks]);
    if (key !== layerKey || layer === undefined) {
      layerKey = key;
      const onFront = new Set(front);
      const others = points.filter((each) => !onFront.has(each) && isInside(frame, each));
      outside = points.length - others.length - front.filter((each) => isInside(frame, each)).length;
      // Those that miss a limit lie under the others.
      const sorted = [...others.filter(({ meets }) => !meets), ...others.filter(({ meets }) => meets)];
      const hues = hueOrder.map((number) => colourOf(theme, looks, number));
      const faded = (share: number) =>
        hues.map((each) => mix(theme.background, each, theme.highContrast ? strength.highContrast : share));
      const size = Math.round((points.length > crowd ? sizes.crowded : sizes.other) * dpr);
      const image = new ImageData(width, height);
      const [shape, hue] = [shapeOf(looks), hueOf(looks)];
      drawMarks(
        image,
        {
          x: Float32Array.from(sorted, ({ peak }) => scales.x(peak) * dpr),
          y: Float32Array.from(sorted, ({ iteration }) => scales.y(iteration) * dpr),
          shape: Uint8Array.from(sorted, shape),
          colour: Uint8Array.from(sorted, (each) => hue(each) + (each.meets ? hues.length : 0)),
        },
        shapes.map((shape) => maskOf(shape, size)),
        [...faded(strength.misses), ...faded(strength.other)],
      );
      layer = new OffscreenCanvas(width, height);
      layer.getContext('2d')?.putImageData(image, 0, 0);
    }
    ink.save();
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.drawImage(layer, 0, 0);
    ink.restore();
  }

  return {
    paint,
    /** Points that the frame leaves out. */
    outside: () => outside,
  };
}

import { type FigureOptions, timelineSvg } from '../../../engine/drawing/timelineSvg.ts';
import type { Run } from '../../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { rasterise } from '../../../platform/node/raster.ts';

export const made = { file: 'a.pipe', version: '1.2.3' };

export const svgOf = (plan: PipelinePlan, run: Run, options: Partial<FigureOptions> = {}): string =>
  [...timelineSvg(plan, run, { ...made, width: '7in', memory: false, ...options })].join('');

/** Throws unless the text is well-formed XML and SVG: a strict parser in another language reads it. */
export const readStrictly = async (svg: string): Promise<Uint8Array> => (await rasterise({ svg, scale: 1 })).bytes;

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
}

/** Rectangles of each block, in the order of the file, and the numbers on them. */
export function blocksIn(svg: string): { readonly parts: readonly Rectangle[]; readonly label?: string }[] {
  return [...svg.matchAll(/<g>(<rect.*)<\/g>/g)].map(([, inner]) => {
    const label = /<text[^>]*>([^<]*)</.exec(inner)?.[1];
    const parts = [...inner.matchAll(/<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)" fill="(.*?)"/g)].map(
      ([, x, y, width, height, fill]) => ({
        x: Number(x),
        y: Number(y),
        width: Number(width),
        height: Number(height),
        fill,
      }),
    );
    return label === undefined ? { parts } : { parts, label };
  });
}

/** Left and right end of the time axis. */
export function axisIn(svg: string): readonly [number, number] {
  const found = /<g class="axis"[^>]*>\n<path[^>]* d="M([\d.]+) [\d.]+H([\d.]+)/.exec(svg);
  return [Number(found?.[1]), Number(found?.[2])];
}

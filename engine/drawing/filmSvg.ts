/** A run as a film: the figure with memory, in which blocks appear as they run. An animated SVG without script plays in a slide and in a README. */
import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { type Detail, finest } from './detail.ts';
import type { Playing } from './playing.ts';
import { lanesOf } from './raster.ts';
import { paperWidths } from './sheet.ts';
import { type FigureOptions, timelineSvg } from './timelineSvg.ts';

export interface FilmOptions extends Pick<FigureOptions, 'file' | 'version' | 'width'> {
  readonly playing: Playing;
}

/** Of a film, whatever the run: people wait for an image of a page. */
export const mostFilmBytes = 300_000;

const pixelled = [3, 2, 1].map((pixels): Detail => ({ ...finest, mostShapes: 0, pixels }));
/** From the finest. The last one needs at most 40 rows of 500 pixels and 2 halves, whatever the run: 220 kB. */
const details: readonly Detail[] = [
  { ...finest, mostShapes: Number.POSITIVE_INFINITY },
  ...pixelled,
  ...pixelled.map((detail): Detail => ({ ...detail, exchange: false })),
  ...[80, 40].map((mostRows): Detail => ({ mostShapes: 0, pixels: 1, mostRows, exchange: false })),
];

/** The film in the finest detail that it has room for. */
export function filmSvg(plan: PipelinePlan, run: Run, options: FilmOptions): string {
  const parts = (detail: Detail): Iterable<string> => timelineSvg(plan, run, { ...options, memory: true, detail });
  for (const detail of details) {
    if (leastBytes(plan, run, options, detail) > mostFilmBytes) continue;
    const text = within(mostFilmBytes, parts(detail));
    if (text !== undefined) return text;
  }
  // Only names of a file are that long.
  return [...parts(details[details.length - 1])].join('');
}

/** Of the rows alone, without drawing them. */
function leastBytes({ devices }: PipelinePlan, run: Run, { width }: FilmOptions, detail: Detail): number {
  const blocks = run.program.order.length;
  if (blocks <= detail.mostShapes) return blocks * shapeBytes;
  const lines = Math.min(devices.length, detail.mostRows) * lanesOf(run).length;
  return lines * rowShare * paperWidths[width] * detail.pixels * pixelBytes;
}

/** Of an empty `<g><rect …/></g>`. */
const shapeBytes = 60;
/** Names take at most the rest of the width. */
const rowShare = 0.7;
/** Four channels in base64. */
const pixelBytes = (4 * 4) / 3;

/** The parts together; undefined as soon as they are too long. */
function within(most: number, parts: Iterable<string>): string | undefined {
  let text = '';
  let bytes = 0;
  for (const part of parts) {
    text += part;
    bytes += bytesOf(part);
    if (bytes > most) return undefined;
  }
  return text;
}

/** In UTF-8, at most: three for a character that is not ASCII. */
const bytesOf = (text: string): number => text.length + 2 * (text.match(/[^\0-\x7f]/g)?.length ?? 0);

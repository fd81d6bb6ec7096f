import { time } from '../../engine/basics/quantities.ts';
import { blockLengths } from './blockLengths.ts';
import type { Columns } from './columns.ts';
import { areBlocksDrawn } from './levelOfDetail.ts';

/**
 * What a pixel stands for where operations are too short to be drawn as blocks: `1 px = 12.5 ms = 5 operations of one device, mixed
 * by share of time`, in parts of which a narrow page leaves out the last ones. Empty where they are drawn. `secondsPerPixel`: of CSS
 * pixels.
 */
export function scaleWords(columns: Columns, secondsPerPixel: number): readonly string[] {
  const length = blockLengths(columns).mean;
  if (areBlocksDrawn(columns, secondsPerPixel)) return [];
  const operations = secondsPerPixel / length;
  const pixel = `1 px = ${time(secondsPerPixel)}`;
  if (operations < 0.95)
    return [pixel, `, operations are ${(1 / operations).toFixed(1)} px wide`, ', mixed by share of time'];
  const whole = Math.round(operations);
  const words = whole === 1 ? '1 operation' : `${whole.toLocaleString('en-US')} operations`;
  return [pixel, ` = ${words}`, ' of one device, mixed by share of time'];
}

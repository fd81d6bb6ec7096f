import { blockLengths } from './blockLengths.ts';
import { narrowestParts } from './labels.ts';
import { highest } from './memoryLevel.ts';
import type { Picture } from './picture.ts';
import { secondsByKind } from './rangeFigures.ts';

/**
 * Works out what the page asks of a whole timeline as soon as it shows it. The worker draws the blocks meanwhile, so that the page
 * has nothing left to add up when they arrive.
 */
export function prepare(picture: Picture): void {
  const { columns, memory } = picture;
  narrowestParts(columns);
  secondsByKind(picture);
  blockLengths(columns);
  for (const track of memory) highest(track);
}

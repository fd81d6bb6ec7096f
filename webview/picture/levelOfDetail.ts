import { blockLengths } from './blockLengths.ts';
import type { Columns } from './columns.ts';

/** How operations are drawn. Hills are shares of time stacked on each other, and mixed colours are shares of time in one colour. */
export type LevelOfDetail = 'blocks' | 'hills' | 'mixed';

/** CSS pixels from which on blocks are drawn as blocks, by their mean length. */
export const leastBlock = 1.5;
/** CSS pixels of lanes that have hills. */
export const leastHill = 20;

/** `secondsPerPixel`: of CSS pixels. */
export function areBlocksDrawn(columns: Columns, secondsPerPixel: number): boolean {
  const length = blockLengths(columns).mean;
  return length === 0 || length / secondsPerPixel >= leastBlock;
}

/** `mixed`: rows mix the operations of several devices. `height`: CSS pixels of a lane. */
export function levelOfDetail(
  columns: Columns,
  {
    secondsPerPixel,
    mixed,
    height,
  }: { readonly secondsPerPixel: number; readonly mixed: boolean; readonly height: number },
): LevelOfDetail {
  if (!mixed && areBlocksDrawn(columns, secondsPerPixel)) return 'blocks';
  return height >= leastHill ? 'hills' : 'mixed';
}

import { B, F, I, R, U, W } from '../../engine/values/program.ts';
import type { Columns } from './columns.ts';

/** Version that an operation uses, and for U the one that it makes; −1 where all use the same weights. */
export function versionOfWord({ versions, shift, stages, microbatches }: Columns, word: number): number {
  if (versions === undefined || word < 0) return -1;
  const row = word >> shift;
  const kind = Math.trunc(row / stages);
  const slot = (row - kind * stages) * microbatches + (word & ((1 << shift) - 1));
  if (kind === F) return versions.read[slot];
  if (kind === B || kind === I || kind === W || kind === R) return versions.used[slot];
  return kind === U ? versions.made[slot] : -1;
}

/** How a version looks: one of four hues and four edges, which repeat. */
export const versionLooks = 4;
export const versionLook = (version: number): number => version % versionLooks;

/** Whether the shape of a block says its kind, as its colour says something else: a backward has a notch, W fills the lower half. */
export const shapesSayKind = (colourBy: string, { versions }: Columns): boolean =>
  colourBy === 'microbatch' || (colourBy === 'version' && versions !== undefined);

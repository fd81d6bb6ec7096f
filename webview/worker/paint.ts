import type { Columns } from './columns.ts';

/** Colours as they lie in memory (ABGR words). */
export interface Paint {
  readonly background: number;
  /** For pyramid bytes. */
  readonly lut: Uint32Array;
  /** 8 kinds; then 8 kinds × 4 chunks; then 256 steps of the microbatch ramp. */
  readonly colours: Uint32Array;
  readonly by: ColourBy;
  /** Chunk (0 to 3) of each stage. */
  readonly chunk: Uint8Array;
  /** Frame of blocks in high contrast; 0 for none. */
  readonly border: number;
}
export type ColourBy = 'operation' | 'microbatch' | 'chunk';
export const chunkColours = 8;
export const rampColours = 40;

/** Of a kind of work of an operation, in the colouring that is chosen. */
export function colourOf(paint: Paint, columns: Columns, kind: number, code: number): number {
  if (paint.by === 'operation') return paint.colours[kind];
  const { shift, stages, microbatches } = columns;
  if (paint.by === 'microbatch') {
    const microbatch = code & ((1 << shift) - 1);
    return paint.colours[rampColours + Math.floor((255 * microbatch) / Math.max(1, microbatches - 1))];
  }
  return paint.colours[chunkColours + kind * 4 + (paint.chunk[(code >> shift) % stages] & 3)];
}

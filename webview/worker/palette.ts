import type { Columns } from '../picture/columns.ts';
import type { ColourBy } from '../protocol/messages.ts';

/** Colours as they lie in memory (ABGR words). */
export interface Palette {
  readonly background: number;
  /** For pyramid bytes. */
  readonly lut: Uint32Array;
  /** 8 kinds, then 8 kinds × 4 chunks, then 256 steps of the microbatch ramp. */
  readonly colours: Uint32Array;
  readonly colourBy: ColourBy;
  /** Chunk (0 to 3) of each stage. */
  readonly chunk: Uint8Array;
  /** Frame of blocks in high contrast; 0 for none. */
  readonly border: number;
}
export const chunkColours = 8;
export const rampColours = 40;

/** Of a kind of work of an operation, in the colouring that is chosen. */
export function colourOf(palette: Palette, columns: Columns, kind: number, code: number): number {
  if (palette.colourBy === 'operation') return palette.colours[kind];
  const { shift, stages, microbatches } = columns;
  if (palette.colourBy === 'microbatch') {
    const microbatch = code & ((1 << shift) - 1);
    return palette.colours[rampColours + Math.floor((255 * microbatch) / Math.max(1, microbatches - 1))];
  }
  return palette.colours[chunkColours + kind * 4 + (palette.chunk[(code >> shift) % stages] & 3)];
}

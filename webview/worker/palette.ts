import { type Columns, paintKinds } from '../picture/columns.ts';
import { versionLook, versionLooks, versionOfWord } from '../picture/versions.ts';
import type { ColourBy } from '../protocol/messages.ts';

/** Colours as they lie in memory (ABGR words). */
export interface Palette {
  readonly background: number;
  /** Kinds, then kinds × 4 chunks, then 8 hues of microbatches, then 4 of versions. */
  readonly colours: Uint32Array;
  readonly colourBy: ColourBy;
  /** Chunk (0 to 3) of each stage. */
  readonly chunk: Uint8Array;
  /** Frame of blocks in high contrast; 0 for none. */
  readonly border: number;
}
export const chunkColours = paintKinds.length;
export const hueColours = chunkColours + 4 * paintKinds.length;
export const hues = 8;
export const versionColours = hueColours + hues;
export const paletteColours = versionColours + versionLooks;

/** Of a kind of work of an operation, in the colouring that is chosen. */
export const colourOf = (palette: Palette, columns: Columns, kind: number, code: number): number =>
  palette.colours[colourIndex(palette, columns, kind, code)];

/** Which of `colours` that is. */
export function colourIndex(
  { colourBy, chunk }: Pick<Palette, 'colourBy' | 'chunk'>,
  columns: Columns,
  kind: number,
  code: number,
): number {
  if (colourBy === 'operation') return kind;
  const { shift, stages } = columns;
  if (colourBy === 'microbatch') return hueColours + (code & ((1 << shift) - 1) & (hues - 1));
  if (colourBy === 'version') {
    const version = versionOfWord(columns, code);
    return version < 0 ? kind : versionColours + versionLook(version);
  }
  return chunkColours + kind * 4 + (chunk[(code >> shift) % stages] & 3);
}

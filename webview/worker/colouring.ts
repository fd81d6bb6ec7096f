import {
  type Columns,
  kindCollective,
  kindForward,
  kindInput,
  kindOptimizer,
  kindRecompute,
  kindWeight,
  syncWord,
} from '../picture/columns.ts';
import type { ColourBy } from '../protocol/messages.ts';
import { type Palette, colourIndex, paletteColours } from './palette.ts';
import { rowCountsOf } from './rowCounts.ts';

/** Which colours of the palette the blocks of a timeline take. Shares of time are kept for these only, each in a slot. */
export interface Colouring {
  readonly by: ColourBy;
  readonly chunk: Uint8Array;
  /** Index of each slot's colour in the palette, in the order in which shares are stacked from below. */
  readonly used: Uint8Array;
  /** Slot of each colour of the palette; −1 for a colour that no block takes. */
  readonly slots: Int8Array;
}

/** From below: forwards, then all that belongs to backwards, then the rest. */
const stacked = [kindForward, kindRecompute, kindInput, kindWeight];
const rank = (colour: number): number => {
  const at = stacked.indexOf(colour);
  return at < 0 ? stacked.length + colour : at;
};

/** By operation what `rowCountsOf` takes, otherwise one pass over the blocks. */
export function colouringOf(columns: Columns, palette: Pick<Palette, 'colourBy' | 'chunk'>): Colouring {
  const seen = palette.colourBy === 'operation' ? coloursOfOperations(columns) : coloursOfBlocks(columns, palette);
  const used = Uint8Array.from(seen.keys())
    .filter((colour) => seen[colour] === 1)
    .sort((a, b) => rank(a) - rank(b));
  const slots = new Int8Array(paletteColours).fill(-1);
  used.forEach((colour, slot) => (slots[colour] = slot));
  return { by: palette.colourBy, chunk: palette.chunk, used, slots };
}

function coloursOfOperations(columns: Columns): Uint8Array {
  const { parts } = columns;
  const { rows, syncs, steps } = rowCountsOf(columns);
  const seen = new Uint8Array(paletteColours);
  if (syncs) seen[kindCollective] = 1;
  if (steps) seen[kindOptimizer] = 1;
  for (const row of rows) {
    seen[parts.main[row]] = 1;
    if (parts.recompute[row] > 0) seen[kindRecompute] = 1;
    if (parts.weight[row] < 1) seen[kindWeight] = 1;
  }
  return seen;
}

function coloursOfBlocks(columns: Columns, palette: Pick<Palette, 'colourBy' | 'chunk'>): Uint8Array {
  const { word, parts, shift } = columns;
  const seen = new Uint8Array(paletteColours);
  for (let block = 0; block < word.length; block += 1) {
    const code = word[block];
    if (code < 0) {
      seen[code === syncWord ? kindCollective : kindOptimizer] = 1;
      continue;
    }
    const row = code >> shift;
    seen[colourIndex(palette, columns, parts.main[row], code)] = 1;
    if (parts.recompute[row] > 0) seen[colourIndex(palette, columns, kindRecompute, code)] = 1;
    if (parts.weight[row] < 1) seen[colourIndex(palette, columns, kindWeight, code)] = 1;
  }
  return seen;
}

/** Whether shares in these slots can be drawn in this palette. */
export const fits = (colouring: Colouring, palette: Palette): boolean =>
  colouring.by === palette.colourBy && (colouring.by !== 'chunk' || colouring.chunk === palette.chunk);

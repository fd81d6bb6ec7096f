import { B, F, I, W, kindOfRow, kinds } from '../../engine/values/program.ts';
import type { Columns } from './columns.ts';

/** The part of a block that carries its number, in seconds: a backward with both halves in its input half, any other over its whole length. */
export function labelledPart(columns: Columns, block: number): readonly [from: number, to: number] {
  const { start, end, word, parts, shift } = columns;
  const from = start[block];
  const length = end[block] - from;
  const code = word[block];
  if (code < 0) return [from, end[block]];
  const row = code >> shift;
  return [from + length * parts.recompute[row], from + length * parts.weight[row]];
}

/** Kinds that the schedule declares follow the rule of the last kind of every program. */
export const labelKind = (kind: number): number => Math.min(kind, kinds - 1);

const known = new WeakMap<Columns, Float64Array>();

/** Seconds of the narrowest labelled part, by row × kinds + kind; infinite where a row has none. O(blocks), once a timeline. */
export function narrowestParts(columns: Columns): Float64Array {
  const found = known.get(columns) ?? measure(columns);
  known.set(columns, found);
  return found;
}

function measure({ rows, offsets, start, end, word, parts, shift, stages }: Columns): Float64Array {
  const narrowest = new Float64Array(rows * kinds).fill(Number.POSITIVE_INFINITY);
  const kindOf = Uint8Array.from(parts.main, (_, of) => labelKind(kindOfRow(stages, of)));
  for (let row = 0; row < rows; row += 1) {
    for (let block = offsets[row]; block < offsets[row + 1]; block += 1) {
      const code = word[block];
      if (code < 0) continue;
      const of = code >> shift;
      const seconds = (end[block] - start[block]) * (parts.weight[of] - parts.recompute[of]);
      const at = row * kinds + kindOf[of];
      // What takes no time has no place for a number.
      if (seconds > 0 && seconds < narrowest[at]) narrowest[at] = seconds;
    }
  }
  return narrowest;
}

/** Pixels of a font, largest first. */
export const labelSizes = [11, 10, 9] as const;
const digitWidth = 0.62;
const labelMargin = 2.5;
/** Pixels that a number with that many digits needs. */
export const labelWidth = (digits: number, size: number): number => digits * digitWidth * size + labelMargin;

/** Which numbers are shown at a zoom: one size for all, and for each row × kinds + kind whether its blocks have theirs. */
export interface Labels {
  /** 0 where no row has numbers. */
  readonly size: number;
  readonly shown: Uint8Array;
}

const passes = [F, B, I, W];
/** Rows that may stay without numbers. */
const mostFailing = 0.25;

/**
 * The rule of the whole iteration, whatever part of it is in sight. A row has numbers on all passes or on none: the narrowest
 * decides. Other operations follow their row, where the narrowest of their kind fits. `tall`: pixels of height for the text.
 */
export function labelsAt(columns: Columns, pixelsPerSecond: number, tall: number): Labels {
  const { rows, microbatches } = columns;
  const narrowest = narrowestParts(columns);
  const digits = String(Math.max(0, microbatches - 1)).length;
  let best: { readonly size: number; readonly failing: number } | undefined;
  for (const size of labelSizes) {
    if (size > tall) continue;
    const failing = failingRows(narrowest, rows, labelWidth(digits, size) / pixelsPerSecond);
    if (best === undefined || failing < best.failing) best = { size, failing };
  }
  const shown = new Uint8Array(rows * kinds);
  if (best === undefined || best.failing > rows * mostFailing) return { size: 0, shown };
  const least = labelWidth(digits, best.size) / pixelsPerSecond;
  for (let row = 0; row < rows; row += 1) {
    if (fails(narrowest, row, least)) continue;
    for (let kind = 0; kind < kinds; kind += 1)
      shown[row * kinds + kind] = Number(hasRoom(narrowest[row * kinds + kind], least));
  }
  return { size: best.size, shown };
}

/** A kind without blocks, or whose blocks take no time, has no numbers. */
const hasRoom = (seconds: number, least: number): boolean => seconds >= least && Number.isFinite(seconds);

const fails = (narrowest: Float64Array, row: number, least: number): boolean =>
  passes.some((kind) => narrowest[row * kinds + kind] < least);

function failingRows(narrowest: Float64Array, rows: number, least: number): number {
  let failing = 0;
  for (let row = 0; row < rows; row += 1) failing += Number(fails(narrowest, row, least));
  return failing;
}

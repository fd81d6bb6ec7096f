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

/** Of a row: operations that run alone, and those that share a slot. A slot is as long as both, so that they have room where others have none. */
const groupsOfRow = 2;
const groupOf = ({ pair }: Columns, block: number): number => (pair !== undefined && pair[block] > 0 ? 1 : 0);
/** The index of a row, a group and a kind in tables. */
export const labelAt = (columns: Columns, row: number, block: number, kind: number): number =>
  (row * groupsOfRow + groupOf(columns, block)) * kinds + kind;

const known = new WeakMap<Columns, Float64Array>();

/** Seconds of the narrowest labelled part, by (row × 2 + group) × kinds + kind; infinite where there is none. O(blocks), once a timeline. */
export function narrowestParts(columns: Columns): Float64Array {
  const found = known.get(columns) ?? measure(columns);
  known.set(columns, found);
  return found;
}

function measure(columns: Columns): Float64Array {
  const { rows, offsets, start, end, word, parts, shift, stages } = columns;
  const narrowest = new Float64Array(rows * groupsOfRow * kinds).fill(Number.POSITIVE_INFINITY);
  const kindOf = Uint8Array.from(parts.main, (_, of) => labelKind(kindOfRow(stages, of)));
  for (let row = 0; row < rows; row += 1) {
    for (let block = offsets[row]; block < offsets[row + 1]; block += 1) {
      const code = word[block];
      if (code < 0) continue;
      const of = code >> shift;
      const at = labelAt(columns, row, block, kindOf[of]);
      // If it shares a slot, its number may take the whole block.
      const share = groupOf(columns, block) === 1 ? 1 : parts.weight[of] - parts.recompute[of];
      const seconds = (end[block] - start[block]) * share;
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

/** Which numbers are shown at a zoom: one size for all, and for each (row × 2 + group) × kinds + kind whether its blocks have theirs. */
export interface Labels {
  /** 0 where no row has numbers. */
  readonly size: number;
  readonly shown: Uint8Array;
}

const passes = [F, B, I, W];
/** Rows that may stay without numbers. */
const mostFailing = 0.25;

/**
 * The rule of the whole iteration, whatever part of it is in sight. A row has numbers on all passes of a group or on none: the
 * narrowest decides. Other operations follow their row, where the narrowest of their kind fits. `tall`: pixels of height for the text.
 */
export function labelsAt(columns: Columns, pixelsPerSecond: number, tall: number): Labels {
  const { rows, microbatches } = columns;
  const narrowest = narrowestParts(columns);
  const digits = String(Math.max(0, microbatches - 1)).length;
  const least = (size: number): number => labelWidth(digits, size) / pixelsPerSecond;
  const groups = columns.pair === undefined ? 1 : groupsOfRow;
  const sizes = Array.from({ length: groups }, (_, group) => sizeFor({ narrowest, rows, group }, least, tall));
  const shown = new Uint8Array(rows * groupsOfRow * kinds);
  // One size in the view: the smaller one fits both.
  const size = sizes.reduce((all, each) => (all === 0 || (each > 0 && each < all) ? each : all), 0);
  for (let group = 0; group < groups; group += 1) {
    if (sizes[group] === 0) continue;
    for (let row = 0; row < rows; row += 1) {
      const at = (row * groupsOfRow + group) * kinds;
      if (fails(narrowest, at, least(size))) continue;
      for (let kind = 0; kind < kinds; kind += 1) shown[at + kind] = Number(hasRoom(narrowest[at + kind], least(size)));
    }
  }
  return { size, shown };
}

interface Group {
  readonly narrowest: Float64Array;
  readonly rows: number;
  readonly group: number;
}

/** The largest size that loses the fewest rows; 0 if over a quarter of the rows fail. */
function sizeFor(of: Group, least: (size: number) => number, tall: number): number {
  let best: { readonly size: number; readonly failing: number } | undefined;
  for (const size of labelSizes) {
    if (size > tall) continue;
    const failing = failingRows(of, least(size));
    if (best === undefined || failing < best.failing) best = { size, failing };
  }
  return best === undefined || best.failing > of.rows * mostFailing ? 0 : best.size;
}

/** A kind without blocks, or whose blocks take no time, has no numbers. */
const hasRoom = (seconds: number, least: number): boolean => seconds >= least && Number.isFinite(seconds);

const fails = (narrowest: Float64Array, at: number, least: number): boolean =>
  passes.some((kind) => narrowest[at + kind] < least);

function failingRows({ narrowest, rows, group }: Group, least: number): number {
  let failing = 0;
  for (let row = 0; row < rows; row += 1)
    failing += Number(fails(narrowest, (row * groupsOfRow + group) * kinds, least));
  return failing;
}

import { endsLine } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { indentWidth } from './measure.ts';
import type { Measure } from './measure.ts';

/** Steps by which the rest of an entry that does not fit on its line is set in. */
export const continuation = 2;
/** Deeper commas are not worth a line end: the line is then longer than wished. */
const levels = 4;

/**
 * The places to break a stretch that does not fit on one line. Breaks come after its outermost commas; if a line is still too
 * long, also after the commas inside its brackets. Only widths decide, not the line ends of the source.
 */
export const fill = (
  all: readonly Piece[],
  measure: Measure,
  from: number,
  to: number,
  indent: number,
): readonly number[] => {
  const depths = commaDepths(all, from, to);
  let outermost = Infinity;
  for (const depth of depths.values()) outermost = Math.min(outermost, depth);
  let breaks: readonly number[] = [];
  for (let level = outermost; level < outermost + levels; level++) {
    const line = breakAt(all, measure, from, to, indent, (i) => (depths.get(i - 1) ?? Infinity) <= level);
    breaks = line.breaks;
    if (!line.tooLong) break;
  }
  return breaks;
};

/** The bracket depth of each comma. */
const commaDepths = (all: readonly Piece[], from: number, to: number): ReadonlyMap<number, number> => {
  const depths = new Map<number, number>();
  let depth = 0;
  for (let i = from; i <= to; i++) {
    const piece = all[i];
    if (piece === undefined || piece.token < 0) continue;
    if (piece.text === '(' || piece.text === '[' || piece.text === '{') depth++;
    else if (piece.text === ')' || piece.text === ']' || piece.text === '}') depth--;
    else if (piece.text === ',') depths.set(i, depth);
  }
  return depths;
};

const breakAt = (
  all: readonly Piece[],
  measure: Measure,
  from: number,
  to: number,
  indent: number,
  mayBreak: (i: number) => boolean,
): { readonly breaks: readonly number[]; readonly tooLong: boolean } => {
  const breaks: number[] = [];
  const inner = (indent + continuation) * indentWidth;
  let tooLong = false;
  let lineStart = from;
  let margin = indent * indentWidth;
  /** The latest place before which the line may end. */
  let possible = -1;
  for (let i = from + 1; i <= to; i++) {
    const forced = endsLine(all[i - 1]) || (endsLine(all[i]) && (all[i]?.breaks ?? 0) > 0);
    if (forced) {
      breaks.push(i);
      lineStart = i;
      margin = inner;
      possible = -1;
      continue;
    }
    if (mayBreak(i) && i - 1 > lineStart) possible = i;
    if (endsLine(all[i]) || margin + measure.columns(lineStart, i) <= measure.width) continue;
    if (possible < 0) tooLong = true;
    else {
      breaks.push(possible);
      lineStart = possible;
      margin = inner;
      possible = -1;
      if (margin + measure.columns(lineStart, i) > measure.width) tooLong = true;
    }
  }
  return { breaks, tooLong };
};

import type { Block, SyntaxFile } from '../syntax.ts';
import { walk } from '../walk.ts';
import { columns, endsLine, hasBreak } from './pieces.ts';
import type { Pieces } from './pieces.ts';

export const indentWidth = 2;

/** Widths of stretches of pieces in constant time each. */
export interface Measure {
  readonly width: number;
  /** Columns of the pieces `from` to `to` on one line, without the white space before the first. */
  readonly columns: (from: number, to: number) => number;
  /** Whether they fit on one line, indented by `indent` steps: short enough, and nothing in them demands a line end. */
  readonly fits: (from: number, to: number, indent: number) => boolean;
}

/** A block that was written on several lines keeps them, whatever its length. */
const isBroken = (block: Block, { all, ofToken }: Pieces): boolean => {
  const open = ofToken[block.first] ?? 0;
  const close = ofToken[block.last] ?? 0;
  if (close <= open + 1) return false;
  for (let i = open + 1; i <= close; i++) {
    const piece = all[i];
    if (piece !== undefined && (piece.breaks > 0 || (piece.comment === 'block' && hasBreak(piece.text)))) return true;
  }
  return false;
};

export const measure = (file: SyntaxFile, pieces: Pieces, gaps: readonly string[], width: number): Measure => {
  const { all, ofToken } = pieces;
  const broken = new Set<number>();
  walk(file, (node) => {
    if (node.kind === 'body' && isBroken(node, pieces)) broken.add(ofToken[node.first] ?? 0);
    return (
      node.kind === 'file' ||
      node.kind === 'import' ||
      node.kind === 'block' ||
      node.kind === 'body' ||
      node.kind === 'entry'
    );
  });
  const sums = new Float64Array(all.length + 1);
  const demands = new Int32Array(all.length + 1);
  all.forEach((piece, i) => {
    sums[i + 1] = (sums[i] ?? 0) + (gaps[i]?.length ?? 0) + columns(piece.text);
    demands[i + 1] = (demands[i] ?? 0) + (broken.has(i) || endsLine(piece) ? 1 : 0);
  });
  const total = (from: number, to: number): number =>
    (sums[to + 1] ?? 0) - (sums[from] ?? 0) - (gaps[from]?.length ?? 0);
  return {
    width,
    columns: total,
    fits: (from, to, indent) => demands[to + 1] === demands[from] && indent * indentWidth + total(from, to) <= width,
  };
};

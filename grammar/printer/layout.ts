import type { Block, BlockItem, Declaration, SyntaxFile } from '../syntax.ts';
import { continuation, fill } from './fill.ts';
import { measure } from './measure.ts';
import { endsLine } from './pieces.ts';
import type { Pieces } from './pieces.ts';

/** Where lines begin. */
export interface Layout {
  /** For each piece the steps by which its line is set in, or -1 where it goes on with the line before. */
  readonly indents: Int32Array;
  /** Pieces above which a blank line of the source stays. */
  readonly blanks: ReadonlySet<number>;
  /** Entries that fill one line alone: the entry's first piece → the piece of its `=`. */
  readonly assignments: ReadonlyMap<number, number>;
}

export const layOut = (file: SyntaxFile, pieces: Pieces, gaps: readonly string[], width: number): Layout => {
  const { all, ofToken } = pieces;
  const sizes = measure(file, pieces, gaps, width);
  const indents = new Int32Array(all.length).fill(-1);
  /** Pieces inside an entry or a declaration, as against those between two. */
  const inside = new Uint8Array(all.length);
  /** Braces of blocks that take several lines: 1 opens, -1 closes. */
  const braces = new Int8Array(all.length);
  const assignments = new Map<number, number>();
  const pieceOf = (token: number): number => ofToken[token] ?? 0;

  /** A declaration or an entry that begins a line. */
  const place = (node: Declaration | BlockItem, indent: number): void => {
    const from = pieceOf(node.first);
    const to = pieceOf(node.last);
    indents[from] = indent;
    const body =
      node.kind === 'entry' || node.kind === 'block' ? node.body : node.kind === 'import' ? node.settings : undefined;
    if (sizes.fits(from, to, indent)) {
      inside.fill(1, from + 1, to + 1);
      const value = node.kind === 'entry' ? node.values?.[0] : undefined;
      if (value !== undefined) assignments.set(from, pieceOf(value.first - 1));
    } else if (body !== undefined && pieceOf(body.last) > pieceOf(body.first) + 1) {
      placeLong(from, pieceOf(body.first), indent);
      expand(body, indent);
    } else placeLong(from, to, indent);
  };

  const placeLong = (from: number, to: number, indent: number): void => {
    inside.fill(1, from + 1, to + 1);
    if (sizes.fits(from, to, indent)) return;
    for (const i of fill(all, sizes, from, to, indent)) indents[i] = indent + continuation;
  };

  /** A block on several lines: entries that shared a line go on sharing it where they fit. */
  const expand = ({ first, last, entries }: Block, indent: number): void => {
    const close = pieceOf(last);
    braces[pieceOf(first)] = 1;
    braces[close] = -1;
    indents[close] = indent;
    for (let i = 0; i < entries.length;) {
      let end = i + 1;
      while (end < entries.length && !isBrokenBefore(entries[end])) end++;
      const shared = entries.slice(i, end);
      const from = pieceOf(entries[i]?.first ?? 0);
      if (end > i + 1 && sizes.fits(from, pieceOf(entries[end - 1]?.last ?? 0), indent + 1)) {
        indents[from] = indent + 1;
        for (const entry of shared) inside.fill(1, pieceOf(entry.first) + 1, pieceOf(entry.last) + 1);
      } else for (const entry of shared) place(entry, indent + 1);
      i = end;
    }
  };

  /** Whether the source has a line end between this entry and the token before it. */
  const isBrokenBefore = (item: BlockItem | undefined): boolean => {
    if (item === undefined) return true;
    for (let i = pieceOf(item.first - 1) + 1; i <= pieceOf(item.first); i++) if ((all[i]?.breaks ?? 0) > 0) return true;
    return false;
  };

  for (const declaration of file.declarations) place(declaration, 0);

  const blanks = new Set<number>();
  let level = 0;
  all.forEach((piece, i) => {
    if (braces[i] === -1) level--;
    const between = inside[i] === 0;
    if (indents[i] === -1) {
      const alone = between && piece.comment !== undefined && piece.breaks > 0;
      if (i === 0 || alone || endsLine(all[i - 1])) indents[i] = level + (between ? 0 : continuation);
    } else if (piece.token >= 0 && braces[i] !== -1) {
      // A comment that stands before something on its line moves with it.
      let at = i;
      while (at > 0 && indents[at - 1] === -1 && all[at - 1]?.comment === 'block' && all[at]?.breaks === 0) at--;
      if (at < i) {
        indents[at] = indents[i] ?? 0;
        indents[i] = -1;
        if (between && (all[at]?.breaks ?? 0) === 2 && braces[at - 1] !== 1 && at > 0) blanks.add(at);
      } else if (at > 0 && indents[at - 1] !== -1 && all[at - 1]?.comment === 'block' && all[at]?.breaks === 0) {
        indents[i] = -1;
      }
    }
    const starts = (indents[i] ?? -1) >= 0;
    if (starts && between && piece.breaks === 2 && i > 0 && braces[i - 1] !== 1 && braces[i] !== -1) blanks.add(i);
    if (braces[i] === 1) level++;
  });
  return { indents, blanks, assignments };
};

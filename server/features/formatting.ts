import type { DocumentRangeFormattingParams, TextEdit } from 'vscode-languageserver';
import { format, parse, type Span, type SyntaxFile } from '../../grammar/index.ts';
import { overlaps, toSpan } from '../text/convert.ts';
import { rangeIn, type SyntaxView } from '../view.ts';

/** Edits of the white space that changes, and nothing else, so that cursors and folds stay. `null` for a text with syntax errors. */
export const formatting = (view: SyntaxView): TextEdit[] | null => edits(view);

export const rangeFormatting = (view: SyntaxView, params: DocumentRangeFormattingParams): TextEdit[] | null =>
  edits(view, toSpan(view.lines, params.range));

function edits(view: SyntaxView, within?: Span): TextEdit[] | null {
  const result = format(view.syntax);
  if (!result.ok) return null;
  return gaps(view.syntax, result.text)
    .filter((gap) => within === undefined || overlaps(gap, within))
    .map((gap) => ({ range: rangeIn(view, gap), newText: gap.text }));
}

/** The formatter keeps every token and comment, so what differs lies between them. */
function gaps(before: SyntaxFile, text: string): (Span & { readonly text: string })[] {
  const old = pieces(before);
  const made = pieces(parse(text, { size: Number.MAX_SAFE_INTEGER }));
  if (old.length !== made.length) return text === before.text ? [] : [{ start: 0, end: before.text.length, text }];
  const found: (Span & { readonly text: string })[] = [];
  const add = (start: number, end: number, madeStart: number, madeEnd: number): void => {
    const replacement = text.slice(madeStart, madeEnd);
    if (before.text.slice(start, end) !== replacement) found.push({ start, end, text: replacement });
  };
  let end = 0;
  let madeEnd = 0;
  old.forEach((piece, index) => {
    const other = made[index] ?? piece;
    add(end, piece.start, madeEnd, other.start);
    if (before.text.slice(piece.start, piece.end) !== text.slice(other.start, other.end))
      add(piece.start, piece.end, other.start, other.end);
    end = piece.end;
    madeEnd = other.end;
  });
  add(end, before.text.length, madeEnd, text.length);
  return found;
}

const pieces = (file: SyntaxFile): Span[] => [...file.tokens, ...file.comments].sort((a, b) => a.start - b.start);

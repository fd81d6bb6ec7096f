import type {
  DocumentOnTypeFormattingParams,
  DocumentRangeFormattingParams,
  DocumentRangesFormattingParams,
  TextEdit,
} from 'vscode-languageserver';
import { format, nodeAt, parse, type Span, type SyntaxFile } from '../../grammar/index.ts';
import { overlaps, toOffset, toSpan } from '../text/convert.ts';
import { rangeIn, type SyntaxView } from '../view.ts';

/** Edits of the white space that changes, and nothing else, so that cursors and folds stay. `null` for a text with syntax errors. */
export const formatting = (view: SyntaxView): TextEdit[] | null => edits(view, () => true);

export const rangeFormatting = (view: SyntaxView, params: DocumentRangeFormattingParams): TextEdit[] | null =>
  rangesFormatting(view, { ...params, ranges: [params.range] });

export function rangesFormatting(view: SyntaxView, { ranges }: DocumentRangesFormattingParams): TextEdit[] | null {
  const spans = ranges.map((range) => toSpan(view.lines, range));
  return edits(view, (gap) => spans.some((span) => overlaps(gap, span)));
}

/** What was just finished: after a `}` its block, after a line break the line above. Nothing after the cursor moves. */
export function onTypeFormatting(view: SyntaxView, params: DocumentOnTypeFormattingParams): TextEdit[] | null {
  const offset = toOffset(view.lines, params.position);
  const done = params.ch === '}' ? blockBefore(view, offset) : lineAbove(view, params.position.line);
  return done === undefined ? null : edits(view, (gap) => done.start <= gap.start && gap.end <= done.end);
}

/** The declaration or entry whose block ends at the offset, with its indentation. */
function blockBefore({ syntax, lines }: SyntaxView, offset: number): Span | undefined {
  const done = nodeAt(syntax, offset).findLast(
    (node) =>
      (node.kind === 'block' || node.kind === 'entry') && node.body?.closed === true && node.body.end === offset,
  );
  if (done === undefined || done.kind === 'file') return undefined;
  return { start: lines.lineEnd(lines.positionAt(done.start).line - 1), end: offset };
}

/** With its indentation, and without the line break behind it. */
function lineAbove({ lines }: SyntaxView, line: number): Span | undefined {
  return line === 0 ? undefined : { start: lines.lineEnd(line - 2), end: lines.lineEnd(line - 1) };
}

function edits(view: SyntaxView, isWanted: (gap: Span) => boolean): TextEdit[] | null {
  const result = format(view.syntax);
  if (!result.ok) return null;
  return gaps(view.syntax, result.text)
    .filter(isWanted)
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

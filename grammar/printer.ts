import { align } from './printer/align.ts';
import { layOut } from './printer/layout.ts';
import { indentWidth } from './printer/measure.ts';
import { piecesOf } from './printer/pieces.ts';
import { gapsOf } from './printer/spacing.ts';
import type { SyntaxFault, SyntaxFile } from './syntax.ts';

export interface FormatOptions {
  /** Columns that a line should not exceed. 100 unless said. */
  readonly width?: number;
}

export type FormatResult =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: SyntaxFault };

/**
 * The text of a file in canonical layout. Decides on the white space between tokens and comments only, so that neither can
 * get lost. Refuses a file with syntax faults, answering the first. Keeps a byte order mark and the kind of line ends.
 */
export const format = (file: SyntaxFile, options: FormatOptions = {}): FormatResult => {
  const fault = file.errors[0] ?? unread(file);
  if (fault !== undefined) return { ok: false, fault };
  const pieces = piecesOf(file);
  const gaps = gapsOf(file, pieces);
  const layout = layOut(file, pieces, gaps, options.width ?? 100);
  align(pieces, layout, gaps);

  const lineEnd = usesCarriageReturns(file.text) ? '\r\n' : '\n';
  const parts: string[] = file.text.startsWith('\ufeff') ? ['\ufeff'] : [];
  pieces.all.forEach(({ text }, i) => {
    const indent = layout.indents[i] ?? -1;
    if (indent < 0) parts.push(gaps[i] ?? '');
    else {
      if (i > 0) parts.push(layout.blanks.has(i) ? lineEnd + lineEnd : lineEnd);
      parts.push(' '.repeat(indent * indentWidth));
    }
    parts.push(text);
  });
  if (pieces.all.length > 0) parts.push(lineEnd);
  return { ok: true, text: parts.join('') };
};

/** A text that was too long to be read has no tokens; to print those would empty the file. */
const unread = ({ tokens, comments, text }: SyntaxFile): SyntaxFault | undefined =>
  tokens.length + comments.length > 0 || text.trim() === ''
    ? undefined
    : {
        code: 'syntax/unexpected',
        start: 0,
        end: 0,
        message: 'Expected a text that was read, found one that is too long.',
      };

const usesCarriageReturns = (text: string): boolean => {
  let all = 0;
  let pairs = 0;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
    all++;
    if (text[i - 1] === '\r') pairs++;
  }
  return pairs * 2 > all;
};

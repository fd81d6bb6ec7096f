import { align } from './printer/align.ts';
import { quote, tokenize } from './lexer.ts';
import { Landmarks } from './parser/landmarks.ts';
import { layOut } from './printer/layout.ts';
import type { Layout } from './printer/layout.ts';
import { indentWidth } from './printer/measure.ts';
import { piecesOf } from './printer/pieces.ts';
import type { Pieces } from './printer/pieces.ts';
import { gapsOf } from './printer/spacing.ts';
import { declarationKeywords } from './syntax.ts';
import type { SyntaxFault, SyntaxFile } from './syntax.ts';

export interface FormatOptions {
  /** Columns that a line should not exceed. Default: 100. */
  readonly width?: number;
}

export type FormatResult =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: SyntaxFault };

/**
 * The text of a file in canonical layout. Decides on the white space between tokens and comments only, so that neither can
 * get lost. Refuses a file with syntax faults, and a file that would have some afterwards; answers the first. Keeps a byte order mark and the kind of line ends.
 */
export const format = (file: SyntaxFile, options: FormatOptions = {}): FormatResult => {
  const fault = file.errors[0] ?? unread(file);
  if (fault !== undefined) return { ok: false, fault };
  const pieces = piecesOf(file);
  const gaps = gapsOf(file, pieces);
  const layout = layOut(file, pieces, gaps, options.width ?? 100);
  const nested = nestedDeclaration(file, pieces, layout);
  if (nested !== undefined) return { ok: false, fault: nested };
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

/**
 * In the middle of a line `model n {` inside a block is an entry; at its start it is a declaration, and the block before it
 * is not closed. To break the line there would change what the text means.
 */
const nestedDeclaration = (file: SyntaxFile, { all }: Pieces, { indents }: Layout): SyntaxFault | undefined => {
  const outermost = new Set(file.declarations.map(({ first }) => first));
  const breaks = all.filter(
    ({ text, token }, i) => (indents[i] ?? -1) >= 0 && token >= 0 && keywords.has(text) && !outermost.has(token),
  );
  if (breaks.length === 0) return undefined;
  const marks = new Landmarks(file.text, tokenize(file.text));
  const found = breaks.find(({ token }) => marks.isDeclaration(token) && !marks.startsLine(token));
  if (found === undefined) return undefined;
  const { text, start, end, token } = found;
  const shown = quote(text === 'import' ? text : `${text} ${marks.image(token + 1)}`);
  const message = `Expected an entry, found ${shown}, which begins a declaration. Move it out of the block.`;
  return { code: 'syntax/unexpected', start, end, message };
};

const keywords: ReadonlySet<string> = new Set(declarationKeywords);

const usesCarriageReturns = (text: string): boolean => {
  let all = 0;
  let pairs = 0;
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
    all++;
    if (text[i - 1] === '\r') pairs++;
  }
  return pairs * 2 > all;
};

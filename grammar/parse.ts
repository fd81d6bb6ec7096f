import { tokenize } from './lexer.ts';
import { FileParser } from './parser/declarations.ts';
import type { SyntaxFault, SyntaxFile } from './syntax.ts';

export interface ParseLimits {
  /** Longest text that is read, in UTF-16 code units; of a longer one the tree holds nothing but the text. */
  readonly size?: number;
  /** How many faults are kept. Default: 1,000. */
  readonly faults?: number;
  /** How deep brackets may nest, and how high an expression may grow. Default: 200. */
  readonly depth?: number;
}

// Building it takes milliseconds, so it waits for the first text.
let parser: FileParser | undefined;

/** Text to syntax tree; of a text with a NUL character it has tokens, no declarations and one fault. Never throws; what is wrong is in `errors`, in order of position. */
export const parse = (text: string, limits: ParseLimits = {}): SyntaxFile => {
  const { size = Infinity, faults = 1000, depth = 200 } = limits;
  if (text.length > size) return { kind: 'file', text, tokens: [], comments: [], declarations: [], errors: [] };
  parser ??= new FileParser({ skipValidations: true });
  const source = tokenize(text);
  const { tokens, comments } = source;
  const nul = text.indexOf('\0');
  if (nul >= 0) return { kind: 'file', text, tokens, comments, declarations: [], errors: [notText(nul)] };
  const { declarations, errors } = parser.read(text, source, faults, depth);
  return { kind: 'file', text, tokens, comments, declarations, errors };
};

/** A binary or UTF-16 file: only this fault, since none of its other characters means what it seems to. */
const notText = (start: number): SyntaxFault => ({
  code: 'syntax/unexpected',
  start,
  end: start + 1,
  message: 'This is not a text file: it has a NUL character here. Save the file as UTF-8 text.',
});

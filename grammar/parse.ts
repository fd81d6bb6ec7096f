import { tokenize } from './lexer.ts';
import { FileParser } from './parser/declarations.ts';
import type { SyntaxFile } from './syntax.ts';

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

/** Text to syntax tree. Never throws; what is wrong is in `errors`, in order of position. */
export const parse = (text: string, limits: ParseLimits = {}): SyntaxFile => {
  const { size = Infinity, faults = 1000, depth = 200 } = limits;
  if (text.length > size) return { kind: 'file', text, tokens: [], comments: [], declarations: [], errors: [] };
  parser ??= new FileParser({ skipValidations: true });
  const source = tokenize(text);
  const { declarations, errors } = parser.read(text, source, faults, depth);
  return { kind: 'file', text, tokens: source.tokens, comments: source.comments, declarations, errors };
};

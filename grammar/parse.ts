import { tokenize } from './lexer.ts';
import { FileParser } from './parser/declarations.ts';
import { readEdited, type Seams } from './edited.ts';
import { Stretches } from './stretches.ts';
import type { NodeBase, SyntaxFault, SyntaxFile, Token } from './syntax.ts';

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

/** What the next text may know of a tree. */
const seams = new WeakMap<SyntaxFile, Seams>();

/**
 * Text to syntax tree; of a text with a NUL character it has tokens, no declarations and one fault. Never throws; what is wrong is in
 * `errors`, in order of position. `earlier` is the tree of a text from which few characters differ: the tree is the same as without it,
 * and takes the declarations around the edit from there.
 */
export const parse = (text: string, limits: ParseLimits = {}, earlier?: SyntaxFile): SyntaxFile => {
  const { size = Infinity, faults = 1000, depth = 200 } = limits;
  if (text.length > size) return { kind: 'file', text, tokens: [], comments: [], declarations: [], errors: [] };
  parser ??= new FileParser({ skipValidations: true });
  const nul = text.indexOf('\0');
  const known = earlier === undefined || nul >= 0 ? undefined : seams.get(earlier);
  if (earlier !== undefined && known?.faults === faults && known.depth === depth) {
    const edited = readEdited(parser, earlier, known, text);
    if (edited !== undefined) {
      seams.set(edited.file, edited.seams);
      return edited.file;
    }
  }
  const source = tokenize(text);
  const { tokens, comments } = source;
  if (nul >= 0) return { kind: 'file', text, tokens, comments, declarations: [], errors: [notText(nul)] };
  const { declarations, errors, outside, tooDeep } = parser.read(text, source, faults, depth);
  const file: SyntaxFile = { kind: 'file', text, tokens, comments, declarations, errors };
  if (!tooDeep && errors.length < faults)
    seams.set(file, { outside, tokens: Stretches.of(tokens), comments: Stretches.of(comments), faults, depth });
  return file;
};

/** The tokens of a node of the file. After an edit, reading `tokens` copies every token of the file. */
export const tokensOf = (file: SyntaxFile, { first, last }: NodeBase): readonly Token[] =>
  seams.get(file)?.tokens.slice(first, last + 1) ?? file.tokens.slice(first, last + 1);

/** A binary or UTF-16 file: only this fault, since none of its other characters means what it seems to. */
const notText = (start: number): SyntaxFault => ({
  code: 'syntax/unexpected',
  start,
  end: start + 1,
  message: 'This is not a text file: it has a NUL character here. Save the file as UTF-8 text.',
});

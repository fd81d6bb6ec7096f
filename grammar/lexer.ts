import { EOF, Lexer } from 'chevrotain';
import type { IToken } from 'chevrotain';
import type { Comment, SyntaxFault, Token, TokenKind } from './syntax.ts';
import { DocComment, LineComment, Malformed, tokenTypes, UnclosedString } from './tokens.ts';
import * as types from './tokens.ts';

/** What the parser reads, and what the tree keeps. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
  readonly faults: readonly SyntaxFault[];
  /** Without the tokens that the language has no use for; chevrotain appends its end marks here. */
  readonly stream: IToken[];
  /** Index into `tokens` of each token of `stream`; absent where they are the same. */
  readonly places?: Int32Array;
  /** For each token that the stream leaves out: its start, and the end of its line. In order. */
  readonly left: readonly { readonly start: number; readonly lineEnd: number }[];
}

const lexer = new Lexer([...tokenTypes], {
  positionTracking: 'onlyOffset',
  ensureOptimizations: true,
  skipValidations: true,
});

const kinds: TokenKind[] = [];
for (const type of tokenTypes) kinds[type.tokenTypeIdx ?? 0] = 'punctuation';
for (const type of tokenTypes) {
  const isWord = type.CATEGORIES?.includes(types.Word) === true;
  if (isWord) kinds[type.tokenTypeIdx ?? 0] = 'name';
}
kinds[types.Quantity.tokenTypeIdx ?? 0] = 'quantity';
kinds[types.ClosedString.tokenTypeIdx ?? 0] = 'string';
kinds[UnclosedString.tokenTypeIdx ?? 0] = 'error';
kinds[Malformed.tokenTypeIdx ?? 0] = 'error';

/** Longest piece of the user's text that a message repeats. */
const quotable = 40;
export const clip = (text: string): string => (text.length > quotable ? `${text.slice(0, quotable - 1)}…` : text);
export const quote = (text: string): string => `"${clip(text)}"`;

const lineBreak = /[\r\n]/g;

/**
 * Text to tokens. Never throws; each character is in a token, in a comment or white space. Of the text from `from` to before `to`
 * only, if they are given: offsets are of the whole text, and a token may not reach over an end.
 */
export const tokenize = (text: string, from = 0, to = text.length): Tokens => {
  const result = lexer.tokenize(to - from === text.length ? text : copyOf(text.slice(from, to)));
  const faults: SyntaxFault[] = [];
  const comments = (result.groups['comments'] ?? []).map((c) => toComment(c, from, faults));
  const lexed = result.tokens;
  const tokens: Token[] = new Array<Token>(lexed.length);
  let clean = result.errors.length === 0;
  for (let i = 0; i < lexed.length; i++) {
    const t = lexed[i];
    const kind = kinds[t.tokenTypeIdx] ?? 'error';
    const { image } = t;
    const start = from + t.startOffset;
    const end = start + image.length;
    tokens[i] = { kind, text: image, start, end };
    if (kind === 'quantity') {
      if (image.length > 4 && !Number.isFinite(Number.parseFloat(image))) faults.push(tooLarge(image, start, end));
    } else if (kind === 'error') {
      if (t.tokenType === UnclosedString) faults.push(unclosedString(start, end));
      else clean = false;
    }
  }
  if (clean) return { tokens, comments, faults, stream: lexed, left: [] };

  for (const { offset, length } of result.errors) {
    const start = from + offset;
    tokens.push({ kind: 'error', text: text.slice(start, start + length), start, end: start + length });
  }
  tokens.sort((a, b) => a.start - b.start);
  const stream: IToken[] = [];
  const places: number[] = [];
  const left: { start: number; lineEnd: number }[] = [];
  let lineEnd = -1;
  let next = 0;
  tokens.forEach((token, index) => {
    let candidate: IToken | undefined = lexed[next];
    if (candidate !== undefined && from + candidate.startOffset === token.start) {
      next++;
      if (candidate.tokenType !== Malformed) {
        stream.push(candidate);
        places.push(index);
        return;
      }
    } else candidate = undefined;
    if (token.start >= lineEnd) {
      lineBreak.lastIndex = token.end;
      lineEnd = lineBreak.exec(text)?.index ?? text.length;
    }
    left.push({ start: token.start, lineEnd });
    faults.push(candidate === undefined ? unknown(token) : malformed(token));
  });
  return { tokens, comments, faults, stream, places: Int32Array.from(places), left };
};

/** A text that does not keep the one that it is a part of in memory, as tokens would for as long as they live. */
const copyOf = (part: string): string => ` ${part}`.slice(1);

const toComment = (token: IToken, from: number, faults: SyntaxFault[]): Comment => {
  const { image: text } = token;
  const start = from + token.startOffset;
  const end = start + text.length;
  const kind = token.tokenType === DocComment ? 'doc' : token.tokenType === LineComment ? 'line' : 'block';
  if (kind === 'block' && (text.length < 4 || !text.endsWith('*/'))) {
    const opened = { start, end: start + 2 };
    faults.push({
      code: 'syntax/unclosed',
      ...opened,
      opened,
      message: 'Expected "*/" to close this comment, found the end of the file.',
    });
  }
  return { kind, text, start, end };
};

const unclosedString = (start: number, end: number): SyntaxFault => ({
  code: 'syntax/unclosed',
  start,
  end,
  opened: { start, end: start + 1 },
  message: 'Expected a closing quote before the end of the line.',
});

const tooLarge = (text: string, start: number, end: number): SyntaxFault => ({
  code: 'syntax/unit',
  start,
  end,
  message: `Expected a number below 1.8e308, found ${quote(text)}.`,
});

const otherLetter = /[\p{L}\p{N}]/u;

const unknown = ({ text, start, end }: Token): SyntaxFault => ({
  code: 'syntax/unexpected',
  start,
  end,
  message: `Expected a name, a quantity or punctuation, found ${quote(text)}, which ${otherLetter.test(text) ? 'no name can have: names are of the letters a to z and A to Z, digits and "_"' : 'has no meaning here'}.`,
});

const malformed = ({ text, start, end }: Token): SyntaxFault => ({
  code: 'syntax/unit',
  start,
  end,
  message: `Expected a number with a unit such as "4ms" or "25GB/s", found ${quote(text)}.`,
});

export const endOfFile = EOF.tokenTypeIdx ?? 0;

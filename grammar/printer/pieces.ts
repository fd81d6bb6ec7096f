import type { Comment, SyntaxFile } from '../syntax.ts';

/** A token or a comment: what the printer puts white space between, and nothing else. */
export interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Index into the tokens of the file, or -1 for a comment. */
  readonly token: number;
  readonly comment?: Comment['kind'];
  /** Line ends in the source between the piece before and this one: 0, 1, or 2 for more. */
  readonly breaks: 0 | 1 | 2;
}

export interface Pieces {
  readonly all: readonly Piece[];
  /** The piece of each token. */
  readonly ofToken: readonly number[];
}

const breaksBetween = (text: string, from: number, to: number): 0 | 1 | 2 => {
  let found = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) found++;
    if (found === 2) return 2;
  }
  return found === 0 ? 0 : 1;
};

/** Tokens and comments in order of position. White space at the end of a line comment is not part of it. */
export const piecesOf = ({ text, tokens, comments }: SyntaxFile): Pieces => {
  const all: Piece[] = [];
  const ofToken: number[] = [];
  let next = 0;
  let before = 0;
  const addComments = (until: number): void => {
    for (let comment = comments[next]; comment !== undefined && comment.start < until; comment = comments[++next]) {
      const { kind, start, end } = comment;
      const shown = kind === 'block' ? comment.text : comment.text.trimEnd();
      all.push({ text: shown, start, end, token: -1, comment: kind, breaks: breaksBetween(text, before, start) });
      before = end;
    }
  };
  tokens.forEach((token, index) => {
    addComments(token.start);
    ofToken.push(all.length);
    const { start, end } = token;
    all.push({ text: token.text, start, end, token: index, breaks: breaksBetween(text, before, start) });
    before = end;
  });
  addComments(Infinity);
  return { all, ofToken };
};

/** Columns that a text takes: astral characters count once. */
export const columns = (text: string): number => {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) pairs++;
  }
  return text.length - pairs;
};

export const endsLine = (piece: Piece | undefined): boolean => piece?.comment === 'line' || piece?.comment === 'doc';

export const hasBreak = (text: string): boolean => /[\r\n]/.test(text);

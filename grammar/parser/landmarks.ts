import type { TokenType } from 'chevrotain';
import { clip, endOfFile } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import * as types from '../tokens.ts';
import type { Operator } from './operators.ts';

const id = (type: TokenType): number => type.tokenTypeIdx ?? -1;
const within = (category: TokenType): Uint8Array => {
  const table = new Uint8Array(1 + Math.max(...types.tokenTypes.map(id)));
  for (const type of types.tokenTypes) if (type.CATEGORIES?.includes(category) === true) table[id(type)] = 1;
  return table;
};
const words = within(types.Word);
const operators = within(types.BinaryOperator);
const opens = new Map([types.LeftBrace, types.LeftBracket, types.LeftParen].map((type) => [id(type), true]));
const opening = new Map([
  [id(types.RightBrace), id(types.LeftBrace)],
  [id(types.RightBracket), id(types.LeftBracket)],
  [id(types.RightParen), id(types.LeftParen)],
]);
const keywords = new Set([types.Import, types.Param, types.Let, types.BlockKeyword].map(id));
const beginnings = within(types.Text);
for (const type of [types.Quantity, types.LeftBracket, types.LeftParen, types.Minus]) beginnings[id(type)] = 1;
for (let i = 0; i < words.length; i++) if (words[i] === 1) beginnings[i] = 1;

/** Keys after which a name follows, so that a line break before the name is no sign of a forgotten value. */
const named = new Set(['layer', 'stage', 'link', 'node', 'switch']);

/**
 * What the parser and its recovery know of the text ahead: which brackets belong together, and where an entry or a
 * declaration evidently begins. Indices count the tokens of the stream; every question is answered in constant time.
 */
export class Landmarks {
  readonly count: number;
  private readonly source: Tokens;
  private readonly text: string;
  private readonly kinds: Uint16Array;
  private readonly partners: Int32Array;

  constructor(text: string, source: Tokens) {
    this.text = text;
    this.source = source;
    this.count = source.stream.length;
    this.kinds = new Uint16Array(this.count);
    source.stream.forEach((token, i) => (this.kinds[i] = token.tokenTypeIdx));
    this.partners = new Int32Array(this.count).fill(-1);
    this.matchBrackets();
  }

  /** Index into the tokens of the tree; for an index past the end, one past the last token. */
  place(i: number): number {
    const { places, tokens } = this.source;
    if (places === undefined) return i;
    return i < 0 ? -1 : (places[i] ?? tokens.length);
  }

  kind(i: number): number {
    return this.kinds[i] ?? endOfFile;
  }

  is(i: number, type: TokenType): boolean {
    return this.kind(i) === id(type);
  }

  image(i: number): string {
    return this.source.tokens[this.place(i)]?.text ?? '';
  }

  /** The text of a token as messages repeat it. */
  shown(i: number): string {
    return clip(this.image(i));
  }

  isWord(i: number): boolean {
    return words[this.kind(i)] === 1;
  }

  /** The operator between two operands, where one stands. */
  operator(i: number): Operator | undefined {
    return operators[this.kind(i)] === 1 ? (this.image(i) as Operator) : undefined;
  }

  isKeyword(i: number): boolean {
    return keywords.has(this.kind(i));
  }

  /** The bracket that belongs to the bracket at `i`, or -1. */
  partner(i: number): number {
    return this.partners[i] ?? -1;
  }

  startsLine(i: number): boolean {
    const token = this.source.tokens[this.place(i)];
    if (token === undefined) return true;
    const before = this.source.tokens[this.place(i - 1)]?.end ?? 0;
    if (i === 0) return true;
    for (let at = before; at < token.start; at++) {
      const unit = this.text.charCodeAt(at);
      if (unit === 10 || unit === 13) return true;
    }
    return false;
  }

  /** `keyword name {`, `param name =`, `import "…`: what only a declaration looks like. */
  isDeclaration(i: number): boolean {
    if (!this.isKeyword(i)) return false;
    if (this.is(i, types.Import)) return this.is(i + 1, types.LeftBrace) || this.isText(i + 1);
    if (!this.isWord(i + 1)) return false;
    return this.is(i + 2, this.is(i, types.BlockKeyword) ? types.LeftBrace : types.Equals);
  }

  /** A declaration that is perhaps not yet complete; for recovery outside blocks. */
  resumesFile(i: number): boolean {
    if (!this.isKeyword(i)) return false;
    if (this.isDeclaration(i)) return true;
    if (!this.startsLine(i)) return false;
    return this.isWord(i + 1) || this.isText(i + 1) || this.is(i + 1, types.LeftBrace) || this.startsLine(i + 1);
  }

  /** A name with a `=` or `{` after it, or after its brackets: an entry, and never the end of an expression. */
  isEntry(i: number): boolean {
    if (!this.isWord(i)) return false;
    let next = i + 1;
    if (this.is(next, types.LeftBracket) && this.partner(next) > 0) next = this.partner(next) + 1;
    if (this.is(next, types.LeftParen) && this.partner(next) > 0) next = this.partner(next) + 1;
    return this.is(next, types.Equals) || this.is(next, types.LeftBrace);
  }

  /** Where recovery inside a block goes on. */
  resumesBlock(i: number): boolean {
    return this.isWord(i) && (this.startsLine(i) || this.isEntry(i));
  }

  /** `layer name`, `stage name` on a line of their own. */
  isNamedEntry(i: number): boolean {
    return this.isNamedKey(i) && this.isWord(i + 1) && this.startsLine(i) && !this.startsLine(i + 1);
  }

  isNamedKey(i: number): boolean {
    return this.isWord(i) && named.has(this.image(i));
  }

  /** Whether the token can begin an expression. */
  begins(i: number): boolean {
    return beginnings[this.kind(i)] === 1;
  }

  /** Whether the token can begin an expression, and is not rather the next entry or declaration. */
  beginsValue(i: number, insideBlock: boolean): boolean {
    if (beginnings[this.kind(i)] !== 1) return false;
    if (!this.isWord(i)) return true;
    if (this.isEntry(i) || this.isNamedEntry(i)) return false;
    return !(this.isDeclaration(i) && (!insideBlock || this.startsLine(i)));
  }

  isText(i: number): boolean {
    return this.is(i, types.ClosedString) || this.is(i, types.UnclosedString);
  }

  private matchBrackets(): void {
    const stack: number[] = [];
    /** How many braces are open: a brace ends what is open inside it, other brackets never reach out of it. */
    let braces = 0;
    for (let i = 0; i < this.count; i++) {
      const kind = this.kind(i);
      if (opens.has(kind)) {
        stack.push(i);
        if (kind === id(types.LeftBrace)) braces++;
      } else if (opening.has(kind)) {
        const wanted = opening.get(kind) ?? -1;
        if (kind === id(types.RightBrace) ? braces > 0 : this.isOpen(stack, wanted)) {
          let open = stack.pop() ?? -1;
          while (open >= 0 && this.kind(open) !== wanted) open = stack.pop() ?? -1;
          if (kind === id(types.RightBrace)) braces--;
          this.partners[open] = i;
          this.partners[i] = open;
        }
      } else if (stack.length > 0 && keywords.has(kind) && this.isDeclaration(i) && this.startsLine(i)) {
        stack.length = 0;
        braces = 0;
      }
    }
  }

  /** How far back a closing bracket looks for its opening one; keeps a long run of mismatched brackets linear. */
  private isOpen(stack: readonly number[], wanted: number): boolean {
    for (let at = stack.length - 1, tries = 0; at >= 0 && tries < 16; at--, tries++) {
      const kind = this.kind(stack[at] ?? -1);
      if (kind === wanted) return true;
      if (kind === id(types.LeftBrace)) return false;
    }
    return false;
  }
}

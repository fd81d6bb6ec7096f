import type { TokenType } from 'chevrotain';
import { clip, endOfFile } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import * as types from '../tokens.ts';

const id = (type: TokenType): number => type.tokenTypeIdx ?? -1;
const within = (category: TokenType): Uint8Array => {
  const held = new Uint8Array(1 + Math.max(...types.tokenTypes.map(id)));
  for (const type of types.tokenTypes) if (type.CATEGORIES?.includes(category) === true) held[id(type)] = 1;
  return held;
};
const words = within(types.Word);
const table = (...chosen: readonly TokenType[]): Uint8Array => {
  const held = new Uint8Array(words.length);
  for (const type of chosen) held[id(type)] = 1;
  return held;
};
const opens = table(types.LeftBrace, types.LeftBracket, types.LeftParen);
const closes = table(types.RightBrace, types.RightBracket, types.RightParen);
const openerOf = new Map([
  [id(types.RightBrace), id(types.LeftBrace)],
  [id(types.RightBracket), id(types.LeftBracket)],
  [id(types.RightParen), id(types.LeftParen)],
]);
const bindings = table(types.Param, types.Let);
const keywords = table(types.Import, types.Param, types.Let, types.Expect, types.BlockKeyword);
const texts = within(types.Text);
const beginnings = table(types.Quantity, types.LeftBracket, types.LeftParen, types.Minus).map(
  (begins, kind) => begins | (words[kind] ?? 0) | (texts[kind] ?? 0),
);

/** Keys after which a name follows, so that a line break before the name is no sign of a forgotten value. */
const named = new Set(['layer', 'stage', 'link', 'node', 'switch', 'let', 'param', 'operation']);

/** Functions of operations. None of them is a key of a schedule. */
const combining = new Set(['each', 'take', 'drop', 'zip', 'repeat', 'fused', 'if']);

/**
 * What the parser and its recovery know of the text ahead: which brackets belong together, and where an entry or a
 * declaration clearly begins. Indices count the tokens of the stream; every question is answered in constant time.
 */
export class Landmarks {
  readonly count: number;
  private readonly source: Tokens;
  private readonly text: string;
  private readonly kinds: Uint16Array;
  private readonly partners: Int32Array;
  /** Tokens `let` and `param` inside a schedule: they begin entries there, and no declarations. */
  private readonly members = new Set<number>();
  /** Tokens before an `in` inside a search: they begin entries. */
  private readonly axes = new Set<number>();
  /** 1 for each token before which no bracket is open, and for the end: the text after it is read as if it were a file. */
  private readonly outside: Uint8Array;

  constructor(text: string, source: Tokens) {
    this.text = text;
    this.source = source;
    this.count = source.stream.length;
    this.kinds = new Uint16Array(this.count);
    for (let i = 0; i < this.count; i++) this.kinds[i] = source.stream[i]?.tokenTypeIdx ?? endOfFile;
    this.partners = new Int32Array(this.count).fill(-1);
    this.outside = new Uint8Array(this.count + 1);
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

  isKeyword(i: number): boolean {
    return keywords[this.kind(i)] === 1;
  }

  /** The bracket that belongs to the bracket at `i`, or -1. */
  partner(i: number): number {
    return this.partners[i] ?? -1;
  }

  /** The token after the one at `i`, or after the brackets that open there. */
  after(i: number): number {
    return Math.max(i, this.partner(i)) + 1;
  }

  /** The first token from `i` on for which `holds`, or the end; brackets are passed as a whole. */
  find(i: number, holds: (at: number) => boolean): number {
    let at = i;
    while (at < this.count && !holds(at)) at = this.after(at);
    return at;
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

  /** Whether the `let` or `param` at `i` belongs to the schedule around it. */
  isMember(i: number): boolean {
    return this.members.has(i);
  }

  /** `tensor in …` of a search. */
  isAxis(i: number): boolean {
    return this.axes.has(i);
  }

  /** Whether no bracket is open before token `i`. The end of the tokens is asked for by their number. */
  isOutside(i: number): boolean {
    return this.outside[i] === 1;
  }

  /** `require` in a block, unless it is used as a key. */
  isRequirement(i: number): boolean {
    return this.is(i, types.Require) && !this.is(i + 1, types.Equals) && !this.is(i + 1, types.LeftBrace);
  }

  /** `keyword name {`, `param name =`, `import "…`: what only a declaration looks like. */
  isDeclaration(i: number): boolean {
    return this.looksDeclared(i) && !this.members.has(i);
  }

  private looksDeclared(i: number): boolean {
    if (!this.isKeyword(i)) return false;
    if (this.is(i, types.Import)) return this.is(i + 1, types.LeftBrace) || this.isText(i + 1);
    if (!this.isWord(i + 1)) return false;
    const binds = this.is(i, types.Param) || this.is(i, types.Let);
    return this.is(i + 2, binds ? types.Equals : types.LeftBrace);
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
    if (this.axes.has(i)) return true;
    let next = i + 1;
    if (this.is(next, types.LeftBracket) && this.partner(next) > 0) next = this.partner(next) + 1;
    if (this.is(next, types.LeftParen) && this.partner(next) > 0) next = this.partner(next) + 1;
    return this.is(next, types.Equals) || this.is(next, types.LeftBrace);
  }

  /** `F[…]`, `zip(…)`: what only operations of a schedule look like, and no entry. */
  beginsOperations(i: number): boolean {
    if (!this.isWord(i) || this.isEntry(i)) return false;
    if (this.is(i, types.In) || this.is(i, types.Step)) return false;
    if (this.is(i + 1, types.LeftBracket)) return true;
    return this.is(i + 1, types.LeftParen) && combining.has(this.image(i));
  }

  /** Whether recovery inside a block may continue at token `i`. */
  resumesBlock(i: number): boolean {
    return this.isWord(i) && (this.startsLine(i) || this.isEntry(i));
  }

  /** `layer name`, `stage name` on one line, at its start; and `require` with its condition. */
  isNamedEntry(i: number): boolean {
    if (this.isRequirement(i)) return this.startsLine(i);
    return this.isNamedKey(i) && this.isWord(i + 1) && this.startsLine(i) && !this.startsLine(i + 1);
  }

  isNamedKey(i: number): boolean {
    return this.isWord(i) && named.has(this.image(i));
  }

  /** Whether the token can begin an expression. */
  begins(i: number): boolean {
    return beginnings[this.kind(i)] === 1;
  }

  /** Whether the token can begin an expression, and is not the next entry or declaration. */
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
    /** The brace of the schedule that is open, and each `let` and `param` from the first that the layout puts outside. */
    let schedule = -1;
    let search = -1;
    let outside: number[] = [];
    const isOutside = (): boolean => stack.length === 0 && braces === 0 && schedule < 0 && search < 0;
    const leaveSchedule = (): void => {
      // Only a brace that is never closed makes the layout decide.
      if (schedule >= 0 && this.partner(schedule) < 0) for (const member of outside) this.members.delete(member);
      schedule = -1;
      outside = [];
    };
    for (let i = 0; i < this.count; i++) {
      const kind = this.kind(i);
      if (isOutside()) this.outside[i] = 1;
      if (schedule >= 0 && bindings[kind] === 1) {
        this.members.add(i);
        if (outside.length > 0 || this.startsText(i)) outside.push(i);
        // A bracket that the entry before has left open is not closed by this one.
        if (this.looksDeclared(i) && this.startsLine(i))
          while (stack.length > 0 && this.kind(stack[stack.length - 1] ?? -1) !== id(types.LeftBrace)) stack.pop();
      } else if (opens[kind] === 1) {
        if (braces === 0 && kind === id(types.LeftBrace) && this.image(i - 2) === 'schedule') schedule = i;
        if (braces === 0 && kind === id(types.LeftBrace) && this.image(i - 2) === 'search') search = i;
        stack.push(i);
        if (kind === id(types.LeftBrace)) braces++;
      } else if (closes[kind] === 1) {
        const wanted = openerOf.get(kind) ?? -1;
        if (kind === id(types.RightBrace) ? braces > 0 : this.isOpen(stack, wanted)) {
          let open = stack.pop() ?? -1;
          while (open >= 0 && this.kind(open) !== wanted) open = stack.pop() ?? -1;
          if (kind === id(types.RightBrace)) braces--;
          this.partners[open] = i;
          this.partners[i] = open;
          if (open === schedule) leaveSchedule();
          if (open === search) search = -1;
        }
      } else if (keywords[kind] === 1 && stack.length > 0 && this.isDeclaration(i) && this.startsLine(i)) {
        stack.length = 0;
        braces = 0;
        search = -1;
        leaveSchedule();
        this.outside[i] = 1;
      } else if (search >= 0 && kind === id(types.In) && braces === 1 && this.isWord(i - 1)) this.axes.add(i - 1);
    }
    if (isOutside()) this.outside[this.count] = 1;
    leaveSchedule();
  }

  /** Whether the token is the first character of its line. */
  private startsText(i: number): boolean {
    const start = this.source.tokens[this.place(i)]?.start ?? 0;
    const before = this.text.charCodeAt(start - 1);
    return start === 0 || before === 10 || before === 13;
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

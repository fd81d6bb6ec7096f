import { EmbeddedActionsParser } from 'chevrotain';
import type { TokenType } from 'chevrotain';
import { tokenize } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import { splitQuantity, unquote } from '../literals.ts';
import type { Argument, Expression, Missing, Name, Quantity, StringLiteral } from '../syntax.ts';
import * as types from '../tokens.ts';
import { Chain } from './chain.ts';
import { Faults } from './faults.ts';
import { Landmarks } from './landmarks.ts';
import { Places } from './places.ts';

const nothing = tokenize('');

/**
 * The rules of expressions. The grammar is total: before a rule commits to a token it asks what stands there, reports
 * what should, and goes on with an empty or shortened node; chevrotain's own exceptions never occur. Recovery is ours
 * because an editor lives on what is half written, and what that may be is known best where it is read.
 * The rules that nest are shown to chevrotain in its own words (`show…`) and take their branches by hand: so a level of
 * brackets costs a third of the stack, and the deepest nesting allowed fits wherever the parser is called from.
 * Numbers named `i`, `from`, `open` count tokens of the stream.
 */
export abstract class ExpressionParser extends EmbeddedActionsParser {
  // Chevrotain's cursor, the index of the token consumed last: nodes need it, and recovery moves it.
  declare protected currIdx: number;
  protected marks: Landmarks = new Landmarks('', nothing);
  protected faults: Faults = new Faults('', nothing, this.marks, 0);
  protected places: Places = new Places('', nothing, this.marks);
  protected nesting = 0;
  protected deepest = 0;
  /** Whether blocks are open around the token read now. */
  protected blocks = 0;
  private tooDeep = false;
  /** Operators and brackets on the longest way down the expression read last. */
  private height = 0;

  protected constructor(skipValidations: boolean) {
    super([...types.tokenTypes], { maxLookahead: 1, recoveryEnabled: false, skipValidations });
  }

  protected prepare(text: string, source: Tokens, faults: number, depth: number): void {
    this.marks = new Landmarks(text, source);
    this.faults = new Faults(text, source, this.marks, faults);
    this.places = new Places(text, source, this.marks);
    this.deepest = depth;
    this.nesting = 0;
    this.blocks = 0;
    this.height = 0;
    this.tooDeep = false;
    this.input = source.stream;
  }

  /** The parser outlives the text: what was read is not to stay in memory with it. */
  protected release(): void {
    this.prepare('', nothing, 0, 0);
  }

  /** Index of the token to be read next. */
  protected get next(): number {
    return this.currIdx + 1;
  }

  /** Whether the rule runs for real or only shows chevrotain its shape; then every branch is to be taken. */
  protected sees(type: TokenType): boolean {
    return this.RECORDING_PHASE || this.marks.is(this.currIdx + 1, type);
  }

  protected beginsValue(): boolean {
    return this.RECORDING_PHASE || this.marks.beginsValue(this.currIdx + 1, this.blocks > 0);
  }

  protected name(i: number): Name {
    const { first, last, start, end } = this.places.node(i, i + 1);
    return { kind: 'name', first, last, start, end, text: this.marks.image(i) };
  }

  /** The value that should stand here does not. */
  protected missing(after: string): Missing {
    this.faults.missing(this.next, `a value after "${after}"`);
    return this.gap();
  }

  protected gap(): Missing {
    return { kind: 'missing', ...this.places.node(this.next, this.next) };
  }

  /** Goes on reading at token `i`. */
  protected jump(i: number): void {
    this.currIdx = i - 1;
  }

  /** The first token from `i` on at which an entry may begin or a block ends; what stands in brackets is passed over. */
  protected nextEntry(i: number): number {
    const { marks } = this;
    for (let at = i; at < marks.count; at++) {
      if (marks.is(at, types.RightBrace) || marks.is(at, types.Semicolon) || marks.resumesBlock(at)) return at;
      if (marks.partner(at) > at) at = marks.partner(at);
    }
    return marks.count;
  }

  /** One level of brackets deeper, unless that is too deep: then what they hold is passed over, without recursion. */
  protected enter(open: number): boolean {
    if (this.RECORDING_PHASE || this.nesting < this.deepest) {
      this.nesting++;
      return true;
    }
    if (!this.tooDeep) this.faults.say(open, `Brackets are nested deeper than ${this.deepest} here.`);
    this.tooDeep = true;
    const partner = this.marks.partner(open);
    this.jump(partner > 0 ? partner : this.nextEntry(open + 1));
    this.faults.hush(this.next);
    return false;
  }

  readonly expression = this.RULE('expression', (): Expression => {
    if (this.RECORDING_PHASE) return this.showExpression();
    const { marks } = this;
    const first = this.operand();
    let operator = marks.operator(this.next);
    if (operator === undefined) return first;
    const chain = new Chain(first, this.height, this.faults, this.places, this.deepest);
    for (; operator !== undefined; operator = marks.operator(this.next)) {
      const i = this.next;
      this.CONSUME(types.BinaryOperator);
      const value = this.beginsValue() ? this.operand() : this.missing(operator);
      chain.add(operator, i, value, value.kind === 'missing' ? 0 : this.height);
    }
    const { value, height } = chain.finish();
    this.height = height;
    return value;
  });

  private showExpression(): Expression {
    this.AT_LEAST_ONE_SEP({
      SEP: types.BinaryOperator,
      DEF: () => {
        this.MANY(() => this.CONSUME(types.Minus));
        this.OR([
          { ALT: () => this.CONSUME(types.Quantity) },
          { ALT: () => this.CONSUME(types.Text) },
          {
            ALT: () => {
              this.CONSUME(types.Word);
              this.OPTION(() =>
                this.OR1([
                  { ALT: () => this.SUBRULE(this.parenthesised) },
                  { ALT: () => this.SUBRULE(this.bracketed) },
                ]),
              );
            },
          },
          { ALT: () => this.SUBRULE1(this.bracketed) },
          { ALT: () => this.SUBRULE1(this.parenthesised) },
        ]);
      },
    });
    return this.gap();
  }

  /** Minus signs and what they stand before; only asked for where an expression begins. */
  private operand(): Expression {
    const from = this.next;
    while (this.sees(types.Minus)) this.CONSUME(types.Minus);
    const minuses = this.next - from;
    if (minuses === 0) return this.primary();
    let value: Expression;
    if (this.beginsValue()) value = this.primary();
    else {
      value = this.missing('-');
      this.height = 0;
    }
    const kept = Math.min(minuses, Math.max(0, this.deepest - this.height));
    if (kept < minuses) this.faults.say(from, `This expression is nested deeper than ${this.deepest}.`);
    this.height += kept;
    for (let i = from + minuses - 1; i >= from + minuses - kept; i--) {
      const { first, start } = this.places.node(i, i + 1);
      value = { kind: 'unary', first, last: value.last, start, end: value.end, operator: '-', operand: value };
    }
    return value;
  }

  private primary(): Expression {
    if (this.marks.isWord(this.next)) return this.nameCallOrIndex();
    if (this.sees(types.Quantity)) return this.quantity();
    if (this.sees(types.LeftBracket)) return this.list();
    if (this.sees(types.LeftParen)) return this.group();
    return this.text();
  }

  private quantity(): Quantity {
    const i = this.next;
    this.CONSUME(types.Quantity);
    this.height = 0;
    const { first, last, start, end } = this.places.node(i, i + 1);
    const { value, unit } = splitQuantity(this.marks.image(i));
    return { kind: 'quantity', first, last, start, end, value, unit };
  }

  private text(): StringLiteral {
    const i = this.next;
    this.CONSUME(types.Text);
    this.height = 0;
    return this.literal(i);
  }

  protected literal(i: number): StringLiteral {
    const { first, last, start, end } = this.places.node(i, i + 1);
    return { kind: 'string', first, last, start, end, value: unquote(this.marks.image(i)) };
  }

  private nameCallOrIndex(): Expression {
    const from = this.next;
    this.CONSUME(types.Word);
    const name = this.name(from);
    this.height = 0;
    if (this.sees(types.LeftParen)) {
      const given = this.SUBRULE(this.parenthesised);
      const { first, last, start, end } = this.places.node(from, this.next);
      return { kind: 'call', first, last, start, end, callee: name, arguments: given };
    }
    if (this.sees(types.LeftBracket)) {
      const given = this.SUBRULE(this.bracketed);
      this.needsItem(from + 1, given);
      const { first, last, start, end } = this.places.node(from, this.next);
      return { kind: 'index', first, last, start, end, target: name, arguments: given };
    }
    return name;
  }

  private list(): Expression {
    const from = this.next;
    const items = this.values(this.SUBRULE1(this.bracketed));
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'list', first, last, start, end, items };
  }

  private group(): Expression {
    const from = this.next;
    const items = this.SUBRULE1(this.parenthesised);
    const inner = this.values(items)[0] ?? this.gap();
    if (!this.RECORDING_PHASE && !this.tooDeep && items.length !== 1) {
      this.faults.say(
        from,
        `Expected one value between "(" and ")", found ${items.length === 0 ? 'none' : 'several'}.`,
      );
    }
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'group', first, last, start, end, inner };
  }

  /** Brackets of an index or of parameters hold something. */
  protected needsItem(open: number, items: readonly Argument[]): void {
    if (!this.RECORDING_PHASE && !this.tooDeep && items.length === 0) {
      this.faults.unexpected(open + 1, `a value after "${this.marks.shown(open)}"`);
    }
  }

  /** Items of brackets in which none may carry a name. */
  protected values(items: readonly Argument[]): Expression[] {
    if (this.RECORDING_PHASE) return [];
    return items.map(({ name, value }) => {
      if (name !== undefined) this.faults.namedItem(name);
      return value;
    });
  }

  readonly parenthesised = this.RULE('parenthesised', (): readonly Argument[] => {
    const open = this.next;
    this.CONSUME(types.LeftParen);
    const items = this.RECORDING_PHASE ? this.showItems() : this.items(open, types.RightParen, ')');
    if (this.sees(types.RightParen)) this.CONSUME(types.RightParen);
    else this.faults.unclosed(this.next, open, ')', this.opener(open, '('));
    return items;
  });

  readonly bracketed = this.RULE('bracketed', (): readonly Argument[] => {
    const open = this.next;
    this.CONSUME(types.LeftBracket);
    const items = this.RECORDING_PHASE ? this.showItems() : this.items(open, types.RightBracket, ']');
    if (this.sees(types.RightBracket)) this.CONSUME(types.RightBracket);
    else this.faults.unclosed(this.next, open, ']', this.opener(open, '['));
    return items;
  });

  private opener(open: number, bracket: string): string {
    return `"${this.marks.isWord(open - 1) ? this.marks.shown(open - 1) : ''}${bracket}"`;
  }

  private showItems(): Argument[] {
    this.MANY_SEP({
      SEP: types.Comma,
      DEF: () => {
        this.OPTION({
          // The real reading looks one token further.
          MAX_LOOKAHEAD: 2,
          DEF: () => {
            this.CONSUME(types.Word);
            this.CONSUME(types.Equals);
          },
        });
        this.SUBRULE(this.expression);
      },
    });
    return [];
  }

  /** What stands between brackets, parted by commas. */
  private items(open: number, closer: TokenType, bracket: string): Argument[] {
    const items: Argument[] = [];
    let height = 0;
    if (this.enter(open)) {
      let first = true;
      for (;;) {
        const goesOn = this.goesOn(open, closer, bracket, first);
        if (goesOn === 'ends') break;
        if ((!first || goesOn === 'after junk') && this.sees(types.Comma)) this.CONSUME(types.Comma);
        const from = this.next;
        items.push(this.item(open));
        // What looks like an entry is none of ours: it is left to the block around.
        if (this.next === from && !this.sees(types.Comma)) break;
        height = Math.max(height, this.height);
        first = false;
      }
      this.nesting--;
    }
    this.height = height + 1;
    return items;
  }

  /** Whether brackets hold another item; reports and passes over what cannot be one. */
  private goesOn(open: number, closer: TokenType, bracket: string, first: boolean): 'item' | 'after junk' | 'ends' {
    const { marks } = this;
    const i = this.next;
    if (marks.is(i, closer)) return 'ends';
    if (marks.is(i, types.Comma)) return 'item';
    if (this.leavesBrackets(i, open)) return 'ends';
    if (marks.begins(i)) {
      if (first) return 'item';
      if (marks.partner(open) < 0 && marks.resumesBlock(i)) return 'ends';
      this.faults.unexpected(i, `"," or "${bracket}"`);
      return 'item';
    }
    this.faults.unexpected(i, first ? `a value or "${bracket}"` : `"," or "${bracket}"`);
    let at = i;
    while (!marks.is(at, closer) && !marks.is(at, types.Comma) && !this.leavesBrackets(at, open)) {
      at = Math.max(marks.partner(at), at) + 1;
      if (marks.partner(open) < 0 && marks.resumesBlock(at)) break;
    }
    this.jump(at);
    return marks.is(at, types.Comma) ? 'after junk' : 'ends';
  }

  /** Whether token `i` shows that the brackets opened at `open` were forgotten to be closed. */
  private leavesBrackets(i: number, open: number): boolean {
    const { marks } = this;
    if (i >= marks.count || marks.is(i, types.RightBrace) || marks.is(i, types.LeftBrace)) return true;
    if (marks.is(i, types.Semicolon)) return true;
    if (marks.is(i, types.RightParen) || marks.is(i, types.RightBracket)) return marks.partner(i) >= 0;
    if (marks.partner(open) > 0) return false;
    if (marks.is(i, types.Equals)) return true;
    return (
      marks.isWord(i) && marks.startsLine(i) && (marks.isEntry(i) || marks.isNamedEntry(i) || marks.isDeclaration(i))
    );
  }

  private item(open: number): Argument {
    const from = this.next;
    const { marks } = this;
    this.height = 0;
    if (marks.partner(from) !== open && this.leavesBrackets(from, open)) {
      const { first, last, start, end } = this.places.node(from, from);
      return { kind: 'argument', first, last, start, end, value: this.gap() };
    }
    let name: Name | undefined;
    if (marks.isWord(from) && marks.is(from + 1, types.Equals)) {
      this.CONSUME(types.Word);
      this.CONSUME(types.Equals);
      name = this.name(from);
    }
    const value = this.beginsValue() ? this.SUBRULE(this.expression) : this.missing(marks.shown(this.next - 1));
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'argument', first, last, start, end, name, value };
  }
}

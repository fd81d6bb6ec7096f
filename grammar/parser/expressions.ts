import type { IOrAlt } from 'chevrotain';
import type { Tokens } from '../lexer.ts';
import { splitQuantity, unquote } from '../literals.ts';
import type { Call, Expression, Group, Index, List, Quantity, StringLiteral } from '../syntax.ts';
import * as types from '../tokens.ts';
import { BracketParser } from './brackets.ts';
import { Chain } from './chain.ts';
import type { Operator } from './operators.ts';

/** The rules of expressions. If there is no value, the expression is `missing` and the fault is reported. */
export abstract class ExpressionParser extends BracketParser {
  /** The operand that operators may follow. */
  private first: Expression = this.gap();

  protected override prepare(text: string, source: Tokens, faults: number, depth: number): void {
    super.prepare(text, source, faults, depth);
    this.first = this.gap();
  }

  /**
   * `hasBegun` says that the next token belongs to it, even if it looks like the next entry. The `step` after the range of a
   * parameter is the parameter's (`ofParameter`).
   */
  readonly expression = this.RULE('expression', (hasBegun = false, ofParameter = false): Expression => {
    const first = hasBegun ? this.SUBRULE(this.operand, { ARGS: [true] }) : this.SUBRULE(this.operand);
    if (first.kind === 'missing') return first;
    this.first = first;
    const value = this.OPTION(this.operated) ?? first;
    const { height } = this;
    const step = this.OPTION1({
      GATE: () =>
        value.kind === 'range' &&
        !ofParameter &&
        this.marks.is(this.next, types.Step) &&
        !this.marks.isEntry(this.next),
      DEF: () => {
        this.CONSUME(types.Step);
        return this.SUBRULE(this.stepped);
      },
    });
    if (step === undefined || value.kind !== 'range') return value;
    this.height = Math.max(height, this.height + 1);
    const { last, end } = step;
    return { ...value, last: Math.max(value.last + 1, last), end: Math.max(end, value.end), step };
  });

  /** The number after `step`. It holds no range with another step, so that steps do not nest. */
  readonly stepped = this.RULE('stepped', (): Expression => {
    const first = this.SUBRULE(this.operand);
    if (first.kind === 'missing') return first;
    this.first = first;
    return this.OPTION(this.operated) ?? first;
  });

  /** Operators and operands after the first operand. */
  private readonly operations = (): Expression => {
    const chain = new Chain(this.first, this.height, this.faults, this.places, this.deepest);
    this.AT_LEAST_ONE({
      GATE: this.isOperator,
      DEF: () => {
        const i = this.next;
        const { image } = this.CONSUME(types.BinaryOperator);
        chain.add(image as Operator, i, this.SUBRULE1(this.operand), this.height);
      },
    });
    const { value, height } = chain.finish();
    this.height = height;
    return value;
  };

  /** `and` and `or` may also be the key of the next entry. */
  private readonly isOperator = (): boolean =>
    !(this.marks.is(this.next, types.And) || this.marks.is(this.next, types.Or)) || !this.marks.isEntry(this.next);
  private readonly operated = { GATE: this.isOperator, DEF: this.operations };

  readonly operand = this.RULE('operand', (hasBegun = false): Expression => {
    this.height = 0;
    const begins = hasBegun || this.marks.beginsValue(this.next, this.blocks > 0);
    return begins ? this.OR(this.operands) : this.missing();
  });

  private readonly operands: IOrAlt<Expression>[] = [
    { ALT: () => this.nameOrMore() },
    { ALT: () => this.quantity() },
    { ALT: () => this.text(0) },
    { ALT: () => this.list() },
    { ALT: () => this.group() },
    { ALT: () => this.SUBRULE(this.negation) },
  ];

  /** Minus signs and their operand. A loop, because there may be a million signs. */
  readonly negation = this.RULE('negation', (): Expression => {
    const from = this.next;
    this.AT_LEAST_ONE(() => this.CONSUME(types.Minus));
    const minuses = this.next - from;
    let value = this.SUBRULE(this.operand);
    const kept = Math.min(minuses, Math.max(0, this.deepest - this.height));
    if (kept < minuses) this.faults.report(from, `This expression is nested deeper than ${this.deepest}.`);
    this.height += kept;
    for (let i = from + minuses - 1; i >= from + minuses - kept; i--) {
      const { first, start } = this.places.node(i, i + 1);
      value = { kind: 'unary', first, last: value.last, start, end: value.end, operator: '-', operand: value };
    }
    return value;
  });

  private quantity(): Quantity {
    const place = this.marks.place(this.next);
    this.CONSUME(types.Quantity);
    const { start, end, text } = this.places.token(place);
    const { value, unit } = splitQuantity(text);
    return { kind: 'quantity', first: place, last: place, start, end, value, unit };
  }

  protected text(index: number): StringLiteral {
    const place = this.marks.place(this.next);
    this.consume(index, types.Text);
    const { start, end, text } = this.places.token(place);
    return { kind: 'string', first: place, last: place, start, end, value: unquote(text) };
  }

  /** An end of a link: `gpu`, `gpu[0]`, `node(1)`. */
  readonly reference = this.RULE('reference', (): Expression => this.nameOrMore());

  /** A name, a call or an element. */
  private nameOrMore(): Expression {
    this.CONSUME(types.Word);
    return this.OPTION(this.callOrIndex) ?? this.name(this.next - 1);
  }

  private readonly callOrIndex = (): Expression => this.OR1(this.called);
  private readonly called: IOrAlt<Expression>[] = [{ ALT: () => this.call() }, { ALT: () => this.index() }];

  private call(): Call {
    const from = this.next - 1;
    const given = this.SUBRULE1(this.parenthesised);
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'call', first, last, start, end, callee: this.name(from), arguments: given };
  }

  private index(): Index {
    const from = this.next - 1;
    const given = this.filled(from + 1, this.SUBRULE1(this.bracketed));
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'index', first, last, start, end, target: this.name(from), arguments: given };
  }

  private list(): List {
    const from = this.next;
    const items = this.unnamed(this.SUBRULE(this.bracketed));
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'list', first, last, start, end, items };
  }

  private group(): Group {
    const from = this.next;
    const items = this.unnamed(this.SUBRULE(this.parenthesised));
    const inner = items[0] ?? this.gap();
    if (!this.tooDeep && items.length !== 1) {
      const found = items.length === 0 ? 'none' : 'several';
      this.faults.report(from, `Expected one value between "(" and ")", found ${found}.`);
    }
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'group', first, last, start, end, inner };
  }
}

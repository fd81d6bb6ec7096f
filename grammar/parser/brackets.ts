import type { IOrAlt, ParserMethod, TokenType } from 'chevrotain';
import type { Argument, Expression } from '../syntax.ts';
import * as types from '../tokens.ts';
import { TolerantParser } from './tolerant.ts';

/** The rules of `( … )` and `[ … ]`, wherever they occur: items separated by commas, each with an optional name. */
export abstract class BracketParser extends TolerantParser {
  /** Operators and brackets on the longest path down the expression read last. */
  protected height = 0;

  abstract readonly expression: ParserMethod<[hasBegun?: boolean, ofParameter?: boolean], Expression>;

  readonly parenthesised = this.RULE('parenthesised', (): readonly Argument[] => {
    const open = this.next;
    this.CONSUME(types.LeftParen);
    const items = this.items(open, types.RightParen, ')');
    if (!this.takes(1, types.RightParen)) this.faults.unclosed(this.next, open, ')', this.opener(open, '('));
    return items;
  });

  readonly bracketed = this.RULE('bracketed', (): readonly Argument[] => {
    const open = this.next;
    this.CONSUME(types.LeftBracket);
    const items = this.items(open, types.RightBracket, ']');
    if (!this.takes(1, types.RightBracket)) this.faults.unclosed(this.next, open, ']', this.opener(open, '['));
    return items;
  });

  private opener(open: number, bracket: string): string {
    return `"${this.marks.isWord(open - 1) ? this.marks.shown(open - 1) : ''}${bracket}"`;
  }

  private items(open: number, closer: TokenType, bracket: string): readonly Argument[] {
    const items: Argument[] = [];
    let height = 0;
    if (this.enter(open)) {
      if (this.marks.is(this.next, types.Comma)) items.push(this.absent(this.missing()));
      let more = this.reachesItem(open, closer, bracket);
      this.MANY({
        GATE: () => more,
        DEF: () => {
          this.takes(0, types.Comma);
          const from = this.next;
          // After a comma that ends an unfinished line, what is missing is reported with the bracket.
          items.push(this.leaves(from, open) ? this.absent(this.gap()) : this.item(open));
          height = Math.max(height, this.height);
          // What looks like an entry is no item: it is left to the block around.
          const stuck = this.next === from && !this.marks.is(from, types.Comma);
          more = !stuck && this.reachesItem(open, closer, bracket);
        },
      });
      this.nesting--;
    }
    this.height = height + 1;
    return items;
  }

  private item(open: number): Argument {
    const from = this.next;
    const binds = this.marks.is(from + 1, types.In) && this.marks.image(open - 1) === 'each';
    const name = this.OPTION2({
      GATE: () => binds || this.marks.is(from + 1, types.Equals),
      DEF: () => {
        this.CONSUME(types.Word);
        this.OR(this.afterName);
        return this.name(from);
      },
    });
    const value = this.SUBRULE(this.expression);
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'argument', first, last, start, end, name, value, ...(binds ? { binds } : {}) };
  }

  /** `stage = 2`, or `j in 0..3` for a name that takes each number of a range. */
  private readonly afterName: IOrAlt<unknown>[] = [
    { ALT: () => this.CONSUME(types.Equals) },
    { ALT: () => this.CONSUME(types.In) },
  ];

  /** An item of which nothing is written. */
  private absent(value: Expression): Argument {
    this.height = 0;
    return { kind: 'argument', ...this.places.node(this.next, this.next), value };
  }

  /** Whether brackets hold another item, or a comma before it; reports and passes over what can be neither. */
  private reachesItem(open: number, closer: TokenType, bracket: string): boolean {
    const { marks } = this;
    const i = this.next;
    const isFirst = i === open + 1;
    if (marks.is(i, closer)) return false;
    if (marks.is(i, types.Comma)) return true;
    if (this.leaves(i, open)) return false;
    const resumes = (at: number): boolean => marks.partner(open) < 0 && marks.resumesBlock(at);
    if (marks.begins(i)) {
      if (isFirst) return true;
      if (resumes(i)) return false;
      this.faults.unexpected(i, `"," or "${bracket}"`);
      return true;
    }
    this.faults.unexpected(i, isFirst ? `a value or "${bracket}"` : `"," or "${bracket}"`);
    this.jump(
      marks.find(i, (at) => marks.is(at, closer) || marks.is(at, types.Comma) || this.leaves(at, open) || resumes(at)),
    );
    return marks.is(this.next, types.Comma);
  }

  /** Whether token `i` shows that the bracket at `open` was never closed, or is the one that closes it. */
  private leaves(i: number, open: number): boolean {
    const { marks } = this;
    if (i >= marks.count || marks.is(i, types.RightBrace) || marks.is(i, types.LeftBrace)) return true;
    if (marks.is(i, types.Semicolon)) return true;
    if (marks.is(i, types.RightParen) || marks.is(i, types.RightBracket)) {
      return marks.partner(i) >= 0 && marks.partner(i) !== open;
    }
    if (marks.partner(open) > 0) return false;
    if (marks.is(i, types.Equals)) return true;
    if (!marks.isWord(i) || !marks.startsLine(i)) return false;
    return marks.isEntry(i) || marks.isNamedEntry(i) || marks.isDeclaration(i);
  }

  /** The items of an index or of parameters, which are never empty. */
  protected filled(open: number, items: readonly Argument[]): readonly Argument[] {
    if (!this.tooDeep && items.length === 0) {
      this.faults.unexpected(open + 1, `a value after "${this.marks.shown(open)}"`);
    }
    return items;
  }

  /** The values of items none of which may carry a name. */
  protected unnamed(items: readonly Argument[]): readonly Expression[] {
    const values: Expression[] = [];
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (item?.name !== undefined) this.faults.namedItem(item.name);
      if (item !== undefined) values.push(item.value);
    }
    return values;
  }
}

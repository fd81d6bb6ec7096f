import type { IOrAlt } from 'chevrotain';
import type { Argument, Block, BlockItem, Check, Entry, Expression, Name, Skipped } from '../syntax.ts';
import * as types from '../tokens.ts';
import { isComparison } from './chain.ts';
import { ExpressionParser } from './expressions.ts';

/** What a block holds: entries of one general form, or checks in an `expect` block. */
export type Content = 'entries' | 'checks';

/** The rules of blocks and what stands in them. One broken entry costs that entry. */
export abstract class EntryParser extends ExpressionParser {
  /** What may stand after the node read last, for the message where something else does. */
  protected allowed = '';

  /** `what` names the block in messages, such as `model toy`. */
  readonly body = this.RULE('body', (what: string, content: Content): Block => {
    const open = this.next;
    let entries: BlockItem[] = [];
    const opened = this.sees(types.LeftBrace);
    if (opened) this.OPTION(() => this.CONSUME(types.LeftBrace));
    if (this.enter(open)) {
      this.blocks++;
      this.allowed = content === 'checks' ? 'a comparison or "}"' : 'an entry or "}"';
      if (this.RECORDING_PHASE) this.showContents();
      else entries = content === 'checks' ? this.SUBRULE(this.checks) : this.entries();
      this.blocks--;
      this.nesting--;
    }
    const closed = this.sees(types.RightBrace);
    if (closed) this.CONSUME(types.RightBrace);
    else if (opened) this.faults.unclosed(this.next, open, '}', `"${what}"`);
    this.allowed = '';
    const { first, last, start, end } = this.places.node(open, this.next);
    return { kind: 'body', first, last, start, end, entries, closed };
  });

  /** A declaration on a line of its own shows that the blocks around it were forgotten to be closed. */
  private endsHere(): boolean {
    return !this.RECORDING_PHASE && this.marks.isDeclaration(this.next) && this.marks.startsLine(this.next);
  }

  private showContents(): void {
    this.OR([
      {
        ALT: () =>
          this.MANY(() =>
            this.OR1([
              { ALT: () => this.SUBRULE(this.entry) },
              { ALT: () => this.CONSUME(types.Semicolon) },
              { ALT: () => this.SUBRULE(this.strayInBlock) },
            ]),
          ),
        IGNORE_AMBIGUITIES: true,
      },
      { ALT: () => this.SUBRULE(this.checks), IGNORE_AMBIGUITIES: true },
    ]);
  }

  private entries(): BlockItem[] {
    const { marks } = this;
    const entries: BlockItem[] = [];
    while (this.next < marks.count && !this.sees(types.RightBrace) && !this.endsHere()) {
      if (marks.isWord(this.next)) entries.push(this.SUBRULE(this.entry));
      else if (this.sees(types.Semicolon)) this.CONSUME(types.Semicolon);
      else entries.push(this.SUBRULE(this.strayInBlock));
    }
    return entries;
  }

  readonly checks = this.RULE('checks', (): BlockItem[] => {
    const checks: BlockItem[] = [];
    const alternatives: IOrAlt<unknown>[] = [
      { ALT: () => this.CONSUME(types.Semicolon) },
      { ALT: () => checks.push(this.SUBRULE(this.check)), IGNORE_AMBIGUITIES: true },
      // Also the tokens that begin a check are stray in other places: here the alternative above takes them.
      { ALT: () => checks.push(this.SUBRULE(this.strayInChecks)), IGNORE_AMBIGUITIES: true },
    ];
    this.MANY({ GATE: () => !this.endsHere(), DEF: () => this.OR(alternatives) });
    return checks;
  });

  readonly check = this.RULE('check', (): Check => {
    const from = this.next;
    const condition = this.SUBRULE(this.expression);
    if (!this.RECORDING_PHASE && !(condition.kind === 'binary' && isComparison(condition.operator))) {
      this.faults.missing(this.next, 'a comparison such as "bubble < 10%"');
    }
    this.allowed = 'the next comparison or "}"';
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'check', first, last, start, end, condition };
  });

  readonly strayInBlock = this.RULE('strayInBlock', (): Skipped => {
    const from = this.next;
    this.faults.unexpected(from, this.allowed);
    this.CONSUME(types.Stray);
    this.jump(this.nextEntry(Math.max(from, this.marks.partner(from)) + 1));
    return { kind: 'skipped', ...this.places.node(from, this.next) };
  });

  readonly strayInChecks = this.RULE('strayInChecks', (): Skipped => {
    const from = this.next;
    this.faults.unexpected(from, this.allowed);
    this.CONSUME(types.Stray);
    const { marks } = this;
    let i = Math.max(from, marks.partner(from)) + 1;
    while (i < marks.count && !marks.isWord(i) && !marks.is(i, types.RightBrace) && !marks.is(i, types.Semicolon)) {
      i = Math.max(i, marks.partner(i)) + 1;
    }
    this.jump(i);
    return { kind: 'skipped', ...this.places.node(from, this.next) };
  });

  readonly entry = this.RULE('entry', (): Entry => {
    const from = this.next;
    const doc = this.places.documentation(from);
    const { marks } = this;
    this.CONSUME(types.Word);
    const key = this.name(from);
    let name: Name | undefined;
    let index: readonly Argument[] | undefined;
    let parameters: readonly Argument[] | undefined;
    let ends: readonly [Expression, Expression] | undefined;
    let values: readonly Expression[] | undefined;
    let body: Block | undefined;

    if (this.nameFollows(from)) {
      this.OPTION(() => {
        name = this.name(this.next);
        this.CONSUME1(types.Word);
      });
    }
    if (this.sees(types.LeftBracket)) {
      const open = this.next;
      this.OPTION1(() => (index = this.SUBRULE(this.bracketed)));
      this.needsItem(open, index ?? []);
    }
    if (this.sees(types.LeftParen)) {
      const open = this.next;
      this.OPTION2(() => (parameters = this.SUBRULE(this.parenthesised)));
      this.needsItem(open, parameters ?? []);
    }
    if (this.RECORDING_PHASE || (name !== undefined && parameters === undefined && marks.is(this.next, types.Link))) {
      this.OPTION3(() => {
        const near = this.end(from + 1, name, index);
        this.CONSUME(types.Link);
        const begins = this.RECORDING_PHASE || marks.isWord(this.next);
        const far = begins ? this.SUBRULE(this.expression) : this.missing('--');
        ends = [near, far];
      });
      name = undefined;
      index = undefined;
    }

    if (!this.sees(types.Equals) && !this.sees(types.LeftBrace)) this.mendHead(from);
    // Where the "=" was forgotten, mendHead has said so.
    if (this.sees(types.Equals) || marks.is(this.next, types.Quantity) || marks.isText(this.next)) {
      this.OPTION4(() => this.CONSUME(types.Equals));
      values = this.SUBRULE(this.valueList);
    }
    if (this.RECORDING_PHASE) this.OPTION5(() => this.SUBRULE(this.body));
    else if (values === undefined && marks.is(this.next, types.LeftBrace)) {
      const what = marks.shown(from) + (name === undefined ? '' : ` ${marks.shown(from + 1)}`);
      body = this.SUBRULE(this.body, { ARGS: [what, 'entries'] });
    }
    this.allowed = values === undefined ? 'the next entry or "}"' : '",", an operator, the next entry or "}"';
    const { first, last, start, end } = this.places.node(from, this.next);
    return {
      kind: 'entry',
      first,
      last,
      start,
      end,
      doc,
      key,
      name,
      index: index && this.values(index),
      parameters: parameters && this.values(parameters),
      ends,
      values,
      body,
    };
  });

  /** A name on the next line belongs to `layer`, `stage` and their like; elsewhere the entry before it is unfinished. */
  private nameFollows(key: number): boolean {
    if (this.RECORDING_PHASE) return true;
    const { marks } = this;
    const i = key + 1;
    if (!marks.isWord(i)) return false;
    if (!marks.startsLine(i)) return true;
    return marks.isNamedKey(key) && !marks.isNamedEntry(i) && !marks.isDeclaration(i);
  }

  /** `link gpu[0] -- …`: what was read as name and index of the entry is the near end of a link. */
  private end(i: number, name: Name | undefined, index: readonly Argument[] | undefined): Expression {
    const target = name ?? this.name(i);
    if (index === undefined || this.RECORDING_PHASE) return target;
    const { first, last, start, end } = this.places.node(i, this.next);
    return { kind: 'index', first, last, start, end, target, arguments: index };
  }

  /** Neither `=` nor `{` follows: says so, and goes on at the one that stands further on in the line, if one does. */
  private mendHead(key: number): void {
    const { marks } = this;
    const head = Array.from({ length: this.next - key }, (_, i) => marks.shown(key + i)).slice(0, 2);
    const written = this.next - key > 2 ? marks.shown(key) : head.join(' ');
    this.faults.missing(this.next, `"=" or "{" after "${written}"`);
    for (let i = this.next; i < marks.count && !marks.startsLine(i); i++) {
      if (marks.is(i, types.Equals) || marks.is(i, types.LeftBrace)) {
        this.jump(i);
        return;
      }
      const ends = marks.is(i, types.RightBrace) || marks.is(i, types.Semicolon) || marks.isEntry(i);
      if (ends || (i > this.next && marks.isWord(i))) return;
      if (marks.partner(i) > i) i = marks.partner(i);
    }
  }

  /** `value, value`: after the `=` of an entry. */
  readonly valueList = this.RULE('valueList', (): Expression[] => {
    const values: Expression[] = [];
    values.push(this.beginsValue() ? this.SUBRULE(this.expression) : this.missing('='));
    if (this.sees(types.Comma)) {
      this.MANY(() => {
        this.CONSUME(types.Comma);
        values.push(this.beginsValue() ? this.SUBRULE1(this.expression) : this.missing(','));
      });
    }
    return values;
  });
}

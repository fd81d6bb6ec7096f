import type { IOrAlt, ParserMethod } from 'chevrotain';
import type { Argument, Block, BlockItem, Check, Entry, Expression, Name } from '../syntax.ts';
import * as types from '../tokens.ts';
import { conjuncts } from '../conjuncts.ts';
import { isComparison } from './chain.ts';
import { ExpressionParser } from './expressions.ts';

/** Keys whose parameters may have names, as arguments have: `jitter(stage = 3)`. */
const namesParameters: ReadonlySet<string> = new Set(['jitter', 'slow']);

/** Keys that have a name in each of their forms. */
const alwaysNamed: ReadonlySet<string> = new Set(['layer', 'stage', 'operation', 'switch', 'let', 'param']);

/** The rules of blocks and their contents. One broken entry costs only that entry. */
export abstract class BlockParser extends ExpressionParser {
  /** The first token of the entry whose head was read last. */
  private head = 0;
  /** Whether a schedule is open around the token read now. */
  private inSchedule = false;

  readonly entries = this.RULE('entries', () => this.contents('an entry or "}"', this.entryItems));

  readonly checks = this.RULE('checks', () => this.contents('a comparison or "}"', this.checkItems));

  /** What blocks hold. A new kind of item has its line here, its rule below, and its node in `syntax.ts`. */
  private readonly entryItems: IOrAlt<BlockItem | undefined>[] = [
    {
      GATE: () => this.marks.isRequirement(this.next),
      ALT: () => this.SUBRULE(this.requirement),
      // The word is a name elsewhere.
      IGNORE_AMBIGUITIES: true,
    },
    { ALT: () => this.SUBRULE(this.entry), IGNORE_AMBIGUITIES: true },
    { ALT: () => void this.CONSUME(types.Semicolon) },
    { ALT: () => this.skipped(0, types.Stray, this.resumesBlock) },
  ];

  /** What `expect` blocks hold. */
  private readonly checkItems: IOrAlt<BlockItem | undefined>[] = [
    { ALT: () => void this.CONSUME(types.Semicolon) },
    { ALT: () => this.SUBRULE(this.check), IGNORE_AMBIGUITIES: true },
    // A check begins with tokens that are stray elsewhere: the alternative above takes them.
    { ALT: () => this.skipped(0, types.Stray, this.resumesChecks), IGNORE_AMBIGUITIES: true },
  ];

  private contents(expected: string, alternatives: IOrAlt<BlockItem | undefined>[]): readonly BlockItem[] {
    const items: BlockItem[] = [];
    this.allowed = expected;
    this.MANY({
      GATE: this.goesOn,
      DEF: () => {
        const item = this.OR(alternatives);
        if (item !== undefined) items.push(item);
      },
    });
    return items;
  }

  private readonly resumesChecks = (i: number): boolean =>
    this.marks.isWord(i) || this.marks.is(i, types.RightBrace) || this.marks.is(i, types.Semicolon);

  /** A declaration at the start of a line shows that the blocks around it were never closed. */
  private readonly goesOn = (): boolean => !(this.marks.isDeclaration(this.next) && this.marks.startsLine(this.next));

  /** The body of what begins at `from`; its brace, at `open`, is read already, unless it was forgotten. */
  protected body(from: number, open: number, items: ParserMethod<[], readonly BlockItem[]>): Block {
    const { marks } = this;
    let entries: readonly BlockItem[] = [];
    if (this.enter(open)) {
      const { inSchedule } = this;
      this.inSchedule ||= marks.is(from, types.BlockKeyword) && marks.image(from) === 'schedule';
      this.blocks++;
      entries = this.SUBRULE(items);
      this.blocks--;
      this.nesting--;
      this.inSchedule = inSchedule;
    }
    const closed = this.takes(9, types.RightBrace);
    if (!closed && marks.is(open, types.LeftBrace)) {
      const what = marks.isWord(from + 1) ? `${marks.shown(from)} ${marks.shown(from + 1)}` : marks.shown(from);
      this.faults.unclosed(this.next, open, '}', `"${what}"`);
    }
    this.allowed = '';
    const { first, last, start, end } = this.places.node(open, this.next);
    return { kind: 'body', first, last, start, end, entries, closed };
  }

  readonly check = this.RULE('check', (): Check => {
    const from = this.next;
    const condition = this.SUBRULE(this.expression, { ARGS: [true] });
    if (!isCheck(condition)) {
      this.faults.missingAfter(this.next, from, 'a comparison such as "bubble < 10%"');
    }
    this.allowed = 'the next comparison or "}"';
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'check', first, last, start, end, condition };
  });

  /** `require mod(devices, 2) == 0`. */
  readonly requirement = this.RULE('requirement', (): Entry => {
    const from = this.next;
    const doc = this.places.documentation(from);
    this.CONSUME(types.Require);
    const condition = this.SUBRULE(this.expression);
    this.allowed = 'an operator, the next entry or "}"';
    const { first, last, start, end } = this.places.node(from, this.next);
    return { kind: 'entry', first, last, start, end, doc, key: this.name(from), condition };
  });

  readonly entry = this.RULE('entry', (): Entry => {
    const from = this.next;
    const doc = this.places.documentation(from);
    const { marks } = this;
    const isNamed = namesParameters.has(this.CONSUME(types.Word).image);
    const isAxis = marks.isAxis(from);
    const name = isAxis || this.isUnfinished(from) ? undefined : this.OPTION(this.entryName);
    const index = this.OPTION1(this.entryIndex);
    const parameters = this.OPTION2(this.entryParameters);
    const link = this.next;
    const isStray = marks.is(link, types.Link) && (name === undefined || parameters !== undefined);
    const far = isStray ? undefined : this.OPTION3(this.farEnd);
    const ends = far && name && ([this.nearEnd(name, index, link), far] as const);
    if (!isAxis && !marks.is(this.next, types.Equals) && !marks.is(this.next, types.LeftBrace)) this.recoverHead(from);
    this.head = from;
    const rest = this.OPTION4(this.entryRest) ?? (isAxis ? undefined : this.unassigned());
    const body = rest !== undefined && 'kind' in rest ? rest : undefined;
    const values = rest !== undefined && 'kind' in rest ? undefined : rest;
    this.allowed = values === undefined ? 'the next entry or "}"' : '",", an operator, the next entry or "}"';
    const isParameter = (): boolean => values !== undefined && marks.isMember(from) && marks.is(from, types.Param);
    const hasRange = (): boolean => isAxis || isParameter();
    const range = this.OPTION6({ GATE: hasRange, DEF: this.parameterRange });
    const step = this.OPTION7({ GATE: hasRange, DEF: this.parameterStep });
    const { first, last, start, end } = this.places.node(from, this.next);
    const key = this.name(from);
    const isLink = ends !== undefined;
    const entry: Entry = {
      kind: 'entry',
      first,
      last,
      start,
      end,
      doc,
      key,
      name: isLink ? undefined : name,
      index: isLink || index === undefined ? undefined : this.unnamed(index),
      parameters: parameters && (isNamed ? parameters.map(({ value }) => value) : this.unnamed(parameters)),
      ends,
      values,
      body,
    };
    const parameterNames = isNamed ? parameters?.map((item) => item.name) : undefined;
    if (parameterNames === undefined && range === undefined && step === undefined) return entry;
    return {
      ...entry,
      ...(parameterNames === undefined ? {} : { parameterNames }),
      ...(range === undefined ? {} : { range }),
      ...(step === undefined ? {} : { step }),
    };
  });

  // The parts of an entry stand here and not in the rule, so that no entry makes them anew.

  /** `in 1..64`, and `step 2` after it. */
  private readonly parameterRange = (): Expression => {
    this.CONSUME(types.In);
    const range = this.SUBRULE2(this.expression, { ARGS: [false, true] });
    this.allowed = '"step", the next entry or "}"';
    return range;
  };

  private readonly parameterStep = (): Expression => {
    this.CONSUME(types.Step);
    const step = this.SUBRULE3(this.expression);
    this.allowed = 'the next entry or "}"';
    return step;
  };

  private readonly entryName = (): Name => {
    this.CONSUME1(types.Word);
    return this.name(this.next - 1);
  };

  private readonly entryIndex = () => this.filled(this.next, this.SUBRULE(this.bracketed));

  private readonly entryParameters = () => this.filled(this.next, this.SUBRULE(this.parenthesised));

  private readonly farEnd = (): Expression => {
    this.CONSUME(types.Link);
    return this.marks.isWord(this.next) ? this.SUBRULE(this.reference) : this.missing();
  };

  private readonly entryRest = (): readonly Expression[] | Block => this.OR(this.valuesOrBody);

  private readonly valuesOrBody: IOrAlt<readonly Expression[] | Block>[] = [
    {
      ALT: () => {
        this.CONSUME(types.Equals);
        return this.values();
      },
    },
    {
      ALT: () => {
        const { head, next } = this;
        this.CONSUME(types.LeftBrace);
        return this.body(head, next, this.entries);
      },
    },
  ];

  /** A name on the next line belongs to `layer`, `stage` and their like; elsewhere the entry before it is unfinished. */
  private isUnfinished(key: number): boolean {
    const { marks } = this;
    const i = key + 1;
    if (!marks.isWord(i) || !marks.startsLine(i)) return false;
    return !marks.isNamedKey(key) || marks.isNamedEntry(i) || marks.isDeclaration(i);
  }

  /** `link gpu[0] -- …`: what was read as name and index of the entry is the near end of a link. */
  private nearEnd(target: Name, index: readonly Argument[] | undefined, link: number): Expression {
    if (index === undefined) return target;
    const { last, end } = this.places.node(link - 1, link);
    return { kind: 'index', first: target.first, last, start: target.start, end, target, arguments: index };
  }

  /** The values after a head without `=`, for which `recoverHead` has reported a fault: a literal shows them, or operations. */
  private unassigned(): readonly Expression[] | undefined {
    const isLiteral = this.marks.is(this.next, types.Quantity) || this.marks.isText(this.next);
    return isLiteral || (this.inSchedule && this.marks.beginsOperations(this.next)) ? this.values() : undefined;
  }

  private values(): readonly Expression[] {
    const first = [this.SUBRULE(this.expression)];
    const more = this.OPTION5(this.furtherValues);
    return more === undefined ? first : first.concat(more);
  }

  private readonly moreValues = (): readonly Expression[] => {
    const values: Expression[] = [];
    this.AT_LEAST_ONE({
      GATE: this.goesOnWithValues,
      DEF: () => {
        if (!this.takes(8, types.Comma)) this.faults.unexpected(this.next, '"," between operations');
        values.push(this.SUBRULE1(this.expression));
      },
    });
    return values;
  };

  /** A comma, or operations of a schedule behind a comma that was forgotten. */
  private readonly goesOnWithValues = (): boolean =>
    this.marks.is(this.next, types.Comma) || (this.inSchedule && this.marks.beginsOperations(this.next));
  private readonly furtherValues = { GATE: this.goesOnWithValues, DEF: this.moreValues };

  /** The tokens of the head that begins at `key`: `layer block[40]`; of a long one only its key. */
  private headText(key: number): string {
    const { marks, next } = this;
    if (next - key > mostHead) return marks.shown(key);
    let text = marks.shown(key);
    for (let i = key + 1; i < next; i += 1) {
      const apart = !tight.has(marks.image(i)) && !opening.has(marks.image(i - 1));
      text += `${apart ? ' ' : ''}${marks.shown(i)}`;
    }
    return text;
  }

  /** Reports that neither `=` nor `{` follows, and continues at the first one further on in the line, if there is one. */
  private recoverHead(key: number): void {
    const { marks } = this;
    const { next } = this;
    const isUnnamed = next === key + 1 && alwaysNamed.has(marks.image(key));
    const expected = isUnnamed ? 'a name' : '"=" or "{"';
    // One mistake in a head is enough.
    if (this.faults.reported(key)) this.faults.silence(next);
    this.faults.missingAfter(next, key, `${expected} after "${this.headText(key)}"`);
    const isEnd = (i: number): boolean =>
      marks.is(i, types.RightBrace) ||
      marks.is(i, types.Semicolon) ||
      marks.isEntry(i) ||
      (i > next && marks.isWord(i));
    const isSought = (i: number): boolean => marks.is(i, types.Equals) || marks.is(i, types.LeftBrace);
    const found = marks.find(next, (i) => marks.startsLine(i) || isSought(i) || isEnd(i));
    if (!marks.startsLine(found) && isSought(found)) this.jump(found);
  }
}

/** Tokens without a space before them, and without one behind them. */
const tight: ReadonlySet<string> = new Set(['(', ')', '[', ']', ',']);
const opening: ReadonlySet<string> = new Set(['(', '[']);

/** Tokens of a head that a message quotes whole. */
const mostHead = 8;

/** A comparison; for a schedule also `valid`, and `over(…)` with the shapes. */
const isCheck = (condition: Expression): boolean =>
  condition.kind === 'binary' && (condition.operator === 'and' || condition.operator === 'or')
    ? conjuncts(condition, ['and', 'or']).every(isOneCheck)
    : isOneCheck(condition);

const isOneCheck = (condition: Expression): boolean =>
  (condition.kind === 'binary' && isComparison(condition.operator)) ||
  (condition.kind === 'name' && condition.text === 'valid') ||
  (condition.kind === 'call' && condition.callee.text === 'over');

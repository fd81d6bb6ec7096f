import { EmbeddedActionsParser } from 'chevrotain';
import type { TokenType } from 'chevrotain';
import { tokenize } from '../lexer.ts';
import type { Tokens } from '../lexer.ts';
import type { Missing, Name, Skipped } from '../syntax.ts';
import * as types from '../tokens.ts';
import { Faults } from './faults.ts';
import { Landmarks } from './landmarks.ts';
import { Places } from './places.ts';

/**
 * Before the first text, and while chevrotain records the rules, the parser reads a single name with nothing around it. A value
 * can begin there and nothing is wrong there, so no check for faults leads away from a rule that is recorded.
 */
const idle = 'name';
const idleTokens = tokenize(idle);

/**
 * What all rules need to read a text that is not finished. The rules are chevrotain's: its methods (`CONSUME`, `OPTION`,
 * `MANY`, `OR`, `SUBRULE`) say what is good text, and its lookahead takes the branches. Recovery is written by hand, as
 * plain conditions in the rule concerned, so no rule ever throws. Chevrotain would resume at kinds of tokens. Only line
 * breaks and matching brackets distinguish an unfinished line from the next entry.
 * Numbers named `i`, `from`, `open` count tokens of the stream.
 */
export abstract class TolerantParser extends EmbeddedActionsParser {
  // Chevrotain's cursor, the index of the token consumed last: nodes need it, and recovery moves it.
  declare protected currIdx: number;
  protected marks: Landmarks = new Landmarks(idle, idleTokens);
  protected faults: Faults = new Faults(idle, idleTokens, this.marks, 0);
  protected places: Places = new Places(idle, idleTokens, this.marks);
  /** What may follow the node read last, for the message if something different does. */
  protected allowed = '';
  protected nesting = 0;
  protected deepest = Infinity;
  /** How many blocks are open around the token read now. */
  protected blocks = 0;
  /** Whether brackets were too deep: what they hold was passed over, so they are not reported as empty. */
  protected tooDeep = false;

  protected constructor(skipValidations: boolean) {
    super([...types.tokenTypes], { maxLookahead: 1, recoveryEnabled: false, skipValidations });
  }

  protected prepare(text: string, source: Tokens, faults: number, depth: number): void {
    this.marks = new Landmarks(text, source);
    this.faults = new Faults(text, source, this.marks, faults);
    this.places = new Places(text, source, this.marks);
    this.allowed = '';
    this.nesting = 0;
    this.blocks = 0;
    this.deepest = depth;
    this.tooDeep = false;
    this.input = source.stream;
  }

  /** The parser outlives the text: what was read is not to stay in memory with it. */
  protected release(): void {
    this.prepare(idle, { ...idleTokens, stream: [...idleTokens.stream] }, 0, Infinity);
  }

  /** Index of the token to be read next. */
  protected get next(): number {
    return this.currIdx + 1;
  }

  /** Reads a token of this type, if it is the next one. `index` tells apart the places of one rule, as in `OPTION1`. */
  protected takes(index: number, type: TokenType): boolean {
    return this.option(index, () => this.consume(index, type)) !== undefined;
  }

  protected name(i: number): Name {
    const place = this.marks.place(i);
    const { start, end, text } = this.places.token(place);
    return { kind: 'name', first: place, last: place, start, end, text };
  }

  /** A value is required after the token read last, and there is none. */
  protected missing(): Missing {
    this.faults.missing(this.next, `a value after "${this.marks.shown(this.next - 1)}"`);
    return this.gap();
  }

  protected gap(): Missing {
    return { kind: 'missing', ...this.places.node(this.next, this.next) };
  }

  /** Goes on reading at token `i`. */
  protected jump(i: number): void {
    this.ACTION(() => (this.currIdx = i - 1));
  }

  /** A token that belongs to nothing, and what follows it up to where `resumes` holds; brackets are passed as a whole. */
  protected skipped(index: number, type: TokenType, resumes: (i: number) => boolean): Skipped {
    const from = this.next;
    this.faults.unexpected(from, this.allowed);
    this.consume(index, type);
    this.jump(this.marks.find(this.marks.after(from), resumes));
    return { kind: 'skipped', ...this.places.node(from, this.next) };
  }

  /** Whether recovery inside a block may continue at token `i`: an entry may begin here, or the block ends. */
  protected readonly resumesBlock = (i: number): boolean => {
    const { marks } = this;
    return marks.is(i, types.RightBrace) || marks.is(i, types.Semicolon) || marks.resumesBlock(i);
  };

  /** One level of brackets deeper, unless that is too deep: then what they hold is passed over, without recursion. */
  protected enter(open: number): boolean {
    if (this.nesting < this.deepest) {
      this.nesting++;
      return true;
    }
    if (!this.tooDeep) this.faults.report(open, `Brackets are nested deeper than ${this.deepest} here.`);
    this.tooDeep = true;
    const partner = this.marks.partner(open);
    this.jump(partner > 0 ? partner : this.marks.find(open + 1, this.resumesBlock));
    this.faults.silence(this.next);
    return false;
  }
}

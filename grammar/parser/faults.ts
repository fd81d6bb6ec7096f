import { quote } from '../lexer.ts';
import type { Landmarks } from './landmarks.ts';
import type { Tokens } from '../lexer.ts';
import { LineIndex } from '../lines.ts';
import type { Name, Span, SyntaxFault } from '../syntax.ts';

/** Collects what the parser finds wrong: one fault a mistake, at most `limit` of them. */
export class Faults {
  private readonly found: SyntaxFault[];
  private readonly text: string;
  private readonly source: Tokens;
  private readonly landmarks: Landmarks;
  private readonly limit: number;
  private reportedAt = -1;
  private lines: LineIndex | undefined;

  constructor(text: string, source: Tokens, landmarks: Landmarks, limit: number) {
    this.text = text;
    this.source = source;
    this.landmarks = landmarks;
    this.limit = limit;
    this.found = source.faults.slice(0, limit);
  }

  /** Token `i` is not allowed at its place: the fault is at that token. */
  unexpected(i: number, expected: string): void {
    this.add(
      i,
      'syntax/unexpected',
      this.span(i) ?? this.endSpan(),
      `Expected ${expected}, found ${this.describe(i)}.`,
    );
  }

  /** Something is missing before token `i`: the fault is at `i`, or where its line is another at the token before. */
  missing(i: number, expected: string): void {
    this.add(i, 'syntax/unexpected', this.spanBefore(i), `Expected ${expected}, found ${this.describe(i)}.`);
  }

  /** The same after the head of an item of a block, which begins at token `head`. */
  missingAfter(i: number, head: number, expected: string): void {
    const begin = this.span(head)?.start;
    const message = `Expected ${expected}, found ${this.describe(i)}.`;
    this.add(i, 'syntax/unexpected', this.spanBefore(i), message, begin === undefined ? {} : { head: begin });
  }

  /** Whether something was reported of token `i`, or of one behind it. */
  reported(i: number): boolean {
    return this.reportedAt >= i;
  }

  private spanBefore(i: number): Span {
    return (this.landmarks.startsLine(i) ? this.span(i - 1) : this.span(i)) ?? this.endSpan();
  }

  /** The bracket at `open` is still open at token `i`. */
  unclosed(i: number, open: number, closer: string, what: string): void {
    const { start, end } = this.span(open) ?? this.endSpan();
    const opened = { start, end };
    this.lines ??= this.found.length < this.limit ? new LineIndex(this.text) : undefined;
    const line = (this.lines?.positionAt(opened.start).line ?? 0) + 1;
    this.add(
      i,
      'syntax/unclosed',
      opened,
      `Expected "${closer}" to close ${what} opened at line ${line}, found ${this.describe(i)}.`,
      { opened },
    );
  }

  /** An item with a name in a place that takes only values. */
  namedItem({ text, start, end }: Name): void {
    if (this.found.length < this.limit) {
      this.found.push({
        code: 'syntax/unexpected',
        start,
        end,
        message: `Expected a value, found ${quote(`${text} =`)}.`,
      });
    }
  }

  /** A fault with its own words at token `i`. */
  report(i: number, message: string): void {
    this.add(i, 'syntax/unexpected', this.span(i) ?? this.endSpan(), message);
  }

  /** What is wrong at token `i` is a consequence of what is reported already. */
  silence(i: number): void {
    this.reportedAt = i;
  }

  /** In order of position. */
  all(): readonly SyntaxFault[] {
    return this.found.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }

  describe(i: number): string {
    return i >= this.landmarks.count ? 'the end of the file' : quote(this.landmarks.image(i));
  }

  private add(
    i: number,
    code: SyntaxFault['code'],
    span: Span,
    message: string,
    more: Pick<SyntaxFault, 'opened' | 'head'> = {},
  ): void {
    if (this.found.length >= this.limit || this.reportedAt === i || this.isSpoilt(i)) return;
    this.reportedAt = i;
    const { start, end } = span;
    this.found.push({ code, start, end, message, ...more });
  }

  /**
   * Whether characters without meaning come before token `i` on its line. They are reported already, and its fault follows from
   * them.
   */
  private isSpoilt(i: number): boolean {
    const { left, tokens } = this.source;
    if (left.length === 0) return false;
    const here = tokens[this.landmarks.place(i)]?.start ?? Infinity;
    let low = 0;
    let high = left.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((left[middle]?.start ?? Infinity) < here) low = middle + 1;
      else high = middle;
    }
    const nearest = left[low - 1];
    return nearest !== undefined && (tokens[this.landmarks.place(i - 1)]?.start ?? 0) <= nearest.lineEnd;
  }

  private span(i: number): Span | undefined {
    if (i < 0 || i >= this.landmarks.count) return undefined;
    return this.source.tokens[this.landmarks.place(i)];
  }

  private endSpan(): Span {
    return this.span(this.landmarks.count - 1) ?? { start: this.text.length, end: this.text.length };
  }
}

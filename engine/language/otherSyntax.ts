/** Forms of other languages: `a ? b : c`, `a if b else c`; in a schedule also `j % 2` and loops. Each has one form here that means the same. */
import type { Span, SyntaxFile, Token } from '../../grammar/syntax.ts';
import { blocks, keysOf } from './schema.ts';
import type { BlockName } from './schema/types.ts';

export interface Slip {
  /** Where the other form shows. */
  readonly at: Span;
  /** All of the entry: what else is wrong in it follows from the slip. */
  readonly entry: Span;
  readonly message: string;
  /** Name of the schedule; empty if it has none, absent in other blocks. */
  readonly schedule?: string;
  /** What to write in place of which part; absent where no text means the same. */
  readonly write?: { readonly part: Span; readonly text: string };
}

/** Slips of all blocks; none in a text that the grammar understands. */
export function slipsOf(syntax: SyntaxFile): readonly Slip[] {
  if (syntax.errors.length === 0) return [];
  return syntax.declarations.flatMap((block) => {
    if (block.kind !== 'block' || !isBlock(block.keyword.text)) return [];
    const found = slipsIn(syntax, block.keyword.text, block.first, block.last);
    if (block.keyword.text === 'schedule') return found.map((each) => ({ ...each, schedule: block.name?.text ?? '' }));
    // Elsewhere `%` is a unit, and no loop has a meaning.
    return found.filter(({ write }) => write?.text.startsWith('if(') === true);
  });
}

const isBlock = (keyword: string): keyword is BlockName => Object.hasOwn(blocks, keyword);

type Found = Omit<Slip, 'schedule'>;

/** More slips of a schedule are found once these are fixed. */
const mostSlips = 50;

function slipsIn(syntax: SyntaxFile, block: BlockName, first: number, last: number): readonly Found[] {
  const { tokens, errors } = syntax;
  const faults = new Set(errors.map(({ start }) => start));
  const found: Found[] = [];
  for (let at = first; at <= last && found.length < mostSlips; at += 1) {
    const read = formAt(tokens, at, faults);
    if (read === undefined) continue;
    const [from, to] = [entryStart(syntax, block, at, first), entryEnd(syntax, block, at, last)];
    const slip = read({ syntax, at, from, to, faults, left: { tokens: mostWithin } });
    if (slip === undefined || !errors.some(({ start }) => start >= slip.entry.start && start <= slip.entry.end))
      continue;
    found.push(slip);
    if (slip.write !== undefined) while (at < last && tokens[at + 1].end <= slip.write.part.end) at += 1;
  }
  return found;
}

/** Reads the form of another language that may begin at a token. It looks a few tokens ahead: most tokens begin none. */
function formAt(
  tokens: readonly Token[],
  at: number,
  faults: ReadonlySet<number>,
): ((reader: Reader) => Found | undefined) | undefined {
  const { text, kind, start } = tokens[at];
  const after = tokens[at + 1] as Token | undefined;
  if (kind === 'error') {
    if (text === '%') return (reader) => remainder(reader, 'mod');
    return text === '?' ? choice : undefined;
  }
  if (kind !== 'name') return undefined;
  switch (text) {
    case 'mod':
    case 'div':
      return faults.has(start) ? (reader) => remainder(reader, text) : undefined;
    case 'for':
      return loop;
    case 'each':
      return after?.kind === 'name' ? loop : undefined;
    case 'if': {
      const then = choosesBy(tokens, at + 1, 'then');
      const otherwise = choosesBy(tokens, (then ?? at) + 1, 'else');
      if (otherwise !== undefined && (then !== undefined || endsValue(tokens[at - 1])))
        return (reader) => conditional(reader, then, otherwise);
      return choosesBy(tokens, at + 1, '{') === undefined ? undefined : branch;
    }
    default:
      return undefined;
  }
}

/** A token of an entry, and the tokens of this entry. */
interface Reader {
  readonly syntax: SyntaxFile;
  /** Where the grammar found faults. */
  readonly faults: ReadonlySet<number>;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** Tokens that may still be read for forms within this one. */
  readonly left: { tokens: number };
}

/** Longer texts are repeated as they are: forms within forms would be read again and again. */
const mostWithin = 2_000;

const opening: readonly string[] = ['(', '[', '{'];
const closing: readonly string[] = [')', ']', '}'];

/** Whether an entry of the block begins at a token. */
function beginsEntry({ tokens, text }: SyntaxFile, block: BlockName, at: number): boolean {
  const token = tokens[at];
  if (token.kind !== 'name' || !keysOf(block).has(token.text)) return false;
  const before = tokens[at - 1] as Token | undefined;
  const isFirst = before === undefined || text.slice(before.end, token.start).includes('\n') || before.text === '{';
  const next = tokens[at + 1] as Token | undefined;
  // `let` and `param` have a name, `row(…)` has parentheses behind which comes `=`.
  if (isFirst || next?.kind === 'name' || next?.text === '=') return true;
  const close = next?.text === '(' ? matching(tokens, at + 1, longestHead) : -1;
  return close > 0 && tokens[close + 1]?.text === '=';
}

function entryStart(syntax: SyntaxFile, block: BlockName, at: number, first: number): number {
  for (let index = at; index > first; index -= 1) if (beginsEntry(syntax, block, index)) return index;
  // The first token behind the brace of the block.
  for (let index = first; index < at; index += 1) if (syntax.tokens[index].text === '{') return index + 1;
  return at;
}

/** The last token of the entry. */
function entryEnd(syntax: SyntaxFile, block: BlockName, at: number, last: number): number {
  let depth = 0;
  for (let index = at + 1; index <= last; index += 1) {
    const { text } = syntax.tokens[index];
    if (opening.includes(text)) depth += 1;
    else if (closing.includes(text)) depth -= 1;
    if ((text === '}' && depth < 0) || (depth <= 0 && beginsEntry(syntax, block, index))) return index - 1;
  }
  return Math.max(at, last - 1);
}

/** Tokens of the parentheses in the head of an entry, or of a condition: more are not looked at. */
const longestHead = 200;

/** The bracket that closes the one at a token; −1 if none does, or not within `most` tokens. */
function matching(tokens: readonly Token[], open: number, most = Infinity): number {
  let depth = 0;
  for (let index = open; index < Math.min(tokens.length, open + most); index += 1) {
    if (opening.includes(tokens[index].text)) depth += 1;
    else if (closing.includes(tokens[index].text)) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** The first token of the value that ends at a token: `j`, `2`, `(a + b)`, `f(x)`, `F[0]`. */
function valueStart(tokens: readonly Token[], end: number, from: number): number | undefined {
  if (end < from) return undefined;
  const { kind, text } = tokens[end];
  if (kind === 'name' || kind === 'quantity') return end;
  if (text !== ')' && text !== ']') return undefined;
  let depth = 0;
  for (let index = end; index >= from; index -= 1) {
    if (closing.includes(tokens[index].text)) depth += 1;
    else if (opening.includes(tokens[index].text)) depth -= 1;
    if (depth > 0) continue;
    const isCall = index > from && tokens[index - 1].kind === 'name' && tokens[index - 1].end === tokens[index].start;
    return isCall ? index - 1 : index;
  }
  return undefined;
}

/** The last token of the value that begins at a token. */
function valueEnd(tokens: readonly Token[], start: number, to: number): number | undefined {
  if (start > to) return undefined;
  const { kind, text } = tokens[start];
  if (text === '-') return valueEnd(tokens, start + 1, to);
  const open = text === '(' ? start : start + 1;
  const isOpen = open <= to && ['(', '['].includes(tokens[open].text);
  if (text !== '(' && kind !== 'name' && kind !== 'quantity') return undefined;
  if (!isOpen || (kind === 'quantity' && text !== '(')) return start;
  const close = matching(tokens, open);
  return close < 0 || close > to ? undefined : close;
}

const span = ({ syntax: { tokens } }: Reader, first: number, last: number): Span => ({
  start: tokens[first].start,
  end: tokens[Math.max(first, last)].end,
});

/** The text of some tokens, in which the forms of other languages are written as they are here. */
function textOf({ syntax, faults, left }: Reader, first: number, last: number): string {
  if (last < first) return '';
  const { text, tokens } = syntax;
  if (last - first >= left.tokens) return text.slice(tokens[first].start, tokens[last].end);
  left.tokens -= last - first + 1;
  const writes: NonNullable<Found['write']>[] = [];
  for (let at = first; at <= last; at += 1) {
    const write = formAt(tokens, at, faults)?.({ syntax, faults, left, at, from: first, to: last })?.write;
    if (write === undefined) continue;
    // A form that reaches back over others has written them itself: `a % 2 ? b : c`.
    while ((writes.at(-1)?.part.start ?? -1) >= write.part.start) writes.pop();
    if ((writes.at(-1)?.part.end ?? -1) <= write.part.start) writes.push(write);
    while (at < last && tokens[at + 1].end <= write.part.end) at += 1;
  }
  let done = tokens[first].start;
  let written = '';
  for (const { part, text: replaced } of writes) {
    written += text.slice(done, part.start) + replaced;
    done = part.end;
  }
  return written + text.slice(done, tokens[last].end);
}

/** A longer text is no help in a message. */
const longest = 60;

function slip(reader: Reader, what: string, example: string, part?: readonly [number, number], text?: string): Found {
  const shown = text !== undefined && text.length <= longest && !text.includes('\n') ? text : example;
  const { at, from, to } = reader;
  return {
    at: span(reader, at, at),
    entry: span(reader, from, to),
    message: `${what} Write \`${shown}\`.`,
    ...(part === undefined || text === undefined ? {} : { write: { part: span(reader, part[0], part[1]), text } }),
  };
}

/** `j % 2`, `j mod 2` are `mod(j, 2)`. */
function remainder(reader: Reader, name: 'mod' | 'div'): Found {
  const { syntax, at, from, to } = reader;
  const { tokens } = syntax;
  const what = tokens[at].kind === 'error' ? 'There is no operator "%".' : `"${name}" is a function, and no operator.`;
  let left = valueStart(tokens, at - 1, from);
  // Products come first, from the left.
  while (left !== undefined && ['*', '/'].includes(tokens[left - 1].text)) left = valueStart(tokens, left - 2, from);
  const right = valueEnd(tokens, at + 1, to);
  if (left === undefined || right === undefined) return slip(reader, what, `${name}(a, b)`);
  const text = `${name}(${textOf(reader, left, at - 1)}, ${textOf(reader, at + 1, right)})`;
  return slip(reader, what, `${name}(a, b)`, [left, right], text);
}

/** `a ? b : c` is `if(a, b, c)`. */
function choice(reader: Reader): Found {
  const { syntax, at, to } = reader;
  const { tokens } = syntax;
  const what = 'There is no operator "?".';
  const start = choiceStart(reader);
  const colon = next(reader, at + 1, (text) => text === ':');
  const end = colon === undefined ? undefined : (next(reader, colon + 1, (text) => text === ',') ?? to + 1) - 1;
  if (colon === undefined || end === undefined || end <= colon) return slip(reader, what, 'if(a, b, c)');
  // Other languages take a number for a condition.
  const condition = textOf(reader, start, at - 1) + (isRemainder(tokens.slice(start, at)) ? ' != 0' : '');
  const [yes, no] = [textOf(reader, at + 1, colon - 1), textOf(reader, colon + 1, end)];
  return slip(reader, what, 'if(a, b, c)', [start, end], `if(${condition}, ${yes}, ${no})`);
}

/** The first token of what a choice begins with: all of the value, or of the argument, before it. */
function choiceStart({ syntax: { tokens }, at, from }: Reader): number {
  let [start, depth] = [at, 0];
  while (start > from) {
    const { text } = tokens[start - 1];
    if (closing.includes(text)) depth += 1;
    else if (opening.includes(text) && depth === 0) break;
    else if (opening.includes(text)) depth -= 1;
    else if (depth === 0 && (text === '=' || text === ',')) break;
    start -= 1;
  }
  return start;
}

const endsValue = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'name' || token.kind === 'quantity' || token.text === ')' || token.text === ']');

/** What comes after the condition of an `if`, or after its first part, in no inner brackets. */
function choosesBy(tokens: readonly Token[], from: number, word: 'then' | 'else' | '{'): number | undefined {
  let depth = 0;
  for (let index = from; index < Math.min(tokens.length, from + longestHead); index += 1) {
    const { text } = tokens[index];
    if (text === word && depth === 0) return index;
    if (text === '=' || text === '{') return undefined;
    if (opening.includes(text)) depth += 1;
    else if (closing.includes(text)) depth -= 1;
    if (depth < 0) return undefined;
  }
  return undefined;
}

/** `b if a else c` and `if a then b else c` are `if(a, b, c)`. */
function conditional(reader: Reader, then: number | undefined, otherwise: number): Found | undefined {
  const { at, from, to } = reader;
  const start = then === undefined ? choiceStart(reader) : at;
  if (otherwise > to || (then === undefined && start === at) || at === from) return undefined;
  const end = (next(reader, otherwise + 1, (text) => text === ',') ?? to + 1) - 1;
  const [condition, yes, no] = [
    textOf(reader, at + 1, (then ?? otherwise) - 1),
    then === undefined ? textOf(reader, start, at - 1) : textOf(reader, then + 1, otherwise - 1),
    textOf(reader, otherwise + 1, end),
  ];
  const isWhole = condition !== '' && yes !== '' && no !== '';
  const what = '"if" is a function.';
  return isWhole
    ? slip(reader, what, 'if(a, b, c)', [start, end], `if(${condition}, ${yes}, ${no})`)
    : slip(reader, what, 'if(a, b, c)');
}

const ofConditions: readonly string[] = ['==', '!=', '<', '<=', '>', '>=', 'and', 'or', 'not'];

/** Whether tokens are a number, as far as they say it: `j % 2`, but not `isLate(j % 2)` or `j % 2 == 0`. */
const isRemainder = (tokens: readonly Token[]): boolean =>
  tokens.some(({ text }) => text === '%') &&
  !tokens.some(({ text }) => ofConditions.includes(text)) &&
  !(tokens[0].kind === 'name' && tokens.at(1)?.text === '(');

/** The first token from here on that is meant, in no inner brackets; undefined where the brackets around it close before it. */
function next({ syntax: { tokens }, to }: Reader, from: number, is: (text: string) => boolean): number | undefined {
  for (let index = from; index <= to; index += 1) {
    const { text } = tokens[index];
    if (is(text)) return index;
    if (closing.includes(text)) return text === '}' ? undefined : is(',') ? index : undefined;
    if (!opening.includes(text)) continue;
    const close = matching(tokens, index);
    if (close < 0) return undefined;
    index = close;
  }
  return undefined;
}

/** `for j in 0..<n { … }`, `for (j in 0..<n) …` and `each j in …` are `each(j in 0..<n, …)`. */
function loop(reader: Reader): Found | undefined {
  const { syntax, at, from, to } = reader;
  const { tokens } = syntax;
  const name = tokens[at].text;
  const example = 'each(j in 0..<n, F[j], B[j])';
  const what = name === 'for' ? 'A loop is a function.' : '"each" is a function.';
  const open = tokens[at + 1]?.text === '(' ? at + 1 : at;
  const isLoop = tokens[open + 1]?.kind === 'name' && tokens[open + 2]?.text === 'in';
  if (name === 'each' && (open !== at || !isLoop)) return undefined;
  // A name may be `for`.
  if (!isLoop && open === at) return undefined;
  if (at === from) return slip(reader, 'A schedule has no statements. A row may loop.', `row(d) = ${example}`);
  if (!isLoop) return slip(reader, what, example);
  const close = open === at ? -1 : matching(tokens, open);
  if (close > to) return slip(reader, what, example);
  const comma = open === at ? undefined : next(reader, open + 1, (text) => text === ',');
  if (comma !== undefined && comma < close) {
    const text = `each${textOf(reader, open, close)}`;
    return slip(reader, what, example, [at, close], text);
  }
  const brace = open === at ? next(reader, at + 1, (text) => text === '{') : close + 1;
  const range = open === at ? textOf(reader, at + 1, (brace ?? at) - 1) : textOf(reader, open + 1, close - 1);
  if (brace === undefined || brace > to) return slip(reader, what, example);
  const inBraces = tokens[brace].text === '{';
  const end = inBraces ? matching(tokens, brace) : to;
  const body = inBraces ? textOf(reader, brace + 1, end - 1) : textOf(reader, brace, end);
  return body === '' || end < 0
    ? slip(reader, what, example)
    : slip(reader, what, example, [at, end], `each(${range}, ${body})`);
}

/** `if a { … } else { … }` is `if(a, …, …)`. */
function branch(reader: Reader): Found | undefined {
  const { syntax, at, from, to } = reader;
  const { tokens } = syntax;
  const example = 'if(d == 0, [F[0], B[0]], [])';
  const what = '"if" is a function.';
  const brace = next(reader, at + 1, (text) => text === '{');
  if (brace === undefined || brace === at + 1) return undefined;
  if (at === from) return slip(reader, 'A schedule has no statements. A row may choose.', `row(d) = ${example}`);
  const close = matching(tokens, brace);
  if (close < 0 || close > to) return slip(reader, what, example);
  const isWrapped = tokens[at + 1].text === '(' && matching(tokens, at + 1) === brace - 1;
  const condition = isWrapped ? textOf(reader, at + 2, brace - 2) : textOf(reader, at + 1, brace - 1);
  const yes = textOf(reader, brace + 1, close - 1);
  const hasElse = tokens[close + 1]?.text === 'else' && tokens[close + 2]?.text === '{';
  const end = hasElse ? matching(tokens, close + 2) : close;
  if (end < 0 || end > to) return slip(reader, what, example);
  const no = hasElse ? `, [${textOf(reader, close + 3, end - 1)}]` : '';
  return slip(reader, what, example, [at, end], `if(${condition}, [${yes}]${no})`);
}

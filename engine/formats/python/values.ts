/** Literal values in a text of Python, read one after the other. */
import { budgetOf, spend } from '../../basics/budget.ts';
import type { JsonMember, JsonValue } from '../json/value.ts';
import type { PythonToken } from './tokens.ts';

/** Longer texts are refused by who calls; values that names repeat are counted, and nesting is bounded by the call stack. */
const mostValues = 20_000;
const deepest = 50;
/** Most values that a name stands for. */
const mostRepeated = 1000;

/** Classes begin with a capital letter. Of functions only these make what their arguments say; others compute. */
const makers: ReadonlySet<string> = new Set(['model_registry', 'default_adamw']);
const isConfiguration = (name: string): boolean => makers.has(name) || /(?:^|\.)[A-Z]\w*$/.test(name);

/** Where a text is read. */
export interface Cursor {
  readonly tokens: readonly PythonToken[];
  at: number;
}

export interface PythonValues {
  /** The value at the cursor, which is then behind it; one that is no literal is null, and among `open`. */
  value(): JsonValue;
  /** The name at the cursor with the names after its dots. */
  dotted(): string;
}

interface Read {
  readonly open: Set<JsonValue>;
  /** Of the calls that are wanted, by the names of their classes. */
  readonly calls: (JsonValue & { readonly kind: 'object' })[];
  readonly isWanted: (name: string) => boolean;
  /** Values that names have by now. */
  readonly names: ReadonlyMap<string, JsonValue | undefined>;
}

/** `length`: characters of the text. */
export function valuesAt(cursor: Cursor, length: number, { open, calls, isWanted, names }: Read): PythonValues {
  const { tokens } = cursor;
  const budget = budgetOf(mostValues);
  const peek = (ahead = 0): string => tokens[cursor.at + ahead]?.text ?? '';

  const opaque = (from: number): JsonValue => {
    // The rest of the value: up to a comma, a closing bracket or the end of the statement.
    for (let depth = 0; cursor.at < tokens.length; cursor.at += 1) {
      const text = peek();
      if (depth === 0 && (text === ',' || text === '\n' || /^[)\]}]$/.test(text))) break;
      if (/^[([{]$/.test(text)) depth += 1;
      if (/^[)\]}]$/.test(text)) depth -= 1;
    }
    const start = tokens[from]?.start ?? length;
    const value: JsonValue = { kind: 'null', start, end: Math.max(start, tokens[cursor.at - 1]?.end ?? start) };
    open.add(value);
    return value;
  };

  const ends = (): boolean => /^(?:[,)\]}\n]|)$/.test(peek());

  const value = (depth: number): JsonValue => {
    const from = cursor.at;
    const found = spend(budget, 1) && depth <= deepest ? (product() ?? primary(depth)) : undefined;
    if (found !== undefined && ends()) return found;
    cursor.at = from;
    return opaque(from);
  };

  /** Numbers and their products: `8 * 2048`. */
  const product = (): JsonValue | undefined => {
    const from = cursor.at;
    let result = numberAt();
    while (result !== undefined && peek() === '*') {
      cursor.at += 1;
      const factor = numberAt();
      result = factor === undefined ? undefined : result * factor;
    }
    if (result !== undefined && Number.isFinite(result) && ends())
      return { kind: 'number', value: result, start: tokens[from].start, end: tokens[cursor.at - 1].end };
    cursor.at = from;
    return undefined;
  };

  const numberAt = (): number | undefined => {
    const sign = peek() === '-' ? -1 : 1;
    if (sign < 0) cursor.at += 1;
    const token = tokens[cursor.at];
    if (token?.kind !== 'number') return undefined;
    cursor.at += 1;
    return sign * Number(token.text.replaceAll('_', ''));
  };

  const primary = (depth: number): JsonValue | undefined => {
    const token = tokens[cursor.at] as PythonToken | undefined;
    if (token === undefined) return undefined;
    const place = { start: token.start, end: token.end };
    if (token.kind === 'string') {
      cursor.at += 1;
      return { kind: 'string', value: token.value ?? '', ...place };
    }
    if (token.text === '[' || token.text === '(') return listAt(depth, token.text === '[' ? ']' : ')');
    if (token.kind !== 'name') return undefined;
    const name = dotted();
    if (peek() === '(') return callAt(name, token.start, depth);
    if (name === 'True' || name === 'False') return { kind: 'boolean', value: name === 'True', ...place };
    if (name === 'None') return { kind: 'null', ...place };
    // A number format, such as `torch.bfloat16`, is a word. Another name has the value that was given to it.
    if (name.startsWith('torch.'))
      return { kind: 'string', value: name, start: token.start, end: tokens[cursor.at - 1].end };
    const known = names.get(name);
    const size = known === undefined ? 0 : sizeOf(known);
    return size <= mostRepeated && spend(budget, size) ? known : undefined;
  };

  const dotted = (): string => {
    let name = peek();
    cursor.at += 1;
    while (peek() === '.' && tokens[cursor.at + 1]?.kind === 'name') {
      name += `.${peek(1)}`;
      cursor.at += 2;
    }
    return name;
  };

  const listAt = (depth: number, close: string): JsonValue | undefined => {
    const { start } = tokens[cursor.at];
    const items: JsonValue[] = [];
    cursor.at += 1;
    while (cursor.at < tokens.length && peek() !== close) {
      items.push(value(depth + 1));
      if (peek() === ',') cursor.at += 1;
      else if (peek() !== close) return undefined;
    }
    if (cursor.at >= tokens.length) return undefined;
    cursor.at += 1;
    return { kind: 'array', items, start, end: tokens[cursor.at - 1].end };
  };

  const callAt = (name: string, start: number, depth: number): JsonValue | undefined => {
    const head = { start, end: tokens[cursor.at - 1].end };
    const members = new Map<string, JsonMember>([
      ['_class', { key: head, value: { kind: 'string', value: name, ...head } }],
    ]);
    cursor.at += 1;
    for (let position = 0; cursor.at < tokens.length && peek() !== ')'; position += 1) {
      const isNamed = tokens[cursor.at].kind === 'name' && peek(1) === '=';
      const key = isNamed ? peek() : `_${position}`;
      const keyAt = { start: tokens[cursor.at].start, end: tokens[cursor.at].end };
      if (isNamed) cursor.at += 2;
      const argument = value(depth + 1);
      if (!members.has(key)) members.set(key, { key: keyAt, value: argument });
      if (peek() === ',') cursor.at += 1;
      else if (peek() !== ')') return undefined;
    }
    if (cursor.at >= tokens.length) return undefined;
    cursor.at += 1;
    if (!isConfiguration(name)) return undefined;
    const call = { kind: 'object' as const, members, start, end: tokens[cursor.at - 1].end };
    if (isWanted(name)) calls.push(call);
    return call;
  };

  return { value: () => value(0), dotted };
}

/** Values in a value, counted as far as a name may repeat them. */
function sizeOf(value: JsonValue): number {
  let size = 0;
  const count = (each: JsonValue): void => {
    size += 1;
    if (size > mostRepeated) return;
    if (each.kind === 'array') each.items.forEach(count);
    else if (each.kind === 'object') for (const member of each.members.values()) count(member.value);
  };
  count(value);
  return size;
}

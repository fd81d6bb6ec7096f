/**
 * Reads configurations that are written in Python, without running them: calls with keyword arguments whose values are literal.
 * `Trainer.Config(seed=1, training=TrainingConfig(steps=10))` is an object with the field `_class` and one for each argument.
 */
import { budgetOf, spend } from '../../basics/budget.ts';
import type { JsonMember, JsonValue } from '../json/value.ts';
import { type PythonToken, tokensOf } from './tokens.ts';

/** Longer texts are refused by who calls; values that names repeat are counted, and nesting is bounded by the call stack. */
const mostValues = 20_000;
const deepest = 50;
/** Most values that a name stands for. */
const mostRepeated = 1000;

export interface PythonRead {
  /** Calls of the wanted classes, in the order of the file. */
  readonly calls: readonly (JsonValue & { readonly kind: 'object' })[];
  /** Values that are no literals, such as `os.environ["X"]`: they are null among the fields. */
  readonly open: ReadonlySet<JsonValue>;
  /** What one assignment gives a name; undefined for a name of several. */
  readonly names: ReadonlyMap<string, JsonValue | undefined>;
  /** Values by the dotted name that they are assigned to, such as `config.training.steps`; the last one if there are several. */
  readonly assigned: ReadonlyMap<string, JsonMember>;
}

/** Classes begin with a capital letter. Of functions only these make what their arguments say; others compute. */
const makers: ReadonlySet<string> = new Set(['model_registry', 'default_adamw']);
const isConfiguration = (name: string): boolean => makers.has(name) || /(?:^|\.)[A-Z]\w*$/.test(name);

/** All calls of a class in a text. A name has the value that one assignment of the file gives it. */
export function readPython(text: string, isWanted: (name: string) => boolean): PythonRead {
  const tokens = tokensOf(text);
  const budget = budgetOf(mostValues);
  const open = new Set<JsonValue>();
  const names = new Map<string, JsonValue | undefined>();
  const assigned = new Map<string, JsonMember>();
  const calls: (JsonValue & { readonly kind: 'object' })[] = [];
  let at = 0;
  const peek = (ahead = 0): string => tokens[at + ahead]?.text ?? '';

  const opaque = (from: number): JsonValue => {
    // The rest of the value: up to a comma, a closing bracket or the end of the statement.
    for (let depth = 0; at < tokens.length; at += 1) {
      const text = peek();
      if (depth === 0 && (text === ',' || text === '\n' || /^[)\]}]$/.test(text))) break;
      if (/^[([{]$/.test(text)) depth += 1;
      if (/^[)\]}]$/.test(text)) depth -= 1;
    }
    const start = tokens[from]?.start ?? text.length;
    const value: JsonValue = { kind: 'null', start, end: Math.max(start, tokens[at - 1]?.end ?? start) };
    open.add(value);
    return value;
  };

  const ends = (): boolean => /^(?:[,)\]}\n]|)$/.test(peek());

  const value = (depth: number): JsonValue => {
    const from = at;
    const found = spend(budget, 1) && depth <= deepest ? (product() ?? primary(depth)) : undefined;
    if (found !== undefined && ends()) return found;
    at = from;
    return opaque(from);
  };

  /** Numbers and their products: `8 * 2048`. */
  const product = (): JsonValue | undefined => {
    const from = at;
    let result = numberAt();
    while (result !== undefined && peek() === '*') {
      at += 1;
      const factor = numberAt();
      result = factor === undefined ? undefined : result * factor;
    }
    if (result !== undefined && Number.isFinite(result) && ends())
      return { kind: 'number', value: result, start: tokens[from].start, end: tokens[at - 1].end };
    at = from;
    return undefined;
  };

  const numberAt = (): number | undefined => {
    const sign = peek() === '-' ? -1 : 1;
    if (sign < 0) at += 1;
    const token = tokens[at];
    if (token?.kind !== 'number') return undefined;
    at += 1;
    return sign * Number(token.text.replaceAll('_', ''));
  };

  const primary = (depth: number): JsonValue | undefined => {
    const token = tokens[at] as PythonToken | undefined;
    if (token === undefined) return undefined;
    const place = { start: token.start, end: token.end };
    if (token.kind === 'string') {
      at += 1;
      return { kind: 'string', value: token.value ?? '', ...place };
    }
    if (token.text === '[' || token.text === '(') return listAt(depth, token.text === '[' ? ']' : ')');
    if (token.kind !== 'name') return undefined;
    const name = dotted();
    if (peek() === '(') return callAt(name, token.start, depth);
    if (name === 'True' || name === 'False') return { kind: 'boolean', value: name === 'True', ...place };
    if (name === 'None') return { kind: 'null', ...place };
    // A number format, such as `torch.bfloat16`, is a word. Another name has the value that was given to it.
    if (name.startsWith('torch.')) return { kind: 'string', value: name, start: token.start, end: tokens[at - 1].end };
    const known = names.get(name);
    const size = known === undefined ? 0 : sizeOf(known);
    return size <= mostRepeated && spend(budget, size) ? known : undefined;
  };

  const dotted = (): string => {
    let name = peek();
    at += 1;
    while (peek() === '.' && tokens[at + 1]?.kind === 'name') {
      name += `.${peek(1)}`;
      at += 2;
    }
    return name;
  };

  const listAt = (depth: number, close: string): JsonValue | undefined => {
    const { start } = tokens[at];
    const items: JsonValue[] = [];
    at += 1;
    while (at < tokens.length && peek() !== close) {
      items.push(value(depth + 1));
      if (peek() === ',') at += 1;
      else if (peek() !== close) return undefined;
    }
    if (at >= tokens.length) return undefined;
    at += 1;
    return { kind: 'array', items, start, end: tokens[at - 1].end };
  };

  const callAt = (name: string, start: number, depth: number): JsonValue | undefined => {
    const head = { start, end: tokens[at - 1].end };
    const members = new Map<string, JsonMember>([
      ['_class', { key: head, value: { kind: 'string', value: name, ...head } }],
    ]);
    at += 1;
    for (let position = 0; at < tokens.length && peek() !== ')'; position += 1) {
      const isNamed = tokens[at].kind === 'name' && peek(1) === '=';
      const key = isNamed ? peek() : `_${position}`;
      const keyAt = { start: tokens[at].start, end: tokens[at].end };
      if (isNamed) at += 2;
      const argument = value(depth + 1);
      if (!members.has(key)) members.set(key, { key: keyAt, value: argument });
      if (peek() === ',') at += 1;
      else if (peek() !== ')') return undefined;
    }
    if (at >= tokens.length) return undefined;
    at += 1;
    if (!isConfiguration(name)) return undefined;
    const call = { kind: 'object' as const, members, start, end: tokens[at - 1].end };
    if (isWanted(name)) calls.push(call);
    return call;
  };

  /** `config.training.steps =` at the start of a statement, which is then behind. */
  const dottedAssignment = (): { readonly name: string; readonly from: number } | undefined => {
    if (tokens[at].kind !== 'name' || peek(1) !== '.' || (at > 0 && tokens[at - 1].text !== '\n')) return undefined;
    const from = at;
    const name = dotted();
    if (peek() === '=') {
      at += 1;
      return { name, from };
    }
    at = from;
    return undefined;
  };

  while (at < tokens.length) {
    const path = dottedAssignment();
    if (path !== undefined) {
      const key = { start: tokens[path.from].start, end: tokens[at - 2].end };
      assigned.set(path.name, { key, value: value(0) });
      continue;
    }
    const isAssigned = tokens[at].kind === 'name' && peek(1) === '=';
    const name = isAssigned ? peek() : undefined;
    if (isAssigned) at += 2;
    else if (peek() === 'return') at += 1;
    else if (tokens[at].kind !== 'name' || peek(1) === '\n') {
      at += 1;
      continue;
    }
    const from = at;
    const read = value(0);
    // A name of two assignments has no value that is known here.
    if (name !== undefined) names.set(name, names.has(name) || open.has(read) ? undefined : read);
    if (at === from) at += 1;
  }
  return { calls, open, names, assigned };
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

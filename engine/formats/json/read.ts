/** Reads JSON (RFC 8259) with places, which `JSON.parse` does not give. Strict: no comments, no commas too many, no key twice. */
import { table } from '../../basics/table.ts';
import type { TextFault } from '../fault.ts';
import type { JsonMember, JsonValue } from './value.ts';

/** Deeper nesting is refused: no configuration has it. */
const deepest = 200;

class Damaged extends Error {
  readonly fault: TextFault;
  constructor(fault: TextFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The value of a text, or the first thing that is wrong with it. */
export function readJson(text: string): JsonValue | { readonly fault: TextFault } {
  try {
    return documentOf(text);
  } catch (error) {
    if (error instanceof Damaged) return { fault: error.fault };
    throw error;
  }
}

interface Cursor {
  readonly text: string;
  at: number;
}

function documentOf(text: string): JsonValue {
  const cursor: Cursor = { text, at: text.startsWith('\uFEFF') ? 1 : 0 };
  const value = valueAt(cursor, 0);
  skip(cursor);
  if (cursor.at < text.length) damaged(cursor, 'Expected the end of the file: the JSON text ends before this.');
  return value;
}

function damaged({ text, at }: Cursor, message: string, start = at, end = Math.min(text.length, at + 1)): never {
  throw new Damaged({ start, end: Math.max(start, end), message });
}

const space = /[ \t\r\n]*/y;

function skip(cursor: Cursor): void {
  space.lastIndex = cursor.at;
  cursor.at += space.exec(cursor.text)?.[0].length ?? 0;
}

/** What was expected at the cursor. */
const expected = ({ text, at }: Cursor, what: string): string =>
  `Expected ${what}${at >= text.length ? ', found the end of the file' : ''}.`;

function valueAt(cursor: Cursor, depth: number): JsonValue {
  skip(cursor);
  const start = cursor.at;
  if (depth > deepest) damaged(cursor, `The JSON text is nested more than ${deepest} deep.`);
  const first = cursor.text[start];
  if (first === '{') return objectAt(cursor, depth);
  if (first === '[') return arrayAt(cursor, depth);
  if (first === '"') {
    const value = stringAt(cursor);
    return { kind: 'string', value, start, end: cursor.at };
  }
  return wordAt(cursor);
}

const word = /[\w.+-]+/y;
const numeral = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function wordAt(cursor: Cursor): JsonValue {
  const start = cursor.at;
  word.lastIndex = start;
  const text = word.exec(cursor.text)?.[0] ?? '';
  const end = start + text.length;
  cursor.at = end;
  if (text === 'null') return { kind: 'null', start, end };
  if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true', start, end };
  if (numeral.test(text)) return { kind: 'number', value: Number(text), start, end };
  cursor.at = start;
  return damaged(
    cursor,
    expected(cursor, 'a JSON value'),
    start,
    Math.max(end, Math.min(cursor.text.length, start + 1)),
  );
}

const escapes: Readonly<Record<string, string>> = table({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' });
const escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** The end of the run of characters that stand for themselves. */
function plainEnd(text: string, from: number): number {
  let at = from;
  // A space is the first character that is none of control.
  while (at < text.length && text[at] !== '"' && text[at] !== '\\' && text.charCodeAt(at) >= 0x20) at += 1;
  return at;
}

function stringAt(cursor: Cursor): string {
  const start = cursor.at;
  cursor.at += 1;
  const parts: string[] = [];
  for (;;) {
    const end = plainEnd(cursor.text, cursor.at);
    parts.push(cursor.text.slice(cursor.at, end));
    cursor.at = end;
    const next = cursor.text[end];
    if (next === '"') {
      cursor.at += 1;
      return parts.join('');
    }
    if (next !== '\\') damaged(cursor, 'The string is not closed.', start, end);
    escape.lastIndex = end;
    const found = escape.exec(cursor.text)?.[0];
    if (found === undefined) return damaged(cursor, 'This is not a JSON escape.', end, end + 2);
    parts.push(unescaped(found));
    cursor.at += found.length;
  }
}

const unescaped = (text: string): string =>
  text[1] === 'u' ? String.fromCharCode(Number.parseInt(text.slice(2), 16)) : (escapes[text[1]] ?? text[1]);

/** Reads the items between brackets, with commas between them; calls `readItem` for each. */
function listAt(cursor: Cursor, close: string, readItem: () => void): void {
  const start = cursor.at;
  cursor.at += 1;
  skip(cursor);
  if (cursor.text[cursor.at] === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    readItem();
    skip(cursor);
    const next = cursor.text[cursor.at];
    if (next === ',') {
      cursor.at += 1;
      skip(cursor);
      if (cursor.text[cursor.at] === close) damaged(cursor, `There is a comma before \`${close}\`.`);
      continue;
    }
    if (next === close) {
      cursor.at += 1;
      return;
    }
    if (next === undefined) damaged(cursor, `The \`${cursor.text[start]}\` is not closed.`, start, start + 1);
    damaged(cursor, expected(cursor, `\`,\` or \`${close}\``));
  }
}

function arrayAt(cursor: Cursor, depth: number): JsonValue {
  const start = cursor.at;
  const items: JsonValue[] = [];
  listAt(cursor, ']', () => void items.push(valueAt(cursor, depth + 1)));
  return { kind: 'array', items, start, end: cursor.at };
}

function objectAt(cursor: Cursor, depth: number): JsonValue {
  const start = cursor.at;
  const members = new Map<string, JsonMember>();
  listAt(cursor, '}', () => {
    skip(cursor);
    const key = { start: cursor.at, end: cursor.at };
    if (cursor.text[cursor.at] !== '"') damaged(cursor, expected(cursor, 'a key in quotes'));
    const name = stringAt(cursor);
    key.end = cursor.at;
    if (members.has(name)) damaged(cursor, 'This key appears a second time here.', key.start, key.end);
    skip(cursor);
    if (cursor.text[cursor.at] !== ':') damaged(cursor, expected(cursor, '`:` after the key'));
    cursor.at += 1;
    members.set(name, { key, value: valueAt(cursor, depth + 1) });
  });
  return { kind: 'object', members, start, end: cursor.at };
}

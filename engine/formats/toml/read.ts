/** Reads TOML 1.0 as JSON values with places: of a key that is on one line with its value, the line's value. */
import { parse, TomlError, type TomlValue } from 'smol-toml';
import type { TextFault } from '../fault.ts';
import type { JsonMember, JsonValue } from '../json/value.ts';
import { linesOf } from '../lines.ts';

/** Longer texts and deeper nesting are refused: no configuration has them. */
const longest = 200_000;
const deepest = 50;

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The value of a text, or the first thing that is wrong with it. Never throws. */
export function readToml(text: string): JsonValue | { readonly fault: TextFault } {
  if (text.length > longest)
    return { fault: { start: longest, end: longest + 1, message: `TOML is read up to ${longest} characters.` } };
  const bare = text.replace(/^\uFEFF/, '');
  const moved = text.length - bare.length;
  try {
    const places = placesIn(bare, moved);
    return valueOf(parse(bare, { maxDepth: deepest }), [], { start: 0, end: text.length }, places);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const start = Math.min(text.length, moved + startOf(bare, error.line, error.column));
    const message = /redefine|already/i.test(error.message)
      ? 'This key or table appears a second time here.'
      : 'This is not valid TOML.';
    return { fault: { start, end: Math.min(text.length, start + 1), message } };
  }
}

function startOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let before = 1; before < line; before += 1) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** Places of the values of keys, by path. The parser gives none. A line of a text in several lines is no key that is asked for. */
function placesIn(text: string, moved: number): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let table = '';
  for (const { text: line, start } of linesOf(text)) {
    const header = /^\s*\[\s*([\w.-]+)\s*\]/.exec(line)?.[1];
    if (header !== undefined) table = `${header}.`;
    const [whole, head, key, value] = /^(\s*([\w.-]+)\s*=\s*)(.*)$/.exec(line) ?? [];
    if (whole === undefined) continue;
    const from = moved + start + head.length;
    const shown = value.split(' #', 1)[0].trimEnd();
    places.set(table + key, { start: from, end: from + Math.max(1, shown.length) });
  }
  return places;
}

function valueOf(
  value: TomlValue,
  path: readonly string[],
  around: Place,
  places: ReadonlyMap<string, Place>,
): JsonValue {
  const { start, end } = places.get(path.join('.')) ?? around;
  const at = { start, end };
  if (typeof value === 'string') return { kind: 'string', value, ...at };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', value: Number(value), ...at };
  if (typeof value === 'boolean') return { kind: 'boolean', value, ...at };
  // Dates, and tables that are nested deeper than those of any configuration.
  if (value instanceof Date || path.length > deepest) return { kind: 'string', value: '', ...at };
  if (Array.isArray(value))
    return { kind: 'array', items: value.map((item) => valueOf(item, path, at, places)), ...at };
  const members = new Map<string, JsonMember>();
  for (const [name, inner] of Object.entries(value)) {
    const read = valueOf(inner, [...path, name], at, places);
    members.set(name, { key: { start: read.start, end: read.end }, value: read });
  }
  return { kind: 'object', members, ...at };
}

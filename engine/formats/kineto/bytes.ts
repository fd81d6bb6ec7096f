/** JSON in bytes: where a value ends, and what it is. The engine has no decoder of texts, and what a trace is read for is ASCII. */

/** Counted from 0. Characters are bytes. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

type Cursor = { -readonly [Key in keyof Place]: Place[Key] };

const deepest = 64;
const lineFeed = 10;
const quote = 34;
const colon = 58;
const backslash = 92;
/** Most characters of a name that are looked at. */
const nameLength = 96;

/** The first byte from `at` on that is no white space. */
export function skipSpace(bytes: Uint8Array, at: number, place: Cursor): number {
  for (let index = at; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === lineFeed) {
      place.line += 1;
      place.character = 0;
    } else if (byte === 32 || byte === 9 || byte === 13) {
      place.character += 1;
    } else return index;
  }
  return bytes.length;
}

/** The byte after a string that begins at `at`, or −1. */
function endOfString(bytes: Uint8Array, at: number): number {
  for (let index = at + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) return index + 1;
    if (byte === backslash) index += 1;
  }
  return -1;
}

/**
 * The byte after the value that begins at `at`, or −1 where it does not end in the bytes, is nested too deep, or has more than `most`
 * bytes. `names` receives the first characters of an event's name and category.
 */
export function endOfValue(
  bytes: Uint8Array,
  at: number,
  place: Cursor,
  most: number,
  names?: { name: string; category: string },
): number {
  const limit = Math.min(bytes.length, at + most);
  let depth = 0;
  // Where the line would begin that holds the byte.
  let lineStart = at - place.character;
  for (let index = at; index < limit; index += 1) {
    const byte = bytes[index];
    if (byte === quote) {
      const after = endOfString(bytes, index);
      if (after < 0 || after > limit) return -1;
      if (depth === 1 && names !== undefined) keepName(bytes, index, after, names);
      index = after - 1;
    } else if (byte === lineFeed) {
      place.line += 1;
      lineStart = index + 1;
      continue;
    } else if (byte === 123 || byte === 91) {
      depth += 1;
      if (depth > deepest) return -1;
      continue;
    } else if (byte === 125 || byte === 93) {
      // The end of what holds a plain value.
      if (depth === 0) return done(index);
      depth -= 1;
    } else if (depth === 0 && byte === 44) return done(index);
    else if (depth > 0 || byte > 32) continue;
    else return done(index);
    if (depth === 0) return done(index + 1);
  }
  // A plain value may end with the bytes.
  return depth === 0 && limit === bytes.length && limit > at ? done(limit) : -1;

  function done(stop: number): number {
    place.character = stop - lineStart;
    return stop;
  }
}

const isKey = (bytes: Uint8Array, at: number, after: number, key: string): boolean => {
  if (after - at !== key.length + 2) return false;
  for (let index = 0; index < key.length; index += 1) if (bytes[at + 1 + index] !== key.charCodeAt(index)) return false;
  return true;
};

/** `"name": "PP:2F0"` and `"cat": "user_annotation"`: the string at `at` is such a key. */
function keepName(bytes: Uint8Array, at: number, after: number, names: { name: string; category: string }): void {
  const length = after - at;
  const isName = length === 6 && isKey(bytes, at, after, 'name');
  if (!isName && !(length === 5 && isKey(bytes, at, after, 'cat'))) return;
  const cursor = { line: 0, character: 0 };
  let index = skipSpace(bytes, after, cursor);
  if (bytes[index] !== colon) return;
  index = skipSpace(bytes, index + 1, cursor);
  if (bytes[index] !== quote) return;
  const stop = endOfString(bytes, index);
  if (stop < 0) return;
  const text = shortText(bytes, index + 1, Math.min(stop - 1, index + 1 + nameLength));
  if (isName) names.name = text;
  else names.category = text;
}

/** Of the few characters of a name, which every event has: faster than `asciiText`. */
function shortText(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at]);
  return text;
}

/** Bytes as characters, each as one. */
export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 4096) text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 4096)));
  return text;
}

export function valueAt(bytes: Uint8Array, from: number, to: number): unknown {
  try {
    return JSON.parse(asciiText(bytes, from, to));
  } catch {
    return undefined;
  }
}

/**
 * Fixtures are text with marks: `$0` is the cursor, `$1` to `$9` further positions, `//- /name.pipe` begins another file, and a line
 * `   ^^^^ error: code` says of the text above it what must be reported there. Marks are not part of the text.
 */

export interface Marked {
  readonly text: string;
  /** Offsets of `$0`, `$1`, … */
  readonly at: readonly number[];
  readonly expected: readonly Expected[];
}

export interface Expected {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly severity: string;
  readonly code: string;
}

export function marked(source: string): Marked {
  const expected: Expected[] = [];
  const lines: string[] = [];
  for (const line of source.replace(/^\n/, '').split('\n')) {
    const found = /^(\s*)(\^+) (error|warning|information|hint): (\S+)$/.exec(line);
    if (found === null) lines.push(line);
    else {
      const [, before = '', carets = '', severity = '', code = ''] = found;
      expected.push({ line: lines.length - 1, from: before.length, to: before.length + carets.length, severity, code });
    }
  }
  const at: number[] = [];
  let text = lines.join('\n');
  for (;;) {
    const found = /\$(\d)/.exec(text);
    if (found === null) break;
    at[Number(found[1])] = found.index;
    text = text.slice(0, found.index) + text.slice(found.index + 2);
  }
  return { text, at, expected };
}

/** Files of a fixture by name; the text before the first `//- /name` belongs to `main.pipe`. */
export function files(source: string): ReadonlyMap<string, string> {
  const parts = source.replace(/^\n/, '').split(/^\/\/- \/(\S+)\n/m);
  const found = new Map<string, string>();
  if ((parts[0] ?? '').trim() !== '') found.set('main.pipe', parts[0] ?? '');
  for (let at = 1; at < parts.length; at += 2) found.set(parts[at] ?? '', parts[at + 1] ?? '');
  return found;
}

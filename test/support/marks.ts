/**
 * The marks of fixtures. They are not part of the text.
 *
 * - `$0` is the cursor, `$1` to `$9` are further positions.
 * - `⟦code:text⟧` expects a finding with this code at this text; `⟦warning code:text⟧` expects its severity too.
 * - `⟦code:old→new⟧` also expects that the fix changes this text, and `⟦old→new⟧` that the fix changes another place.
 * - A line `//- /name.pipe` begins another file. Its text has no marks.
 */

/** A finding that the text must have. */
export interface ExpectedFinding {
  readonly code: string;
  readonly severity?: string;
  readonly start: number;
  readonly end: number;
}

export interface Marked {
  readonly text: string;
  /** Offsets of `$0`, `$1`, … */
  readonly at: readonly number[];
  /** Findings, in order of the text. */
  readonly findings: readonly ExpectedFinding[];
  /** The text after the fix; equal to `text` if no mark has an arrow. */
  readonly fixed: string;
  /** Texts of the other files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

const mark = /\$(\d)|⟦(?:(?:(error|warning|information|hint) )?([a-z]+\/[a-z-]+):)?([^⟦⟧→]*)(→[^⟦⟧→]*)?⟧/g;
const begin = /^\/\/- \/(\S+)\n/m;

/** Takes the marks out of `source`. Throws if a mark is not well formed or a position occurs twice. */
export function marks(source: string): Marked {
  const [first = '', ...rest] = source.replace(/^\n/, '').split(begin);
  const files: Record<string, string> = {};
  for (let index = 0; index < rest.length; index += 2) files[rest[index] ?? ''] = rest[index + 1] ?? '';
  const at: number[] = [];
  const findings: ExpectedFinding[] = [];
  let text = '';
  let fixed = '';
  let from = 0;
  for (const found of first.matchAll(mark)) {
    const [all, position, severity, code, inside = '', replacement] = found;
    text += first.slice(from, found.index);
    fixed += first.slice(from, found.index);
    from = found.index + all.length;
    if (position !== undefined) {
      if (at[Number(position)] !== undefined) throw new Error(`$${position} occurs twice`);
      at[Number(position)] = text.length;
      continue;
    }
    if (code === undefined && replacement === undefined) throw new Error(`${all} expects neither a finding nor a fix`);
    const start = text.length;
    text += inside;
    fixed += replacement === undefined ? inside : replacement.slice(1);
    if (code !== undefined)
      findings.push({ code, ...(severity === undefined ? {} : { severity }), start, end: text.length });
  }
  text += first.slice(from);
  fixed += first.slice(from);
  const stray = /[⟦⟧]|\$\d/.exec(text);
  if (stray !== null) throw new Error(`A mark is not well formed: ${text.slice(stray.index, stray.index + 40)}`);
  return { text, at, findings, fixed, files };
}

/** The offset of `$0`; throws if there is none. */
export function cursorOf({ at }: Marked): number {
  const [cursor] = at;
  if (cursor === undefined) throw new Error('The text has no cursor: write $0.');
  return cursor;
}

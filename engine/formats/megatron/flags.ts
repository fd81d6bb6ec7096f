/** Reads command-line arguments of Megatron-LM as a shell script writes them, each with its place. */
export interface Argument {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Flags by name without `--`: the first argument of each, itself where there is none. Later ones overrule earlier ones. */
export type Flags = ReadonlyMap<string, Flag>;
export interface Flag {
  readonly flag: Argument;
  readonly value?: Argument;
  /** Words behind the first argument, of flags that take several. */
  readonly more?: readonly Argument[];
}

/** A quoted text that a shell splits again, as in `OPTIONS="--tp 8 --pp 2"`: it has flags, and spaces. */
const isList = (text: string): boolean => /\s/.test(text) && /(?:^|\s)--[A-Za-z]/.test(text);

/** Words of a script: quotes are taken off, `$((A * B))` is one word, `\` at a line's end and comments passed over. `from`: where the text begins. */
export function wordsOf(text: string, from = 0): readonly Argument[] {
  const words: Argument[] = [];
  const pattern =
    /#[^\r\n]*|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\(?=\r?\n|$)|\$\(\((?:[^()\n]|\([^()\n]*\))*\)\)\)?|(?:[^\s"'\\#]|\\\S)(?:[^\s"'\\]|\\\S)*/g;
  for (const { 0: word, 1: double, 2: single, index } of text.matchAll(pattern)) {
    const quoted = double ?? single;
    if (quoted === undefined && (word.startsWith('#') || word === '\\')) continue;
    const start = from + (quoted === undefined ? index : index + 1);
    if (quoted !== undefined && isList(quoted)) {
      words.push(...wordsOf(quoted, start));
      continue;
    }
    const before = words.at(-1);
    // Of `--flag="value"` the flag is a word of its own.
    if (quoted !== undefined && before?.end === from + index && before.text.endsWith('='))
      words.splice(-1, 1, { ...before, text: before.text.slice(0, -1) });
    words.push({ text: quoted ?? word, start, end: start + (quoted ?? word).length });
  }
  return words;
}

/** A variable of the script that begins behind a flag without a value. */
const assigns = /^\w+\+?=\(?$/;

/** The flags among the words: `--flag value` and `--flag=value`. */
export function flagsOf(text: string): Flags {
  const flags = new Map<string, Flag>();
  const words = wordsOf(text);
  for (const [index, word] of words.entries()) {
    const match = /^--([A-Za-z][\w-]*)(?:=([\s\S]+))?$/.exec(word.text);
    if (match === null) continue;
    const name = match[1].replaceAll('_', '-');
    const next = words[index + 1];
    const start = word.end - (match[2]?.length ?? 0);
    const value =
      match[2] !== undefined
        ? { text: match[2], start, end: word.end }
        : next === undefined || next.text.startsWith('--') || assigns.test(next.text)
          ? undefined
          : next;
    const last = words.findIndex(({ text: other }, at) => at > index + 1 && !/^\w+\)?$/.test(other));
    const more = value === next && next !== undefined ? words.slice(index + 2, last < 0 ? words.length : last) : [];
    flags.set(name, { flag: word, value, ...(more.length === 0 ? {} : { more }) });
  }
  return flags;
}

/** Variables of a launch script that have no value here: which assignment is to blame, and what they may hide. */
import { wordsOf } from './flags.ts';

interface Assignment {
  /** As the script writes it. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What a fault says of a number that depends on variables, and where. */
interface Blamed {
  readonly name: string;
  readonly line: number;
  readonly at: Assignment;
  /** A variable that the assignment needs and the script does not set; undefined where the expression itself cannot be computed. */
  readonly unset?: string;
}

const namesIn = (text: string): readonly string[] => [...text.matchAll(/[A-Za-z_]\w*/g)].map(([name]) => name);

/** The last assignment of each variable, of whatever value. */
function assignmentsIn(text: string): ReadonlyMap<string, Assignment> {
  const found = new Map<string, Assignment>();
  for (const { 0: line, 1: name, 2: value, index } of text.matchAll(
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=([^\r\n]*)/gm,
  )) {
    const written = value.replace(/[ \t]+#.*$/, '').trimEnd();
    const start = index + line.length - value.length;
    found.set(name, { text: written, start, end: start + written.length });
  }
  return found;
}

/** The assignment at the root of a number that has no value: its variables have values, or are not set. */
export function blamed(script: string, values: ReadonlyMap<string, string>, text: string): Blamed | undefined {
  const assignments = assignmentsIn(script);
  const seen = new Set<string>();
  let within = text;
  let found: Blamed | undefined;
  for (;;) {
    const open = namesIn(within).filter((name) => !/^-?\d+$/.test(values.get(name) ?? ''));
    const name = open.find((each) => assignments.has(each) && !seen.has(each));
    const at = name === undefined ? undefined : assignments.get(name);
    if (name === undefined || at === undefined) {
      const unset = open.find((each) => !assignments.has(each));
      const isPlain = !/\$\((?!\()/.test(within);
      return found === undefined || unset === undefined || !isPlain ? found : { ...found, unset };
    }
    seen.add(name);
    found = { name, line: script.slice(0, at.start).split('\n').length, at };
    within = at.text;
  }
}

/** How our scripts end their first comment: what is written behind one of them is not in it. */
export const writtenHere = 'written by Pipewright.';

/** Words of the launch line that are variables without a value here, such as `"${EXTRA[@]}"` and `$@`: they may hold flags. */
export function unknownWords(script: string, values: ReadonlyMap<string, string>): readonly string[] {
  const assigned = new Set([...script.matchAll(/\b([A-Za-z_]\w*)\+?=/g)].map(([, name]) => name));
  const isKnown = (name: string): boolean => assigned.has(name) && !(values.get(name) ?? '').startsWith('$');
  const words = wordsOf(script);
  const isOurs = script.includes(writtenHere);
  const found = words.flatMap(({ text, start }, index) => {
    const name = /^\$\{?([A-Za-z_]\w*|[@*])((?:\[[@*]\])?)\}?\)?$/.exec(text)?.[1];
    if (name === undefined || isKnown(name) || (isOurs && name === '@')) return [];
    const before = words.at(index - 1)?.text ?? '';
    // The value of a flag is named with its flag, if it matters.
    const isList = /[@*]/.test(text);
    return (before.startsWith('--') && !isList) || !isLaunch(script, start) ? [] : [text.replace(/\)$/, '')];
  });
  return [...new Set(found)];
}

/** Whether a command with its continued lines has a flag, or starts a program of Python. */
function isLaunch(script: string, at: number): boolean {
  const before = /(?:\\\r?\n|[^\n])*$/.exec(script.slice(Math.max(0, at - longestCommand), at))?.[0] ?? '';
  return /(?:^|\s)--[A-Za-z]|\b(?:torchrun|python3?|deepspeed)\b|\.py\b/.test(before);
}

/** Characters of a command that are looked at. */
const longestCommand = 5000;

/** The one configuration of a Python file, or the one that is asked for among several. */
import type { TextFault } from '../fault.ts';
import type { JsonValue } from '../json/value.ts';
import { readPython } from './read.ts';

/** Longer texts are refused: no configuration has them. */
const longest = 200_000;
/** Most lines that a sentence lists. */
const mostLines = 20;

interface OnlyCall {
  readonly call: JsonValue;
  /** Lines that are not used. */
  readonly remarks: readonly string[];
}

/** What a file with several configurations can be asked for. */
export interface Choices {
  readonly choices: readonly string[];
}

/** The call of a wanted class; a fault if there is none, or several of which none is asked for by the name of its function. */
export function onlyCall(
  text: string,
  isWanted: (name: string) => boolean,
  asked?: string,
): OnlyCall | ({ readonly faults: readonly TextFault[] } & Partial<Choices>) {
  if (text.length > longest)
    return {
      faults: [{ start: longest, end: longest + 1, message: `Python is read up to ${longest} characters.` }],
    };
  const { calls, open } = readPython(text, isWanted);
  const [call, second] = calls;
  if (call === undefined)
    return { faults: [{ start: 0, end: 1, message: 'The configuration is not written as a call with arguments.' }] };
  const named = calls.map(({ start }) => functionAround(text, start));
  if (asked === undefined && second === undefined)
    return { call, remarks: [...openRemark(text, call, open), ...changedRemark(text)] };
  const found = named.find((around) => around !== undefined && around.name === asked);
  if (found === undefined) {
    const choices = [...new Set(named.flatMap((around) => around?.name ?? []))];
    const place = second ?? call;
    return {
      faults: [{ start: place.start, end: place.end, message: choiceMessage(calls.length, choices, asked) }],
      ...(choices.length > 1 ? { choices } : {}),
    };
  }
  const others = named.flatMap((around) => (around === undefined || around.name === asked ? [] : [around]));
  return onlyCall(without(text, others), isWanted);
}

function choiceMessage(count: number, choices: readonly string[], asked: string | undefined): string {
  const list = choices.map((name) => `"${name}"`).join(', ');
  if (choices.length === 0)
    return `This is another configuration. The file has ${count}, and only one can be imported: delete the others.`;
  return asked === undefined
    ? `The file has several configurations: ${list}. Choose one: --config ${choices[0]}.`
    : `The file has no configuration "${asked}". It has ${list}.`;
}

interface Around {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The function of the file's outermost level that a place is in. */
function functionAround(text: string, at: number): Around | undefined {
  const begin = text.lastIndexOf('\ndef ', at) + 1;
  const name = /^def (\w+)/.exec(text.slice(begin, begin + 200))?.[1];
  // The next line that is not indented ends it; a closing bracket of its parameters does not.
  const rest = /\n(?=[^\s#)])/.exec(text.slice(begin));
  const end = rest === null ? text.length : begin + rest.index;
  return name === undefined || at >= end ? undefined : { name, start: begin, end };
}

/** The text with blanks in the place of some functions: all other places stay where they are. */
function without(text: string, functions: readonly Around[]): string {
  let left = text;
  for (const { start, end } of functions)
    left = left.slice(0, start) + left.slice(start, end).replace(/[^\n]/g, ' ') + left.slice(end);
  return left;
}

function openRemark(text: string, call: JsonValue, open: ReadonlySet<JsonValue>): readonly string[] {
  const lines = new Set<number>();
  const look = (value: JsonValue): void => {
    if (open.has(value)) lines.add(lineOf(text, value.start));
    else if (value.kind === 'array') value.items.forEach(look);
    else if (value.kind === 'object') for (const member of value.members.values()) look(member.value);
  };
  look(call);
  const shown = [...lines].toSorted((a, b) => a - b).slice(0, mostLines);
  return lines.size === 0
    ? []
    : [
        `Not literal, so not used: ${shown.map((line) => `line ${line}`).join(', ')}${lines.size > mostLines ? ' and more' : ''}.`,
      ];
}

/** Lines such as `config.training.steps = 10`, which take a run of the file. */
function changedRemark(text: string): readonly string[] {
  const found = /^[ \t]*\w+(?:\.\w+)+[ \t]*=(?!=)/m.exec(text);
  return found === null
    ? []
    : [`Changes to a configuration after it was made are not read, such as in line ${lineOf(text, found.index)}.`];
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The one configuration of a Python file. */
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

/** The call of a wanted class; a fault if there are several, or none. */
export function onlyCall(
  text: string,
  isWanted: (name: string) => boolean,
): OnlyCall | { readonly faults: readonly TextFault[] } {
  if (text.length > longest)
    return {
      faults: [{ start: longest, end: longest + 1, message: `Python is read up to ${longest} characters.` }],
    };
  const { calls, open } = readPython(text, isWanted);
  const [call, second] = calls;
  if (call === undefined)
    return { faults: [{ start: 0, end: 1, message: 'The configuration is not written as a call with arguments.' }] };
  if (second !== undefined)
    return {
      faults: [
        {
          start: second.start,
          end: second.end,
          message: `This is another configuration. The file has ${calls.length}, and only one can be imported: delete the others.`,
        },
      ],
    };
  return { call, remarks: [...openRemark(text, call, open), ...changedRemark(text)] };
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
    : [`Changes to a configuration that is made are not read, such as in line ${lineOf(text, found.index)}.`];
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

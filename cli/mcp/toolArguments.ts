/** What a call gives, as the arguments of a command; or a sentence that says what is wrong with it. */
import { list } from '../../engine/basics/quantities.ts';
import { nearest } from '../../engine/basics/spelling.ts';
import type { Tool, ToolInput } from './tools.ts';

export interface ToolCall {
  readonly args: readonly string[];
  /** Texts of files that the call gives, by the path that `args` have. */
  readonly texts: ReadonlyMap<string, string>;
}

type Problem = { readonly problem: string };
type Given = Readonly<Record<string, unknown>>;

/** Names a text that lies nowhere. */
export const unsaved = 'unsaved.pipe';

export function toolArguments(tool: Tool, given: Given): ToolCall | Problem {
  for (const [name, value] of Object.entries(given)) {
    const input = Object.hasOwn(tool.inputs, name) ? tool.inputs[name] : undefined;
    if (input === undefined) return { problem: unknownInput(tool, name) };
    if (value !== undefined && value !== null && !isOf(input, value))
      return { problem: `\`${name}\` takes ${kinds[input.type]}.` };
  }
  const missing = (tool.required ?? []).find((name) => given[name] === undefined);
  if (missing !== undefined) return { problem: `\`${missing}\` is missing: ${tool.inputs[missing]?.doc ?? ''}` };
  const options: string[] = [];
  // A row that is written is a file, not a summary.
  if (tool.isSummary === true && given['limit'] === undefined && given['write'] === undefined)
    options.push('--summary');
  if (tool.name === 'fix' && given['code'] === undefined) options.push('--fix');
  const usual = given['time'] === undefined && given['write'] === undefined ? tool.time : undefined;
  if (usual !== undefined) options.push(`--time=${usual}`);
  for (const [name, value] of Object.entries(given)) {
    const { option } = tool.inputs[name] ?? {};
    if (option !== undefined && value !== undefined && value !== null) options.push(...optionOf(option, value));
  }
  if (tool.command === 'explain') return { args: ['explain', '--', String(given['name'])], texts: new Map() };
  const operand = operandOf(tool, given, options);
  if ('problem' in operand) return operand;
  return { args: [tool.command, ...options, ...operand.args], texts: operand.texts };
}

/** The file that a call is about. */
function operandOf(tool: Tool, given: Given, options: string[]): ToolCall | Problem {
  const [path, text] = [given['path'], given['text']];
  const isMade = ['model', 'on', 'batch', 'nodes'].some((name) => given[name] !== undefined);
  if (isMade && tool.name === 'plan') {
    if (path !== undefined) return { problem: 'Give `path`, or `model`, `on` and `batch`: these stand for a file.' };
    if (typeof text !== 'string') return { args: [], texts: new Map() };
    if (given['model'] !== undefined) return { problem: 'Give `model` or the `text` of a model, not both.' };
    options.push(`--model=${unsaved}`);
    return { args: [], texts: new Map([[unsaved, text]]) };
  }
  if (typeof path !== 'string' && typeof text !== 'string')
    return {
      problem: `Give \`path\`, the name of a file, or \`text\`, the file itself${tool.name === 'plan' ? '; or `model`, `on` and `batch`' : ''}.`,
    };
  const name = typeof path === 'string' ? path : unsaved;
  if (name === '' || name === '-') return { problem: '`path` takes the name of a file.' };
  return { args: ['--', name], texts: typeof text === 'string' ? new Map([[name, text]]) : new Map() };
}

function optionOf(option: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return value ? [`--${option}`] : [];
  if (Array.isArray(value))
    return option === 'limit'
      ? value.map((each) => `--${option}=${String(each)}`)
      : [`--${option}=${value.join(', ')}`];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, each]) => `--${option}=${name}=${String(each)}`);
  return [`--${option}=${String(value)}`];
}

const kinds: Readonly<Record<ToolInput['type'], string>> = {
  string: 'text',
  integer: 'a whole number of at least 0',
  boolean: 'true or false',
  strings: 'a list of texts',
  settings: 'an object of names and values, such as {"microbatches": 16}',
};

function isOf({ type }: ToolInput, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' || typeof value === 'number';
    case 'integer':
      return Number.isSafeInteger(value) && Number(value) >= 0;
    case 'boolean':
      return typeof value === 'boolean';
    case 'strings':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    case 'settings':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every((each) => typeof each === 'string' || typeof each === 'number')
      );
  }
}

function unknownInput({ name, inputs }: Tool, written: string): string {
  const known = Object.keys(inputs);
  const guess = nearest(written, known);
  return `${name} takes no \`${written}\`.${guess === undefined ? ` It takes ${list(known)}.` : ` Did you mean \`${guess}\`?`}`;
}

import { parseArgs } from 'node:util';
import { nearest } from '../engine/basics/spelling.ts';

/** An option of a command. `value` names what follows it in help; without one it is a switch. */
export interface OptionSpec {
  readonly name: string;
  readonly value?: string;
  /** The value may be left out, and follows after `=` only: `--fix`, `--fix=CODE`. */
  readonly optional?: true;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** May be given more than once. */
  readonly repeated?: boolean;
  readonly doc: string;
}

export interface CommandSpec {
  readonly name: string;
  /** What follows the name: `FILE…`, `CODE`, or nothing. */
  readonly operands: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** It has no options: `--name` is the name of an option of another command. */
  readonly looksUp?: true;
  /** Paragraphs after the options. */
  readonly notes?: readonly string[];
}

export interface Arguments {
  readonly operands: readonly string[];
  has(option: string): boolean;
  /** The last value given. */
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

/** Every command has these. */
export const commonOptions: readonly OptionSpec[] = [{ name: 'help', doc: 'Show this help.' }];

/** Reads `args` by `spec`; `problem` is one sentence for the user. */
export function readArguments(args: readonly string[], spec: CommandSpec): Arguments | { readonly problem: string } {
  const options = [...spec.options, ...commonOptions];
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        options.map((option) => [
          option.name,
          {
            type: option.value === undefined || option.optional === true ? ('boolean' as const) : ('string' as const),
          },
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const operands: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const option = options.find((optionSpec) => optionSpec.name === token.name);
    if (option === undefined) return { problem: unknownOption(token.rawName, options) };
    const problem = valueProblem(option, token.value, given.has(option.name));
    if (problem !== undefined) return { problem };
    given.set(option.name, [...(given.get(option.name) ?? []), token.value ?? '']);
  }
  return {
    operands,
    has: (option) => given.has(option),
    value: (option) => given.get(option)?.at(-1),
    values: (option) => given.get(option) ?? [],
  };
}

function valueProblem(option: OptionSpec, value: string | undefined, again: boolean): string | undefined {
  if (again && !option.repeated && option.value !== undefined) return `--${option.name} is given twice.`;
  if (option.optional === true && value === undefined) return undefined;
  if (option.value === undefined) return value === undefined ? undefined : `--${option.name} takes no value.`;
  if (value === undefined || value === '')
    return `--${option.name} needs a value: --${option.name}${option.optional === true ? '=' : ' '}${option.value}.`;
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const guess = nearest(value, option.choices);
    return `--${option.name} cannot be "${value}"; it is one of ${option.choices.join(', ')}.${guess === undefined ? '' : ` Did you mean "${guess}"?`}`;
  }
  return undefined;
}

function unknownOption(rawName: string, options: readonly OptionSpec[]): string {
  // `--json` for `--format json`.
  const asChoice = options.find(({ choices }) => choices?.includes(rawName.replace(/^-+/, '')) === true);
  if (asChoice !== undefined)
    return `Unknown option "${rawName}". Did you mean "--${asChoice.name} ${rawName.replace(/^-+/, '')}"?`;
  const guess = nearest(
    rawName.replace(/^-+/, ''),
    options.map((option) => option.name),
  );
  return `Unknown option "${rawName}".${guess === undefined ? '' : ` Did you mean "--${guess}"?`}`;
}

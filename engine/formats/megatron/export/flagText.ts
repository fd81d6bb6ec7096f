/** Arguments of Megatron-LM as text. */

/** An argument by its name without `--`, and its value; a switch has none. Values are numbers and words of Megatron-LM. */
export type FlagText = readonly [name: string, value?: string];

/** Arguments, and what they do not say: sentences. */
export interface FlagTexts {
  readonly flags: readonly FlagText[];
  readonly notes: readonly string[];
}

/** `--name value`; a value that a shell would read otherwise is quoted, and a variable of the script stays one. */
export const flagText = ([name, value]: FlagText): string =>
  value === undefined
    ? `--${name}`
    : `--${name} ${/^[\w.-]+(?: [\w.-]+)*$/.test(value) ? value : value.startsWith('$') ? `"${value}"` : `'${value}'`}`;

/** `NAME=( … )`, an argument a line. */
export const flagArray = (name: string, flags: readonly FlagText[]): string =>
  `${name}=(\n${flags.map((flag) => `  ${flagText(flag)}\n`).join('')})\n`;

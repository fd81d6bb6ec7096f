/** One function of the table in `functions.ts`. */
import type { FunctionContext } from './kinds.ts';

export interface FunctionParameter {
  readonly name: string;
  readonly doc: string;
  readonly optional: boolean;
  /** Words that it takes in addition to a value, or instead of one. */
  readonly words?: readonly string[];
  /** What single words mean. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** The kind of its value, if functions of that kind may be called there. */
  readonly values?: Exclude<FunctionContext, 'value'>;
  /** As shown after `=`. */
  readonly default?: string;
  /** A usual value of a parameter without a default: completion writes it as a place to type over. */
  readonly example?: string;
}

export interface FunctionSchema {
  readonly name: string;
  readonly context: FunctionContext;
  readonly doc: string;
  readonly parameters: readonly FunctionParameter[];
  /** The last parameter may be repeated. */
  readonly rest?: boolean;
  /** May be written without parentheses where every parameter is optional: `1f1b`, `adam`. */
  readonly bare?: boolean;
  /** A whole call, if its usual arguments have names that the file chooses: completion writes it. */
  readonly call?: string;
}

/** What a word of a parameter means: the parameter's own text where one text explains all its words. */
export const meaningOf = ({ meanings, doc }: FunctionParameter, word: string): string => meanings?.[word] ?? doc;

/** What a parameter is, with the meaning of each of its words. */
export const parameterText = ({ doc, words = [], meanings = {} }: FunctionParameter): string =>
  words.length === 0
    ? doc
    : words.some((word) => meanings[word] !== undefined)
      ? `${doc}\n\n${words.map((word) => `- \`${word}\`${meanings[word] === undefined ? '' : `: ${meanings[word]}`}`).join('\n')}`
      : `${doc} (${words.map((word) => `\`${word}\``).join(', ')})`;

/** `given`: the words that it takes, or a usual value. */
export const need = (name: string, doc: string, given?: readonly string[] | string): FunctionParameter => ({
  name,
  doc,
  optional: false,
  ...(typeof given === 'string' ? { example: given } : { words: given }),
});
export const may = (name: string, doc: string, more: Partial<FunctionParameter> = {}): FunctionParameter => ({
  name,
  doc,
  optional: true,
  ...more,
});
export const functionRow = (
  context: FunctionContext,
  name: string,
  doc: string,
  parameters: readonly FunctionParameter[],
  more: Partial<FunctionSchema> = {},
): FunctionSchema => ({ name, context, doc, parameters, ...more });

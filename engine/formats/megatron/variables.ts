/** Variables of a shell script: plain assignments of numbers and words, such as `TP=8`. Nothing is computed. */

import type { Argument, Flags } from './flags.ts';

/** Values by name; a later assignment overrules an earlier one. */
export function variablesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name, quoted, single, plain] of text.matchAll(
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"';()&|]*))[ \t]*(?:;|#.*|\r)?$/gm,
  )) {
    const value = quoted ?? single ?? plain;
    values.set(name, replaced(value, values));
  }
  return values;
}

/** `$TP`, `${TP}` and `${TP:-8}` with their values; a variable that the script does not set stays as it is. */
export const replaced = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(
    /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/g,
    (whole: string, plain?: string, braced?: string, otherwise?: string) =>
      values.get(plain ?? braced ?? '') ?? otherwise ?? whole,
  );

/** The flags with the values of the script's variables. An array of a shell may end right after a value: `--seq-length 4096)`. */
export const withVariables = (flags: Flags, values: ReadonlyMap<string, string>): Flags => {
  const known = (word: Argument): Argument => ({
    ...word,
    text: replaced(word.text, values).replace(/^([^()]*)\)$/, '$1'),
  });
  return new Map(
    [...flags].map(([name, { flag, value, more }]) => [
      name,
      {
        flag,
        ...(value === undefined ? {} : { value: known(value) }),
        ...(more === undefined ? {} : { more: more.map(known) }),
      },
    ]),
  );
};

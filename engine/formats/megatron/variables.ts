/** Variables of a shell script: assignments of numbers, words and arithmetic, such as `TP=8`, `PP=${PP:-4}` and `WORLD=$((8 * NODES))`. */
import { shellNumber } from './arithmetic.ts';
import type { Argument, Flags } from './flags.ts';

/** Values by name; a later assignment overrules an earlier one. */
export function variablesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name, quoted, single, plain] of text.matchAll(
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(?:"([^"\n]*)"|'([^'\n]*)'|(\$\(\([^\n;&|]*\)\)|[^\s"';()&|]*))[ \t]*(?:;|#.*|\r)?$/gm,
  )) {
    const value = quoted ?? single ?? plain;
    values.set(name, replaced(value, values));
  }
  return values;
}

/** Defaults within defaults, the innermost first: `${PP:-${TP:-8}}`. */
const mostPasses = 4;

/** `$TP`, `${TP}`, `${TP:-8}` and `$((TP * 2))` with their values; what the script does not set stays as it is. */
export function replaced(text: string, values: ReadonlyMap<string, string>): string {
  let known = text;
  for (let pass = 0; pass < mostPasses && known.includes('$'); pass += 1) {
    const next = known
      .replaceAll(
        /\$(?:(\w+)|\{(\w+)(?::?[-=]([^{}]*))?\})/g,
        (whole: string, plain?: string, braced?: string, otherwise?: string) =>
          values.get(plain ?? braced ?? '') ?? otherwise ?? whole,
      )
      .replaceAll(/\$\(\(((?:[^()$]|\([^()$]*\))*)\)\)/g, (whole: string, expression: string) => {
        const found = shellNumber(expression, values);
        return found === undefined ? whole : String(found);
      });
    if (next === known) break;
    known = next;
  }
  return known;
}

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

/** Variables of a shell script: assignments of numbers, words and arithmetic, such as `TP=8`, `PP=${PP:-4}` and `WORLD=$((8 * NODES))`. */
import { type Budget, budgetOf, spend } from '../../basics/budget.ts';
import { shellNumber } from './arithmetic.ts';
import type { Argument, Flags } from './flags.ts';

/** Characters that values may add to a script in all. Each may name others, so a few lines can ask for more than a memory holds. */
export const mostAdded = 1_000_000;

/** Characters that values may still add, and the first place that asks for more. */
export interface Added extends Budget {
  at?: { readonly start: number; readonly end: number };
}

/** Values by name; a later assignment overrules an earlier one. */
export function variablesIn(text: string, added: Added = budgetOf(mostAdded)): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { 0: whole, 1: name, 2: quoted, 3: single, 4: plain, index: start } of text.matchAll(
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(?:"([^"\n]*)"|'([^'\n]*)'|(\$\(\([^\n;&|]*\)\)|\$\{\w+:?[-=](?:"[^"\n{}]*"|'[^'\n{}]*')\}|[^\s"';()&|]*))[ \t]*(?:;|#.*|\r)?$/gm,
  )) {
    const value = quoted ?? single ?? plain;
    values.set(name, replaced(value, values, added));
    if (added.left < 0) {
      added.at = { start, end: start + whole.length };
      break;
    }
  }
  return values;
}

/** Defaults within defaults, the innermost first: `${PP:-${TP:-8}}`. */
const mostPasses = 4;

/** `$TP`, `${TP}`, `${TP:-8}`, `${TP:-"8"}` and `$((TP * 2))` with their values; what the script does not set stays as it is. */
export function replaced(
  text: string,
  values: ReadonlyMap<string, string>,
  added: Budget = budgetOf(mostAdded),
): string {
  const valueOf = (name: string): string | undefined => {
    const value = values.get(name);
    return value === undefined || spend(added, value.length) ? value : '';
  };
  let known = text;
  for (let pass = 0; pass < mostPasses && known.includes('$'); pass += 1) {
    const next = known
      .replaceAll(
        /\$(?:(\w+)|\{(\w+)(?::?[-=]([^{}]*))?\})/g,
        (whole: string, plain?: string, braced?: string, otherwise?: string) =>
          valueOf(plain ?? braced ?? '') ?? otherwise?.replace(/^(["'])(.*)\1$/, '$2') ?? whole,
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
export const withVariables = (flags: Flags, values: ReadonlyMap<string, string>, added: Added): Flags => {
  const known = (word: Argument): Argument => {
    if (added.left < 0) return word;
    const text = replaced(word.text, values, added);
    if (added.left < 0) added.at = { start: word.start, end: word.end };
    return { ...word, text: text.replace(/^([^()]*)\)$/, '$1') };
  };
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

import { patterns } from './tokens.ts';

const number = new RegExp(`^${patterns.number}`);

const letterE = 101;
const isFigure = (unit: number): boolean => (unit >= 48 && unit <= 57) || unit === 46;

/** Value and suffix of a quantity as written: `25GB/s` is 25 and `GB/s`. The value is infinite where it is too large. */
export const splitQuantity = (text: string): { readonly value: number; readonly unit: string } => {
  let end = 0;
  while (isFigure(text.charCodeAt(end))) end++;
  const letter = text.charCodeAt(end) | 32;
  // What follows may be an exponent, or a unit that begins with this letter.
  if (letter === letterE) end = number.exec(text)?.[0].length ?? 0;
  return { value: Number(text.slice(0, end)), unit: text.slice(end) };
};

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The text between the quotes; `\n`, `\t`, `\r` stand for control characters, any other escaped character for itself. */
export const unquote = (text: string): string => {
  const closed = text.length > 1 && text.endsWith('"');
  const inner = text.slice(1, closed ? -1 : undefined);
  return inner.includes('\\') ? inner.replace(/\\(.)/gsu, (_, escaped: string) => escapes[escaped] ?? escaped) : inner;
};

import { patterns } from './tokens.ts';

const number = new RegExp(`^${patterns.number}`);

/** Value and suffix of a quantity as written: `25GB/s` is 25 and `GB/s`. The value is infinite where it is too large. */
export const splitQuantity = (text: string): { readonly value: number; readonly unit: string } => {
  const figures = number.exec(text)?.[0] ?? '';
  return { value: Number(figures), unit: text.slice(figures.length) };
};

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The text between the quotes; `\n`, `\t`, `\r` stand for control characters, any other escaped character for itself. */
export const unquote = (text: string): string => {
  const closed = text.length > 1 && text.endsWith('"');
  const inner = text.slice(1, closed ? -1 : undefined);
  return inner.includes('\\') ? inner.replace(/\\(.)/gsu, (_, escaped: string) => escapes[escaped] ?? escaped) : inner;
};

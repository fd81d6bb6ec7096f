import { printable } from './printable.ts';

/** What a spreadsheet would run as a formula: it ignores spaces before it, and takes wide signs too. */
const formula = /^\s*[=+\-@＝＋－＠]/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A field of RFC 4180. It is in quotes if a CI log would take it for a command at the start of a line. An apostrophe before what a
 * spreadsheet would take for a formula makes it text.
 */
export function csvField(text: string): string {
  const plain = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s*::/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A line of fields that may quote a file: control characters become visible. */
export const csvLine = (fields: readonly string[]): string =>
  `${fields.map((field) => csvField(printable(field))).join(',')}\r\n`;

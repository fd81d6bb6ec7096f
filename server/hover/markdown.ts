import { longestTicks } from '../text/userText.ts';

/** Paragraphs, without those that are empty. */
export const sections = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');

/** The link to the page that describes a thing; `docs`: uri of the folder of pages. It is the last line of a hover. */
export const reference = (docs: string | undefined, page: string): string | undefined =>
  docs === undefined ? undefined : `[Reference](${docs}${page})`;

/** A text in the language as a block of code; it may hold backticks itself. */
export function code(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${ticks}pipe\n${text}\n${ticks}`;
}

/** A table without a head: name and value. Rows without a value are left out. */
export const table = (rows: readonly (readonly [string, string | undefined])[]): string =>
  columns(
    rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ['left', 'right'],
  );

/** A table without a head, with as many cells in each row as there are alignments. Empty without rows. */
export function columns(rows: readonly (readonly string[])[], aligned: readonly ('left' | 'right')[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `|${' |'.repeat(aligned.length)}`,
    line(aligned.map((name) => (name === 'left' ? '---' : '---:'))),
    ...rows.map((row) => line(row.map(escape))),
  ].join('\n');
}

const escape = (text: string): string => text.replace(/[|\\]/g, (mark) => `\\${mark}`).replace(/\n/g, ' ');

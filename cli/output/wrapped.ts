import { width } from '../drawing/width.ts';

/** A sentence in lines of at most this many columns. `first`, `next`: what its first line and further lines begin with. */
export function wrapped(text: string, columns: number, first = '', next = first): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((each) => `${each}\n`).join('');
}

import { passagesOfCode, passagesOfPipe } from './code.ts';
import { passagesOfMarkdown } from './markdown.ts';
import type { Passage } from './passage.ts';

/** Strings of a JSON file that read like sentences, with their lines. */
const passagesOfJson = (file: string, text: string): readonly Passage[] =>
  text.split('\n').flatMap((row, index) => {
    const words = /"(?:description|markdownDescription|title)": "(.*)",?$/u.exec(row.trim())?.[1];
    return words === undefined ? [] : [{ file, line: index + 1, text: words.replaceAll(/`[^`]+`/gu, '§') }];
  });

/** The prose of a file, by the kind of the file. */
export function passagesOf(file: string, text: string): readonly Passage[] {
  if (file.endsWith('.md')) return passagesOfMarkdown(file, text);
  if (file.endsWith('.pipe')) return passagesOfPipe(file, text);
  if (file.endsWith('.json')) return passagesOfJson(file, text);
  return passagesOfCode(file, text);
}

/** Prose in code: messages are strings that read like a sentence, comments those that document something. */
import { parseSync, Visitor } from 'oxc-parser';
import { codeWord, type Passage } from './passage.ts';

const withoutCode = (text: string): string => text.replaceAll(/`[^`]+`|\{@\w+ [^}]*\}/gu, codeWord);

/** Two words in a row: what a person reads. Names of files, keys and keywords have none. */
const isProse = (text: string): boolean => /\p{L}{2,},? \p{L}{2,}/u.test(text) && !/[{}<>=]{2}|=>|^\s*[{<]/u.test(text);

const lineStarts = (text: string): readonly number[] => [
  0,
  ...[...text.matchAll(/\n/gu)].map(({ index }) => index + 1),
];

/** Messages of a file, and its documenting comments. */
export function passagesOfCode(file: string, text: string): readonly Passage[] {
  const { program, comments } = parseSync(file, text);
  const starts = lineStarts(text);
  const passages: Passage[] = [];
  const add = (offset: number, words: string): void => {
    // A message may be Markdown of several paragraphs: each line is read alone.
    for (const [index, row] of words.split('\n').entries())
      if (isProse(row))
        passages.push({
          file,
          line: starts.findLastIndex((at) => at <= offset) + 1 + index,
          text: row.trim().replace(/^\/\/\/? /u, ''),
        });
  };
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') add(start, withoutCode(value));
    },
    TemplateLiteral: ({ quasis, start }) => {
      const whole = quasis.map(({ value }) => value.cooked ?? '').join(codeWord);
      add(start, withoutCode(whole.replaceAll(/§?`[^`]*`/gu, codeWord)));
    },
  }).visit(program);
  for (const { type, value, start } of comments)
    if (type === 'Block' && value.startsWith('*')) {
      const words = withoutCode(value.slice(1).replaceAll(/\n\s*\* ?/gu, ' '));
      const [description, ...tags] = words.split(/\s(?=@\w)/u);
      for (const part of [description, ...tags]) add(start, part.replaceAll(/\s+/gu, ' '));
    }
  return passages.toSorted((a, b) => a.line - b.line);
}

/** Comments of a `.pipe` file. Consecutive lines of the same kind are one passage. */
export function passagesOfPipe(file: string, text: string): readonly Passage[] {
  const passages: { file: string; line: number; text: string }[] = [];
  let last = '';
  for (const [index, row] of text.split('\n').entries()) {
    const [, before = '', mark = '', words = ''] = /^(.*?)(?<![:/])(\/\/\/?)\s?(.*)$/u.exec(row) ?? [];
    const whole = before.trim() === '';
    const previous = passages.at(-1);
    if (mark === '' || words.trim() === '') last = '';
    else if (whole && last === mark && previous !== undefined) previous.text += ` ${withoutCode(words.trim())}`;
    else {
      passages.push({ file, line: index + 1, text: withoutCode(words.trim()) });
      last = whole ? mark : '';
    }
  }
  return passages;
}

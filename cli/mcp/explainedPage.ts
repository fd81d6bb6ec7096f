/** A page of the documentation in parts that an answer may have. */
import { printable } from '../../server/text/printable.ts';
import { mostCharacters } from '../summary/summary.ts';
import type { ToolAnswer } from './toolAnswer.ts';

/** Kept free for the last line. */
const lastLine = 80;

/** The page from a character on; the last line says how to go on. */
export function explainedPage(page: string, offset: number): ToolAnswer {
  const rest = page.slice(offset);
  if (rest === '') return { text: `The page has ${page.length} characters.`, isError: true };
  const isLast = rest.length <= mostCharacters;
  const most = mostCharacters - lastLine;
  const line = rest.lastIndexOf('\n', most);
  const part = isLast ? rest : rest.slice(0, line > most / 2 ? line + 1 : most);
  const next = offset + part.length;
  const text = part.split('\n').map(printable).join('\n');
  const more = isLast
    ? ''
    : `${text.endsWith('\n') ? '' : '\n'}Left out: ${page.length - next} characters. Go on with offset = ${next}.\n`;
  return {
    text: `${text}${more}`,
    data: { text: part, characters: page.length, ...(isLast ? {} : { next_offset: next }) },
    ...(isLast && offset === 0 ? {} : { whole: () => page, mimeType: 'text/plain' }),
  };
}

import { notRegular } from '../server/regularFile.ts';
import { shownPath } from './host.ts';
import type { Io } from './io.ts';

/** Text of a file that the call names (`-` is standard input), or the sentence that says why there is none. */
export function readOperand(path: string, io: Io): { readonly text: string } | { readonly problem: string } {
  if (path === '') return { problem: 'The name of a file is empty.' };
  const read = io.readText(path);
  if ('text' in read) return read;
  const wayOut = read.problem === notRegular ? '; redirect it to standard input and name it -' : '';
  return { problem: `${shownPath(path)} cannot be read: ${read.problem}${wayOut}.` };
}

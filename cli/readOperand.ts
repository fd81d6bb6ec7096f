import { notRegular } from '../platform/node/regularFile.ts';
import { shownPath, staysInProject } from './host.ts';
import type { Io } from './io.ts';

/** Text of a file that the call names (`-` is standard input), or the sentence that says why there is none. */
export function readOperand(path: string, io: Io): { readonly text: string } | { readonly problem: string } {
  if (path === '') return { problem: 'The name of a file is empty.' };
  const read = io.readText(path);
  if ('text' in read)
    return staysInProject(path, io)
      ? read
      : {
          problem: `${shownPath(path)} is a link that leads out of its project; set --root to the folder to which it leads.`,
        };
  const wayOut = read.problem === notRegular ? '; redirect it to standard input and name it -' : '';
  return { problem: `${shownPath(path)} cannot be read: ${read.problem}${wayOut}.` };
}

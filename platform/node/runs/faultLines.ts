import type { TraceFault } from '../../../engine/formats/kineto/read.ts';
import { printable } from '../../../server/text/printable.ts';

/** Most lines about one run. */
const most = 20;

/** `file:line:character: what is wrong`, counted from 1. `isRead`: it was read all the same. Otherwise a file that can be read in part says how. */
export function faultLines(faults: readonly TraceFault[], isRead: boolean): readonly string[] {
  const lines = faults.slice(0, most).map(({ file, line, character, message, partial }) => {
    const way = isRead || partial === undefined ? '' : ' --partial reads it as far as it is whole.';
    return `${file}:${line + 1}:${character + 1}: ${printable(message)}${way}`;
  });
  return faults.length > most ? [...lines, `${faults.length - most} more lines like these are left out.`] : lines;
}

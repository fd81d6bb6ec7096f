import type { TraceFault } from '../../engine/formats/kineto/read.ts';
import { printable } from '../../server/text/printable.ts';
import type { Io } from '../io.ts';

/** Most lines about one run. */
const most = 20;

/** `file:line:character: what is wrong`, counted from 1. A file that can be read in part says how. */
export async function tellFaults(faults: readonly TraceFault[], io: Io, isRead = false): Promise<void> {
  for (const { file, line, character, message, partial } of faults.slice(0, most)) {
    const way = isRead || partial === undefined ? '' : ' --partial reads it as far as it is whole.';
    await io.err(`${file}:${line + 1}:${character + 1}: ${printable(message)}${way}\n`);
  }
  if (faults.length > most) await io.err(`${faults.length - most} more lines like these are left out.\n`);
}

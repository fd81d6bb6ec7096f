import type { TraceFault } from '../../engine/formats/kineto/read.ts';
import { printable } from '../../server/text/printable.ts';
import type { Io } from '../io.ts';

/** Most lines about one run. */
const most = 20;

/** `file:line:character: what is wrong`, counted from 1. */
export async function tellFaults(faults: readonly TraceFault[], io: Io): Promise<void> {
  for (const { file, line, character, message } of faults.slice(0, most))
    await io.err(`${file}:${line + 1}:${character + 1}: ${printable(message)}\n`);
  if (faults.length > most) await io.err(`${faults.length - most} more lines like these are left out.\n`);
}

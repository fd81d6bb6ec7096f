import { usageFault } from './command.ts';
import type { Io } from './io.ts';
import { status, type Status } from './status.ts';

/** Writes a command's result to the file that `--output` names, otherwise to standard output. */
export async function writeResult(
  io: Io,
  command: string,
  output: string | undefined,
  parts: Iterable<string> | Uint8Array,
): Promise<Status> {
  if (output === undefined || output === '-') {
    if (parts instanceof Uint8Array) await io.out(parts);
    else for (const part of parts) await io.out(part);
    return status.fine;
  }
  const problem = io.writeText(output, parts instanceof Uint8Array ? parts : [...parts].join(''));
  if (problem !== undefined) return usageFault(io, command, `${output} cannot be written: ${problem}.`);
  return status.fine;
}

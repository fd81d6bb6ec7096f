import { usageFault } from './command.ts';
import type { Io } from './io.ts';
import { status, type Status } from './status.ts';

/** Writes a command's result to the file that `--output` names, otherwise to standard output. */
export async function writeResult(
  io: Io,
  command: string,
  output: string | undefined,
  parts: Iterable<string>,
): Promise<Status> {
  if (output === undefined || output === '-') {
    for (const part of parts) await io.out(part);
    return status.fine;
  }
  const problem = io.writeText(output, [...parts].join(''));
  if (problem !== undefined) return usageFault(io, command, `${output} cannot be written: ${problem}.`);
  return status.fine;
}

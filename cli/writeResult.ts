import { usageFault } from './command.ts';
import type { Io } from './io.ts';
import { status, type Status } from './status.ts';

/** Characters that are written at once. */
const atOnce = 65_536;

/** The same text in fewer parts. It may be longer than a string can be, so it is never joined as a whole. */
export function* joined(parts: Iterable<string>): Generator<string> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < atOnce) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Writes a command's result to the file that `--output` names, otherwise to standard output. */
export async function writeResult(
  io: Io,
  command: string,
  output: string | undefined,
  parts: Iterable<string> | Uint8Array,
): Promise<Status> {
  if (output === undefined || output === '-') {
    if (parts instanceof Uint8Array) await io.out(parts);
    else for (const part of joined(parts)) await io.out(part);
    return status.fine;
  }
  const problem = io.writeText(output, parts instanceof Uint8Array ? parts : joined(parts));
  if (problem !== undefined) return usageFault(io, command, `${output} cannot be written: ${problem}.`);
  return status.fine;
}

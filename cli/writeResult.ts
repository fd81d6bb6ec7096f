import { resolve } from 'node:path';
import { realPath } from '../platform/node/realPath.ts';
import type { Arguments } from './arguments.ts';
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

/** Why `--output` cannot be written: it is a file that the command reads. */
export function replacedFile(io: Io, { operands, value }: Pick<Arguments, 'operands' | 'value'>): string | undefined {
  const output = value('output');
  const place = (path: string): string => realPath(resolve(io.cwd, path));
  return output !== undefined && output !== '-' && operands.some((read) => place(read) === place(output))
    ? `--output ${output} would replace a file that is read. Name another file.`
    : undefined;
}

/** A file with this name holds a pipeline, whatever else a command may write. */
export const namesPipeline = ({ value }: Pick<Arguments, 'value'>): boolean =>
  value('output')?.toLowerCase().endsWith('.pipe') === true;

/**
 * Writes a command's result to the file that `--output` names, otherwise to standard output. A file that the command reads is not lost:
 * `replaces`: the result is that file, changed.
 */
export async function writeResult(
  io: Io,
  command: string,
  args: Pick<Arguments, 'operands' | 'value'>,
  parts: Iterable<string> | Uint8Array,
  replaces = false,
): Promise<Status> {
  const output = args.value('output');
  const lost = replaces ? undefined : replacedFile(io, args);
  if (lost !== undefined) return usageFault(io, command, lost);
  if (output === undefined || output === '-') {
    if (parts instanceof Uint8Array) await io.out(parts);
    else for (const part of joined(parts)) await io.out(part);
    return status.fine;
  }
  const problem = io.writeText(output, parts instanceof Uint8Array ? parts : joined(parts));
  if (problem !== undefined) return usageFault(io, command, `${output} cannot be written: ${problem}.`);
  return status.fine;
}

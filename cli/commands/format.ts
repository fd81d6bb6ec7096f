import { format, LineIndex, parse } from '../../grammar/index.ts';
import { type Command, usageFault } from '../command.ts';
import { printable } from '../../server/text/printable.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { rootOption } from '../project.ts';
import { readOperand } from '../readOperand.ts';
import { status, type Status } from '../status.ts';

/** `format FILE…`: the canonical layout. */
export const formatCommand: Command = {
  spec: {
    name: 'format',
    operands: 'FILE…',
    summary: 'Format files. Writes to standard output by default.',
    options: [
      { name: 'check', doc: 'Change nothing; list the files that are not formatted and exit with 1.' },
      { name: 'write', doc: 'Format the files in place.' },
      rootOption,
    ],
    notes: ['A file with syntax errors is refused, so no text is ever lost. Comments stay where they are.'],
  },
  async run(args, io) {
    const [check, write] = [args.has('check'), args.has('write')];
    if (args.operands.length === 0) return usageFault(io, 'format', 'Name at least one file.');
    if (check && write) return usageFault(io, 'format', '--check and --write cannot be combined.');
    if (write && args.operands.includes('-'))
      return usageFault(io, 'format', '--write cannot write to standard input.');
    if (!check && !write && args.operands.length > 1)
      return usageFault(io, 'format', 'Several files need --check or --write.');
    const results: Status[] = [];
    for (const path of args.operands)
      results.push(await formatFile(path, check ? 'check' : write ? 'write' : 'print', io));
    return results.includes(2) ? 2 : results.includes(1) ? 1 : 0;
  },
};

async function formatFile(path: string, mode: 'check' | 'write' | 'print', io: Io): Promise<Status> {
  const read = readOperand(path, io);
  const name = shownPath(path);
  if ('problem' in read) return usageFault(io, 'format', read.problem);
  const result = format(parse(read.text));
  if (!result.ok) {
    const { line, character } = new LineIndex(read.text).positionAt(result.fault.start);
    await io.err(`${name}:${line + 1}:${character + 1}: ${printable(result.fault.message)} Not formatted.\n`);
    return status.findings;
  }
  if (mode === 'print') await io.out(result.text);
  if (result.text === read.text || mode === 'print') return status.fine;
  if (mode === 'check') {
    await io.out(`${name}\n`);
    return status.findings;
  }
  const problem = io.writeText(path, result.text);
  if (problem !== undefined) return usageFault(io, 'format', `${name} cannot be written: ${problem}.`);
  return status.fine;
}

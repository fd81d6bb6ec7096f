import { resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { usageFault } from './command.ts';
import { commands } from './commands/index.ts';
import { printable } from '../server/text/printable.ts';
import { commandHelp, overview } from './help.ts';
import type { Io } from './io.ts';
import { nearest } from '../engine/basics/spelling.ts';
import { status, type Status } from './status.ts';
import { version } from './version.ts';

/** The whole command line: `args` without the program's name → exit status. */
export async function run(args: readonly string[], io: Io): Promise<Status> {
  const [name, ...rest] = args;
  const specs = commands.map(({ spec }) => spec);
  if (name === undefined) {
    await io.err(overview(specs));
    return status.usage;
  }
  if (name === '--help' || name === '-h' || name === 'help') return help(rest[0], io);
  if (name === '--version') {
    await io.out(`${version(io)}\n`);
    return status.fine;
  }
  const command = commands.find(({ spec }) => spec.name === name);
  if (command === undefined) return unknownCommand(name, io);
  // `explain --format` looks up an option.
  const isAsked = command.spec.looksUp === true && rest.some((word) => /^--(?!help$)\w/u.test(word));
  const parsed = readArguments(isAsked ? ['--', ...rest] : rest, command.spec);
  if ('problem' in parsed) return usageFault(io, name, parsed.problem);
  if (parsed.has('help')) return help(name, io);
  const root = parsed.value('root');
  return command.run(parsed, root === undefined ? io : { ...io, root: resolve(io.cwd, root) }, run);
}

async function help(name: string | undefined, io: Io): Promise<Status> {
  const command = commands.find(({ spec }) => spec.name === name);
  if (name !== undefined && command === undefined) return unknownCommand(name, io);
  await io.out(command === undefined ? overview(commands.map(({ spec }) => spec)) : commandHelp(command.spec));
  return status.fine;
}

async function unknownCommand(name: string, io: Io): Promise<Status> {
  const what = name.startsWith('-') ? 'option' : 'command';
  const known = what === 'option' ? ['--help', '--version'] : commands.map(({ spec }) => spec.name);
  const guess = nearest(name, known);
  await io.err(
    `pipewright: Unknown ${what} "${printable(name)}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}\nTry "pipewright --help".\n`,
  );
  return status.usage;
}

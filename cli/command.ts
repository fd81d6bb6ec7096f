import type { Arguments, CommandSpec } from './arguments.ts';
import { printable } from '../server/text/printable.ts';
import type { Io } from './io.ts';
import type { Status } from './status.ts';

/** The whole command line. */
export type RunCommand = (args: readonly string[], io: Io) => Promise<Status>;

/** One command: what it is called and takes, and what it does. Adding one: a file in `commands/` and a line in `commands/index.ts`. */
export interface Command {
  readonly spec: CommandSpec;
  /** `again` runs the command line with other arguments. */
  run(args: Arguments, io: Io, again: RunCommand): Promise<Status>;
}

/** Says on standard error what is wrong with the call. */
export async function usageFault(io: Io, command: string, problem: string): Promise<2> {
  await io.err(`pipewright ${command}: ${printable(problem)}\nTry "pipewright ${command} --help".\n`);
  return 2;
}

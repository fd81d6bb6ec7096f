import { commonOptions, type CommandSpec, type OptionSpec } from './arguments.ts';

/** Help of one command: usage, what it does, options, notes. */
export function commandHelp(spec: CommandSpec): string {
  const options = [...spec.options, ...commonOptions].map((optionSpec): [string, string] => [
    `--${optionSpec.name}${valueOf(optionSpec)}`,
    optionSpec.doc,
  ]);
  return [
    `Usage: pipewright ${[spec.name, '[options]', spec.operands].filter((part) => part !== '').join(' ')}`,
    '',
    spec.summary,
    '',
    'Options:',
    ...columns(options),
    ...(spec.notes ?? []).flatMap((note) => ['', note]),
    '',
  ].join('\n');
}

const valueOf = ({ value, optional }: OptionSpec): string =>
  value === undefined ? '' : optional === true ? `[=${value}]` : ` ${value}`;

/** Help of the whole command line. */
export function overview(commands: readonly CommandSpec[]): string {
  return [
    'Usage: pipewright COMMAND [options] …',
    '',
    'Checks, simulates and formats pipeline-parallel training schedules written in .pipe files.',
    '',
    'Commands:',
    ...columns(commands.map((command) => [`${command.name} ${command.operands}`.trim(), command.summary])),
    '',
    'Options:',
    ...columns([
      ['--help', 'Show this help, or the help of a command.'],
      ['--version', 'Show the version.'],
    ]),
    '',
    'A file named - is standard input. `pipewright explain language` prints the language on one page.',
    'Exit status: 0 no error, 1 an error in a file, 2 bad arguments or an unreadable file.',
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

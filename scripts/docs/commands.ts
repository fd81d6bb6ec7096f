/** The options of each command of the command line. */
import { commonOptions, type CommandSpec, type OptionSpec } from '../../cli/arguments.ts';
import { commands } from '../../cli/commands/index.ts';
import type { Generated } from './generatedText.ts';
import { code, page } from './markdown.ts';

export const commandPages = (): readonly Generated[] => [
  {
    page: 'look-up/options.md',
    text: page(
      '# Options of each command',
      '`pipewright COMMAND --help` prints the same. [The command line](../cli.md) has examples. Every command takes `--help`.',
      ...commands.map(({ spec }) => entryOf(spec)),
    ),
  },
];

const entryOf = ({ name, operands, summary, options }: CommandSpec): string =>
  page(
    `## ${code(name)}`,
    `\`pipewright ${[name, operands].join(' ').trim()}\``,
    summary,
    ...[...options, ...(options.length === 0 ? commonOptions : [])].map(optionEntry),
  ).trimEnd();

/** Values with an explanation each, from which on they are a list. */
const leastParts = 3;

function optionEntry({ name, value, optional, choices, repeated, doc }: OptionSpec): string {
  const written = `--${name}${value === undefined ? '' : optional === true ? `[=${value}]` : ` ${value}`}`;
  const choice = choices === undefined ? '' : ` One of ${choices.map(code).join(', ')}.`;
  const again = repeated === true ? ' It may be repeated.' : '';
  const parts = doc.split(/; /);
  const head = `### ${code(`--${name}`)}\n\n${code(written)}:`;
  if (parts.length < leastParts) return `${head} ${doc}${choice}${again}`;
  return [`${head}${choice}${again}\n`, ...parts.map((part) => `- ${part.replace(/\.$/, '')}`)].join('\n');
}

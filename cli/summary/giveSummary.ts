/** `--summary`: the short answer, on the terminal and to programs that speak the Model Context Protocol. */
import { jsonText } from '../../server/text/jsonText.ts';
import type { Arguments, OptionSpec } from '../arguments.ts';
import type { Io } from '../io.ts';
import { mostBytes, mostCharacters, type Summary, summaryData, summaryText } from './summary.ts';

export const summaryOption: OptionSpec = {
  name: 'summary',
  value: 'COUNT',
  optional: true,
  doc: `The same in ${mostCharacters.toLocaleString('en-US')} characters, or ${mostBytes / 1000} kB with --format json: the most important first, units in the names of fields, and what is left out. COUNT: most entries of each list.`,
};

/** Why `--summary` cannot be; undefined if it can, or if nobody asks for it. */
export function summaryProblem(args: Arguments): string | undefined {
  if (!args.has('summary')) return undefined;
  const [format = 'text', most = ''] = [args.value('format'), args.value('summary')];
  if (format !== 'text' && format !== 'json') return '--summary is for --format text and json.';
  return most === '' || /^[1-9]\d{0,5}$/u.test(most)
    ? undefined
    : `--summary takes the most entries of a list, such as 5, not "${most}".`;
}

export async function giveSummary(summary: Summary, args: Arguments, io: Io): Promise<void> {
  const wanted = args.value('summary') ?? '';
  const most = wanted === '' ? Infinity : Number(wanted);
  if (io.summarised !== undefined) return io.summarised(summary, most);
  return io.out(args.value('format') === 'json' ? jsonText(summaryData(summary, most)) : summaryText(summary, most));
}

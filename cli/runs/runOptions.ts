import type { Arguments, OptionSpec } from '../arguments.ts';

/** Traces of a run of a plan. */
export const withOption: OptionSpec = {
  name: 'with',
  value: 'TRACES',
  repeated: true,
  doc: 'A run of the pipeline: files of traces, a folder, or a summary: --with rank*.json.',
};

/** Options of every command that reads the traces of a run. */
export const runOptions: readonly OptionSpec[] = [
  {
    name: 'skip',
    value: 'N',
    doc: 'Of a run: leave out the first N steps, in which libraries start. The only step is never left out. Default: 1.',
  },
  {
    name: 'ranks',
    value: 'LIST',
    doc: 'Of a run: only the pipeline of these ranks. If traces do not say which ranks form a pipeline, these do: --ranks 0,2,4,6.',
  },
  { name: 'partial', doc: 'Of a run: read a trace that is cut off as far as it is whole.' },
];

export interface RunSettings {
  readonly skip: number;
  readonly ranks?: ReadonlySet<number>;
  readonly partial: boolean;
}

export function readRunOptions(args: Arguments): RunSettings | { readonly problem: string } {
  const skip = args.value('skip') ?? '1';
  if (!/^\d{1,6}$/.test(skip)) return { problem: `--skip takes a number of steps, not "${skip}".` };
  const list = args.value('ranks');
  const ranks = list?.split(',').map((rank) => rank.trim());
  const wrong = ranks?.find((rank) => !/^\d{1,7}$/.test(rank));
  if (wrong !== undefined)
    return { problem: `--ranks takes numbers separated by commas, such as 0,2,4, not "${wrong}".` };
  return {
    skip: Number(skip),
    partial: args.has('partial'),
    ...(ranks === undefined ? {} : { ranks: new Set(ranks.map(Number)) }),
  };
}

/** `plan --jobs`: a search in parts as a job of a scheduler. Texts of the call are words of its commands, and nothing else. */
import { table } from '../../engine/basics/table.ts';
import type { Arguments, OptionSpec } from '../arguments.ts';
import type { Job } from './jobs/job.ts';
import { makeJob } from './jobs/make.ts';
import { rayJob } from './jobs/ray.ts';
import { slurmJob } from './jobs/slurm.ts';
import { readThreads } from './options.ts';

const writers: Readonly<Record<string, { readonly write: (job: Job) => string; readonly start: string }>> = table({
  slurm: { write: slurmJob, start: 'sbatch' },
  ray: { write: rayJob, start: 'python3' },
  make: { write: makeJob, start: 'make -j -f' },
});

export const jobKinds: readonly string[] = Object.keys(writers);

/** Options that say how the job is made; all others are asked of each part. */
const ofJob = ['jobs', 'parts', 'rows', 'resume', 'threads', 'output'];
/** Options of one answer, and of a part. */
const useless = ['write', 'format', 'shard', 'merge'];
const usualParts = 64;
const mostParts = 100_000;
const usualRows = 'rows';

/** The text of the job and how to start it, or what is wrong with the call. `rows`: of the whole search. */
export function writeJob(
  args: Arguments,
  options: readonly OptionSpec[],
  rows: number,
): { readonly text: string; readonly start: string; readonly folder: string } | { readonly problem: string } {
  const writer = writers[args.value('jobs') ?? ''];
  if (writer === undefined) return { problem: `--jobs is one of ${jobKinds.join(', ')}.` };
  const wrong = useless.find((option) => args.has(option));
  if (wrong !== undefined) return { problem: `--${wrong} has no effect with --jobs. Leave it out.` };
  if (args.operands.includes('-')) return { problem: 'A job cannot read standard input. Name a file.' };
  const threads = readThreads(args);
  if (typeof threads === 'string') return { problem: threads };
  const wanted = args.value('parts') ?? String(usualParts);
  if (!/^[1-9]\d{0,5}$/u.test(wanted) || Number(wanted) > mostParts)
    return { problem: `--parts takes a whole number from 1 to ${mostParts.toLocaleString('en-US')}, not "${wanted}".` };
  const folder = args.value('rows') ?? usualRows;
  const asked = options
    .filter(({ name }) => !ofJob.includes(name))
    .flatMap(({ name, value }) =>
      args.values(name).map((text) => (value === undefined ? `--${name}` : `--${name}=${text}`)),
    );
  const text = writer.write({
    options: [...asked, `--rows=${folder}`, '--resume'],
    operands: args.operands,
    merge: ['--merge', '--', folder],
    // A part without rows is no work.
    parts: Math.min(Number(wanted), rows),
    threads,
  });
  return { text, start: writer.start, folder };
}

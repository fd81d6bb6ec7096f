/** `plan --merge`: the front of all parts of a search. */
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { mergeAnswers } from '../../engine/sweep/merge.ts';
import type { Arguments } from '../arguments.ts';
import { usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { status, type Status } from '../status.ts';
import { madeOptions } from './madeFile.ts';
import { readParts } from './readParts.ts';
import { showAnswer } from './showAnswer.ts';

/** What was asked of the parts cannot be asked of their sum. */
const ofParts = [
  ...madeOptions,
  'over',
  'limit',
  'minimise',
  'pipeline',
  'set',
  'time',
  'threads',
  'shard',
  'rows',
  'resume',
  'jobs',
  'parts',
  'engine',
] as const;

export async function mergeParts(args: Arguments, io: Io): Promise<Status> {
  if (args.operands.length === 0)
    return usageFault(io, 'plan', 'Name the parts to merge: a folder of --rows, or files that --format json wrote.');
  const useless = ofParts.find((option) => args.has(option));
  if (useless !== undefined)
    return usageFault(io, 'plan', `--${useless} has no effect with --merge: give it to each part.`);
  if (args.has('write'))
    return usageFault(
      io,
      'plan',
      '--write needs the file, and --merge reads only the parts: use --write with the options of a part, without --shard.',
    );
  const parts: PlanAnswer[] = [];
  for (const path of args.operands) {
    const read = readParts(path, io);
    if ('problem' in read) return usageFault(io, 'plan', read.problem);
    parts.push(...read.parts);
  }
  const merged = mergeAnswers(parts);
  if ('problem' in merged) return usageFault(io, 'plan', merged.problem);
  const shown = await showAnswer(merged, args, io);
  return shown === status.fine && merged.missing !== undefined ? status.findings : shown;
}

/** `import` of what an engine measured: a `.pipe` file, or a summary of the run. */
import { pipeOfRecordings } from '../../engine/formats/recording/toPipe.ts';
import { withoutOperations } from '../../engine/measured/calibratedPlan.ts';
import { summaryOf } from '../../engine/formats/recording/summary.ts';
import { count } from '../../engine/basics/quantities.ts';
import { readRuns } from '../../platform/node/runs/readRuns.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import { usageFault } from '../command.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { progressBar } from '../progress.ts';
import { status, type Status } from '../status.ts';
import { writeResult } from '../writeResult.ts';
import { readRunOptions } from './runOptions.ts';
import { tellFaults, tellLeftOut, tellRefused } from './tellFaults.ts';

export async function importRuns(args: Arguments, io: Io): Promise<Status> {
  const options = readRunOptions(args);
  if ('problem' in options) return usageFault(io, 'import', options.problem);
  const read = await readRuns({ ...options, paths: args.operands, shown: shownPath }, io, (ticks) =>
    progressBar(io, ticks),
  );
  if ('problem' in read) return usageFault(io, 'import', read.problem);
  if ('faults' in read) {
    await tellRefused(read, io);
    return status.findings;
  }
  await tellLeftOut(read, io);
  if (read.recordings.length === 0) {
    if (read.unlabelled !== undefined) await tellFaults([read.unlabelled], io);
    else await io.err(`Nothing is written: ${withoutOperations}.\n`);
    return status.findings;
  }
  const summary = args.value('summary');
  if (summary !== undefined) {
    const { text, left } = summaryOf(read.recordings);
    if (left > 0) await io.err(`${count(left, 'step', 'steps')} did not fit into the summary: the newest are kept.\n`);
    return writeResult(io, 'import', { ...args, value: () => summary }, [text]);
  }
  const made = pipeOfRecordings(read.recordings, options.skip);
  if ('problem' in made) {
    await io.err(`${printable(made.problem)}\n`);
    return status.findings;
  }
  for (const remark of made.remarks) await io.err(`${printable(remark)}\n`);
  return writeResult(io, 'import', args, [made.pipe]);
}

/** `compare PLAN --with TRACES`: a pipeline next to a run of it. */
import { compareRun } from '../../engine/measured/compareRun.ts';
import { stragglersIn } from '../../engine/measured/stragglersIn.ts';
import { count } from '../../engine/basics/quantities.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../io.ts';
import { status, type Status } from '../status.ts';
import { readPlanAndRun } from './planAndRun.ts';
import { runJson, runText } from './runText.ts';

export async function compareRuns(args: Arguments, io: Io): Promise<Status> {
  const read = await readPlanAndRun('compare', args, io);
  if (typeof read === 'number') return read;
  const { file, plan, run, recordings, skip } = read;
  if (plan.data !== recordings.length)
    await io.err(
      `${file.name}: "${plan.name}" has ${count(plan.data, 'replica', 'replicas')}, and the traces are of ${count(recordings.length, 'pipeline', 'pipelines')}. Each is compared by itself; the exchange of gradients is left out.\n`,
    );
  const pipelines = [];
  for (const recording of recordings) {
    const comparison = compareRun(plan, run.program, recording, skip);
    if ('problem' in comparison) {
      await io.err(`${file.name}: this is no run of pipeline "${plan.name}": ${printable(comparison.problem)}.\n`);
      return status.findings;
    }
    pipelines.push({ recording, comparison });
  }
  const stragglers = stragglersIn(plan, run.program, recordings, skip);
  const shown = { plan, program: run.program, pipelines, stragglers };
  await io.out(args.value('format') === 'json' ? runJson(shown) : runText(shown));
  return status.fine;
}

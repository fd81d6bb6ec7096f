/** `compare PLAN --with TRACES`: a pipeline next to a run of it. */
import { compareRun } from '../../engine/measured/compareRun.ts';
import { memoryBeside } from '../../engine/measured/memoryBeside.ts';
import { replicaWords } from '../../engine/measured/runWords.ts';
import { stragglersIn } from '../../engine/measured/stragglersIn.ts';
import { count } from '../../engine/basics/quantities.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../io.ts';
import { status, type Status } from '../status.ts';
import { loggedJson, loggedText } from './loggedText.ts';
import { readPlanAndRun } from './planAndRun.ts';
import { runJson, runText } from './runText.ts';

export async function compareRuns(args: Arguments, io: Io): Promise<Status> {
  const read = await readPlanAndRun('compare', args, io);
  if (typeof read === 'number') return read;
  const { file, plan, run, recordings, logged, unlabelled, skip } = read;
  if (recordings.length === 0 && logged !== undefined) {
    const shown = {
      name: plan.name,
      planned: run.report.iteration,
      run: logged,
      skip,
      ...(unlabelled === undefined ? {} : { without: unlabelled.message }),
    };
    const [devices, ranks] = [plan.devices.length, logged.ranks.length];
    if (ranks < devices)
      await io.err(
        `${file.name}: "${printable(plan.name)}" has ${count(devices, 'device', 'devices')}, and the run has ${count(ranks, 'rank', 'ranks')}: name the files of all ranks.\n`,
      );
    await io.out(args.value('format') === 'json' ? loggedJson(shown) : loggedText(shown));
    return status.fine;
  }
  if (plan.data !== recordings.length)
    await io.err(
      `${file.name}: ${replicaWords(plan.name, count(plan.data, 'replica', 'replicas'), count(recordings.length, 'pipeline', 'pipelines'))}\n`,
    );
  const pipelines = [];
  for (const recording of recordings) {
    const comparison = compareRun(plan, run.program, recording, skip);
    if ('problem' in comparison) {
      await io.err(`${file.name}: the run does not match pipeline "${plan.name}": ${printable(comparison.problem)}.\n`);
      return status.findings;
    }
    pipelines.push({ recording, comparison, memory: memoryBeside(recording, run.report.devices) });
  }
  const stragglers = stragglersIn(plan, run.program, recordings, skip);
  const shown = { plan, program: run.program, pipelines, stragglers };
  await io.out(args.value('format') === 'json' ? runJson(shown) : runText(shown));
  return status.fine;
}

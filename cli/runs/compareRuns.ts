/** `compare PLAN --with TRACES`: a pipeline next to a run of it. */
import { compareRun } from '../../engine/measured/compareRun.ts';
import { stragglersIn } from '../../engine/measured/stragglersIn.ts';
import { printable } from '../../server/text/printable.ts';
import { analyse } from '../analyse.ts';
import type { Arguments } from '../arguments.ts';
import { usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { optionsWith } from '../engineOption.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { targetProblem } from '../pipelines.ts';
import { progressBar } from '../progress.ts';
import { status, type Status } from '../status.ts';
import { readRunOptions } from './runOptions.ts';
import { readRuns } from './readRuns.ts';
import { runJson, runText } from './runText.ts';
import { tellFaults } from './tellFaults.ts';

export async function compareRuns(args: Arguments, io: Io): Promise<Status> {
  const fail = (problem: string): Promise<Status> => usageFault(io, 'compare', problem);
  const options = readRunOptions(args);
  if ('problem' in options) return fail(options.problem);
  const plans = args.operands.filter((path) => path.endsWith('.pipe') || path === '-');
  if (plans.length !== 1) return fail('With --with it compares one .pipe file with the traces of a run of it.');
  // What a shell makes of `--with rank*.json`: the first is the value, the others are operands.
  const paths = [...args.values('with'), ...args.operands.filter((path) => !plans.includes(path))];
  const overrides = readOverrides(args.values('set'));
  if ('problem' in overrides) return fail(overrides.problem);
  const chosen = args.value('pipeline');
  const progress = progressBar(io, 4);
  const file = analyse(plans[0], io, progress, overrides.values, chosen, undefined, optionsWith(args));
  progress.end();
  if ('problem' in file) return fail(file.problem);
  const problem = overrideProblem(file.analysis.resolution, overrides) ?? targetProblem(file, undefined, chosen, 'csv');
  if (problem !== undefined) return fail(problem);
  const found = file.analysis.pipelines.find(({ plan }) => chosen === undefined || plan.name === chosen);
  if (found?.run === undefined)
    return fail(`${file.name} has no pipeline that runs: "pipewright check ${file.name}" says why.`);
  const read = await readRuns({ ...options, paths }, io);
  if ('problem' in read) return fail(read.problem);
  if ('faults' in read) {
    await tellFaults(read.faults, io);
    return status.findings;
  }
  await tellFaults(read.remarks, io);
  const { plan, run } = found;
  const pipelines = [];
  for (const recording of read.recordings) {
    const comparison = compareRun(plan, run.program, recording, options.skip);
    if ('problem' in comparison) {
      await io.err(`${file.name}: this is no run of pipeline "${plan.name}": ${printable(comparison.problem)}.\n`);
      return status.findings;
    }
    pipelines.push({ recording, comparison });
  }
  const stragglers = stragglersIn(plan, run.program, read.recordings, options.skip);
  const shown = { plan, program: run.program, pipelines, stragglers };
  await io.out(args.value('format') === 'json' ? runJson(shown) : runText(shown));
  return status.fine;
}

/** A pipeline and a run of it, as `compare --with` and `calibrate` name them. */
import type { TraceFault } from '../../engine/formats/kineto/read.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { LoggedRun, Recording } from '../../engine/values/recording.ts';
import { readRuns } from '../../platform/node/runs/readRuns.ts';
import { type Analysed, analyse } from '../analyse.ts';
import type { Arguments } from '../arguments.ts';
import { usageFault } from '../command.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { engineRemark, optionsWith } from '../engineOption.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { targetProblem } from '../pipelines.ts';
import { progressBar } from '../progress.ts';
import { status, type Status } from '../status.ts';
import { readRunOptions } from './runOptions.ts';
import { tellLeftOut, tellRefused } from './tellFaults.ts';

export interface PlanAndRun {
  readonly file: Analysed;
  readonly plan: PipelinePlan;
  readonly run: Run;
  readonly recordings: readonly Recording[];
  /** Whole iterations, if logs say them. */
  readonly logged?: LoggedRun;
  /** Why traces tell no more than that. */
  readonly unlabelled?: TraceFault;
  readonly skip: number;
}

/** Both, or the status of a call that was refused, once it was said why. */
export async function readPlanAndRun(command: string, args: Arguments, io: Io): Promise<PlanAndRun | Status> {
  const fail = (problem: string): Promise<Status> => usageFault(io, command, problem);
  const options = readRunOptions(args);
  if ('problem' in options) return fail(options.problem);
  const plans = args.operands.filter((path) => path.endsWith('.pipe') || path === '-');
  if (plans.length !== 1 || !args.has('with'))
    return fail('It needs one .pipe file, and the traces of a run of it: plan.pipe --with rank*.json.');
  // What a shell makes of `--with rank*.json`: the first is the value, the others are operands.
  const paths = [...args.values('with'), ...args.operands.filter((path) => !plans.includes(path))];
  const overrides = readOverrides(args.values('set'));
  if ('problem' in overrides) return fail(overrides.problem);
  const chosen = args.value('pipeline');
  const progress = progressBar(io, 4);
  const file = analyse(plans[0], io, progress, overrides.values, chosen, undefined, optionsWith(args));
  progress.end();
  if ('problem' in file) return fail(file.problem);
  const problem =
    overrideProblem({ resolution: file.analysis.resolution, text: file.text }, overrides) ??
    targetProblem(file, undefined, chosen, 'csv');
  if (problem !== undefined) return fail(problem);
  await io.err(engineRemark(args, file.analysis.resolution, file.name));
  const found = file.analysis.pipelines.find(({ plan }) => chosen === undefined || plan.name === chosen);
  if (found?.run === undefined)
    return fail(`${file.name} has no pipeline that runs: "pipewright check ${file.name}" says why.`);
  const read = await readRuns({ ...options, paths, shown: shownPath }, io, (ticks) => progressBar(io, ticks));
  if ('problem' in read) return fail(read.problem);
  if ('faults' in read) {
    await tellRefused(read, io);
    return status.findings;
  }
  await tellLeftOut(read, io);
  return {
    file,
    plan: found.plan,
    run: found.run,
    recordings: read.recordings,
    logged: read.logged,
    ...(read.unlabelled === undefined ? {} : { unlabelled: read.unlabelled }),
    skip: options.skip,
  };
}

import { defaultOptions } from '../../engine/basics/host.ts';
import { check } from '../../engine/flow/check.ts';
import { calibratedPlan, calibrationSaid, mostDrift } from '../../engine/measured/calibratedPlan.ts';
import { printable } from '../../server/text/printable.ts';
import type { Command } from '../command.ts';
import { diskHost, uriOf } from '../host.ts';
import type { Io } from '../io.ts';
import { readOverrides } from '../overrides.ts';
import { rootOption } from '../project.ts';
import { type PlanAndRun, readPlanAndRun } from '../runs/planAndRun.ts';
import { runOptions, withOption } from '../runs/runOptions.ts';
import { tellFaults } from '../runs/tellFaults.ts';
import { status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

/** `calibrate FILE --with TRACES`: the file with the times that a run of it measured. */
export const calibrateCommand: Command = {
  spec: {
    name: 'calibrate',
    operands: 'FILE',
    summary: 'Write a .pipe file with the times that a run of its pipeline measured, and say how accurate it then is.',
    options: [
      withOption,
      ...runOptions,
      { name: 'slow-layers', doc: 'A rank that is slow in all that it does has slow layers, not a slow device.' },
      { name: 'pipeline', value: 'NAME', doc: 'The pipeline that ran, if the file has more than one.' },
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      { name: 'output', value: 'FILE', doc: 'Write there instead of to standard output.' },
      rootOption,
    ],
    notes: [
      'Exit status 1 if the run does not tell the times apart, or if the calibrated iteration is more than 5 % off. In the first case nothing is written.',
    ],
  },
  async run(args, io) {
    const read = await readPlanAndRun('calibrate', args, io);
    if (typeof read === 'number') return read;
    const { file, plan, run, recordings, unlabelled, skip } = read;
    const refuse = async (problem: string): Promise<1> => {
      await io.err(`${file.name}: ${printable(problem)}\n`);
      return status.findings;
    };
    if (unlabelled !== undefined) {
      await tellFaults([unlabelled], io);
      return status.findings;
    }
    const options = { skip, slowLayers: args.has('slow-layers') };
    const made = calibratedPlan(file.text, plan, run.program, recordings, options);
    if ('problem' in made) return refuse(made.problem);
    const said = calibrationSaid(made, plan, ranAgain(made.text, read, args.values('set'), io));
    if ('problem' in said) return refuse(said.problem);
    const { lines, drift } = said;
    for (const line of lines) await io.err(`${file.name}: ${printable(line)}\n`);
    const written = await writeResult(io, 'calibrate', args, [made.text]);
    return written === status.fine && Math.abs(drift) > mostDrift ? status.findings : written;
  },
};

/** The pipeline under the calibrated text; undefined if it does not run. */
function ranAgain(text: string, { file, plan }: PlanAndRun, settings: readonly string[], io: Io) {
  const uri = uriOf(file.path === '<stdin>' ? '-' : file.path, io);
  const overrides = readOverrides(settings);
  const values = 'problem' in overrides ? {} : overrides.values;
  const request = { uri, text, host: diskHost(io, uri), options: defaultOptions, overrides: values };
  const pipeline = check({ ...request, only: plan.name }).pipelines.find((one) => one.plan.name === plan.name);
  return pipeline?.run === undefined ? undefined : { plan: pipeline.plan, program: pipeline.run.program };
}

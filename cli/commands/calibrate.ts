import { defaultOptions } from '../../engine/basics/host.ts';
import { iterationTime, share } from '../../engine/basics/quantities.ts';
import { check } from '../../engine/flow/check.ts';
import { laidOut } from '../../engine/formats/toPipe.ts';
import { accuracyOf, calibrate } from '../../engine/measured/calibrate.ts';
import { calibratedText } from '../../engine/measured/planText.ts';
import { plannedLength } from '../../engine/measured/plannedLength.ts';
import { printable } from '../../server/text/printable.ts';
import type { Command } from '../command.ts';
import { diskHost, uriOf } from '../host.ts';
import type { Io } from '../io.ts';
import { readOverrides } from '../overrides.ts';
import { rootOption } from '../project.ts';
import { type PlanAndRun, readPlanAndRun } from '../runs/planAndRun.ts';
import { runOptions, withOption } from '../runs/runOptions.ts';
import { status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

/** Farther from the run than this, a calibrated plan is not to be believed. */
const mostError = 0.05;

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
    const { file, plan, run, recordings, skip } = read;
    const refuse = async (problem: string): Promise<1> => {
      await io.err(`${file.name}: pipeline "${plan.name}" cannot be calibrated: ${printable(problem)}.\n`);
      return status.findings;
    };
    if (recordings.length > 1)
      return refuse(
        `${recordings.length} pipelines ran, and the mean over them is wrong for each: name the ranks of one with --ranks ${recordings[0].ranks.join(',')}`,
      );
    const found = calibrate(plan, run.program, recordings[0], { skip, slowLayers: args.has('slow-layers') });
    if ('problem' in found) return refuse(found.problem);
    const made = calibratedText(file.text, plan, found);
    if ('problem' in made) return refuse(made.problem);
    const text = laidOut(made.text);
    const length = lengthOf(text, read, args.values('set'), io);
    if (length === undefined) return refuse('the file with the measured times does not run');
    const error = length / found.measured - 1;
    const lines = [
      `Iteration, without the optimizer’s step: planned ${iterationTime(found.planned)}, measured ${iterationTime(found.measured)}, calibrated ${iterationTime(length)} (${share(error, true)}).`,
      accuracyOf(found),
      ...made.remarks,
    ];
    for (const line of lines) await io.err(`${file.name}: ${printable(line)}\n`);
    const written = await writeResult(io, 'calibrate', args, [text]);
    return written === status.fine && Math.abs(error) > mostError ? status.findings : written;
  },
};

/** Seconds of the operations under the calibrated text; undefined if it does not run. */
function lengthOf(text: string, { file, plan }: PlanAndRun, settings: readonly string[], io: Io): number | undefined {
  const uri = uriOf(file.path === '<stdin>' ? '-' : file.path, io);
  const overrides = readOverrides(settings);
  const values = 'problem' in overrides ? {} : overrides.values;
  const request = { uri, text, host: diskHost(io, uri), options: defaultOptions, overrides: values };
  const pipeline = check({ ...request, only: plan.name }).pipelines.find((one) => one.plan.name === plan.name);
  return pipeline?.run === undefined ? undefined : plannedLength(pipeline.plan, pipeline.run.program);
}

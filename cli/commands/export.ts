import { programFormats } from '../../engine/formats/programs.ts';
import { launchOf } from '../../engine/formats/launch.ts';
import { type Analysed, analyse } from '../analyse.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import {
  bytesOnTerminal,
  figureDocs,
  figureFormats,
  figureOf,
  figureOptions,
  figureSetting,
  isFigureFormat,
  unusedOption,
} from '../figure.ts';
import type { Io } from '../io.ts';
import { findingText, sourceOf } from '../output/findingText.ts';
import { placeText } from '../output/placeText.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { targetProblem } from '../pipelines.ts';
import { isUnit, readUnit, unitOptions } from '../unitShape.ts';
import { progressBar } from '../progress.ts';
import { rootOption } from '../project.ts';
import { status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

const names: readonly string[] = [...programFormats.map(({ name }) => name), ...figureFormats];

/** `export FILE --to FORMAT`: a pipeline in another program's format. */
export const exportCommand: Command = {
  spec: {
    name: 'export',
    operands: 'FILE',
    summary: 'Write a pipeline in another program’s format, and list what that cannot carry.',
    options: [
      {
        name: 'to',
        value: names.join('|'),
        choices: names,
        doc: `${[...programFormats, ...figureFormats.map((name) => ({ name, doc: figureDocs[name] }))].map(({ name, doc }) => `${name}: ${doc}`).join('; ')}.`,
      },
      {
        name: 'comms',
        doc: 'torch-csv: with transfers and sharding (compute_comms) instead of compute operations only (compute_only).',
      },
      { name: 'pipeline', value: 'NAME', doc: 'The pipeline to export. Required if the file has several.' },
      ...unitOptions,
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      { name: 'width', value: '3.4in|7in', doc: 'svg, png, film: one column of a paper or two. Default: 7in.' },
      ...figureOptions,
      { name: 'output', value: 'FILE', doc: 'Write there instead of to standard output.' },
      rootOption,
    ],
    notes: [
      'Exit status 1 if the pipeline cannot run, here or in the other program; nothing is written then. Anything that is lost is listed on standard error.',
    ],
  },
  async run(args, io) {
    const [path, ...more] = args.operands;
    if (path === undefined || more.length > 0) return usageFault(io, 'export', 'It needs one file.');
    const to = args.value('to');
    const format = programFormats.find(({ name }) => name === to);
    if (to === undefined)
      return usageFault(io, 'export', `It needs a format: ${names.map((name) => `--to ${name}`).join(' or ')}.`);
    if (args.has('comms') && format?.comms !== true)
      return usageFault(io, 'export', `--comms is for --to torch-csv, not for ${to}.`);
    const figure = isFigureFormat(to) ? figureSetting(to, args) : plainSetting(to, args);
    if (figure !== undefined && 'problem' in figure) return usageFault(io, 'export', figure.problem);
    const refused = figure === undefined ? undefined : bytesOnTerminal(figure.format, args, io);
    if (refused !== undefined) return usageFault(io, 'export', refused);
    const unit = readUnit(args);
    if (unit !== undefined && 'problem' in unit) return usageFault(io, 'export', unit.problem);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return usageFault(io, 'export', overrides.problem);
    const progress = progressBar(io, 4);
    const file = analyse(path, io, progress, overrides.values, args.value('pipeline'), unit);
    progress.end();
    if ('problem' in file) return usageFault(io, 'export', file.problem);
    const problem =
      overrideProblem({ resolution: file.analysis.resolution, text: file.text }, overrides) ??
      targetProblem(file, isUnit(unit) ? unit : undefined, args.value('pipeline'), 'csv');
    if (problem !== undefined) return usageFault(io, 'export', problem);
    await io.err(file.recut ?? '');
    const chosen = args.value('pipeline');
    const found = file.analysis.pipelines.find(({ plan }) => chosen === undefined || plan.name === chosen);
    if (found?.run === undefined) return refuse(file, io);
    if (figure !== undefined) {
      const parts = await figureOf({ plan: found.plan, run: found.run }, figure, file, io);
      if ('problem' in parts) return usageFault(io, 'export', parts.problem);
      return writeResult(io, 'export', args, parts);
    }
    if (format === undefined) return usageFault(io, 'export', `Unknown format "${to}".`);
    const result = format.write(found.plan, found.run.program, {
      launch: launchOf(file.analysis.resolution, found.plan),
      comms: args.has('comms'),
    });
    if ('problem' in result) {
      await io.err(`${file.name}: pipeline "${found.plan.name}" cannot be written: ${printable(result.problem)}.\n`);
      return status.findings;
    }
    for (const note of result.notes) await io.err(`${file.name}: ${printable(note)}\n`);
    return writeResult(io, 'export', args, result.parts);
  },
};

/** Options that only figures take. */
function plainSetting(to: string, args: Arguments): undefined | { readonly problem: string } {
  const unused = unusedOption(to, args);
  return unused === undefined ? undefined : { problem: unused };
}

async function refuse(file: Analysed, io: Io): Promise<1> {
  const colours = coloursFor({ ...io, outIsTerminal: io.errIsTerminal });
  const source = sourceOf(file.path, file.text);
  const { findings, uri } = file.analysis;
  for (const found of findings.filter(({ severity }) => severity === 'error'))
    await io.err(
      `${findingText(found, source, colours, (at, offset) => placeText(at, offset, { source, uri, findings }, io))}\n`,
    );
  await io.err(`${file.name}: nothing was written: the pipeline does not run.\n`);
  return status.findings;
}

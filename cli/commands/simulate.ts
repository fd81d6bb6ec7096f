import { basename } from 'node:path';
import { figureRows } from '../../engine/drawing/figureRows.ts';
import { unitTimesText } from '../../engine/analyze/unitWords.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { figuresMarkdown } from '../../server/text/figuresMarkdown.ts';
import { sensitivityOf } from '../../engine/analyze/sensitivity.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import { list } from '../../engine/basics/quantities.ts';
import { reportOf } from '../../engine/flow/reportOf.ts';
import { type Analysed, analyseMeasured, withBetterPolicies } from '../analyse.ts';
import type { Arguments } from '../arguments.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import {
  bytesOnTerminal,
  figureDocs,
  figureFormats,
  figureOf,
  figureOptions,
  figureSetting,
  type FigureSetting,
  isFigureFormat,
} from '../figure.ts';
import type { Io } from '../io.ts';
import { csv } from '../output/csv.ts';
import { findingText, sourceOf, tally } from '../output/findingText.ts';
import { jobText } from '../output/jobText.ts';
import { jsonText } from '../../server/text/jsonText.ts';
import { planAdvice } from '../output/planAdvice.ts';
import { placeText } from '../output/placeText.ts';
import { sensitivityText } from '../output/sensitivityRows.ts';
import { reportText } from '../output/reportText.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { targetProblem } from '../pipelines.ts';
import { isUnit, readUnit, unitOptions } from '../unitShape.ts';
import { progressBar } from '../progress.ts';
import { engineOption, engineRemark, optionsWith } from '../engineOption.ts';
import { rootOption } from '../project.ts';
import { withRuns } from '../runs/withRuns.ts';
import { status, type Status } from '../status.ts';
import { giveSummary, summaryOption, summaryProblem } from '../summary/giveSummary.ts';
import { simulateSummary } from '../summary/simulateSummary.ts';
import { writeResult } from '../writeResult.ts';

const formats = ['text', 'json', 'csv', 'markdown', ...figureFormats];

/** `simulate FILE`: figures and timeline of the pipelines. */
export const simulateCommand: Command = {
  spec: {
    name: 'simulate',
    operands: 'FILE',
    summary: 'Simulate the pipelines of a file: figures, timeline, memory, links.',
    options: [
      { name: 'pipeline', value: 'NAME', doc: 'Only this pipeline, and what is wrong with it or with the file.' },
      ...unitOptions,
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      {
        name: 'format',
        value: formats.join('|'),
        choices: formats,
        doc: `${[
          'text (the default)',
          'json (the whole report)',
          'csv (one row per operation)',
          'markdown (a table of the figures)',
          ...figureFormats.map((name) => `${name} (${figureDocs[name]})`),
        ].join('; ')}.`,
      },
      {
        name: 'width',
        value: 'COLUMNS|3.4in|7in',
        doc: 'text: columns of the drawing (default: the width of the terminal). svg, png, film: one or two columns of a paper (default: 7in).',
      },
      {
        name: 'sensitivity',
        doc: 'What 10 % slower and faster stages, devices and links do to the iteration (text, json).',
      },
      ...figureOptions,
      { name: 'output', value: 'FILE', doc: `${figureFormats.join(', ')}: write there instead of to standard output.` },
      summaryOption,
      engineOption,
      rootOption,
    ],
    notes: ['Exit status 1 if there is an error or a failed "expect".'],
  },
  async run(args, io) {
    const [path, ...more] = args.operands;
    if (path === undefined || more.length > 0) return usageFault(io, 'simulate', 'It needs one file.');
    const unsummed = summaryProblem(args);
    if (unsummed !== undefined) return usageFault(io, 'simulate', unsummed);
    const format = args.value('format');
    if (isFigureFormat(format) && args.has('sensitivity'))
      return usageFault(io, 'simulate', '--sensitivity is for --format text and json.');
    const figure = isFigureFormat(format) ? figureSetting(format, args) : plainSetting(args);
    if (figure !== undefined && 'problem' in figure) return usageFault(io, 'simulate', figure.problem);
    const refused = figure === undefined ? undefined : bytesOnTerminal(figure.format, args, io);
    if (refused !== undefined) return usageFault(io, 'simulate', refused);
    const columns = figure === undefined ? columnsOf(args, io) : 0;
    if (typeof columns === 'string') return usageFault(io, 'simulate', columns);
    const unit = readUnit(args);
    if (unit !== undefined && 'problem' in unit) return usageFault(io, 'simulate', unit.problem);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return usageFault(io, 'simulate', overrides.problem);
    const progress = progressBar(io, 4);
    const options = optionsWith(args);
    const chosen = args.value('pipeline');
    const checked = await analyseMeasured(path, withRuns(io), progress, overrides.values, chosen, unit, options);
    if ('problem' in checked) {
      progress.end();
      return usageFault(io, 'simulate', checked.problem);
    }
    // Better policies are tried on the pipelines of the text.
    const file = !isUnit(unit)
      ? withBetterPolicies(checked, { io, progress, overrides: overrides.values, options })
      : checked;
    progress.end();
    const problem =
      overrideProblem({ resolution: file.analysis.resolution, text: file.text }, overrides) ??
      targetProblem(file, isUnit(unit) ? unit : undefined, args.value('pipeline'), args.value('format'));
    if (problem !== undefined) return usageFault(io, 'simulate', problem);
    await io.err(`${file.recut ?? ''}${engineRemark(args, file.analysis.resolution, file.name)}`);
    const written = figure === undefined ? await write(file, args, columns, io) : await draw(file, figure, args, io);
    if (written === status.usage) return written;
    return file.analysis.findings.some((found) => found.severity === 'error') ? status.findings : status.fine;
  },
};

function columnsOf(args: Arguments, io: Io): number | string {
  const text = args.value('width');
  if (text === undefined) return Math.max(40, io.columns);
  const columns = Number(text);
  return Number.isInteger(columns) && columns >= 40 && columns <= 10_000
    ? columns
    : `--width must be a whole number from 40 to 10000, not "${text}".`;
}

/** Options that only figures take. */
function plainSetting(args: Arguments): undefined | { readonly problem: string } {
  const unused = ['memory', 'scale', 'seconds', 'output'].find((name) => args.has(name));
  if (unused !== undefined) return { problem: `--${unused} is for --format ${list(figureFormats)}.` };
  return args.has('sensitivity') && (args.value('format') === 'csv' || args.value('format') === 'markdown')
    ? { problem: '--sensitivity is for --format text and json.' }
    : undefined;
}

const simulatedIn = (file: Analysed, chosen: string | undefined) =>
  file.analysis.pipelines.flatMap(({ plan, run }) =>
    run !== undefined && (chosen === undefined || plan.name === chosen) ? [{ plan, run }] : [],
  );

/** Standard output has the figure alone; findings go to standard error. */
async function draw(file: Analysed, figure: FigureSetting, args: Arguments, io: Io): Promise<Status> {
  const [found] = simulatedIn(file, args.value('pipeline'));
  await describe(file, found === undefined ? [] : [found.run], io, true);
  if (found === undefined) return status.fine;
  const parts = await figureOf(found, figure, file, io);
  if ('problem' in parts) return usageFault(io, 'simulate', parts.problem);
  return writeResult(io, 'simulate', args, parts);
}

async function write(file: Analysed, args: Arguments, columns: number, io: Io): Promise<void> {
  const chosen = args.value('pipeline');
  const simulated = simulatedIn(file, chosen);
  const runs = simulated.map(({ run }) => run);
  const format = args.value('format') ?? 'text';
  const whole = () => wholeReport(file, args);
  if (args.has('summary')) return giveSummary(simulateSummary({ file, simulated, whole }), args, io);
  if (format === 'json') return io.out(whole());
  if (format === 'csv') {
    for (const run of runs) for (const part of csv(run)) await io.out(part);
    return describe(file, runs, io, true);
  }
  if (format === 'markdown') {
    if (simulated.length > 0) await io.out(markdownOf(file, simulated));
    return describe(file, runs, io, true);
  }
  const colours = coloursFor(io);
  for (const { plan, run } of simulated) {
    const sensitivity = args.has('sensitivity')
      ? `\n${sensitivityText(plan, sensitivityOf(plan, run.timeline), run.report.iteration, colours)}`
      : '';
    await io.out(`${reportText(plan, run, columns, colours)}${sensitivity}\n`);
  }
  if (chosen === undefined)
    for (const { report } of file.analysis.jobs)
      if (report !== undefined) await io.out(`${jobText(report, colours)}\n`);
  return describe(file, runs, io, false);
}

/** The whole report, or the report of one pipeline. */
function wholeReport(file: Analysed, args: Arguments): string {
  const chosen = args.value('pipeline');
  const report = reportOf(file.analysis, file.path);
  const pipelines = report.pipelines.filter(({ name }) => chosen === undefined || name === chosen);
  const jobs = chosen === undefined ? report.jobs : [];
  const simulated = simulatedIn(file, chosen);
  const asked = args.has('sensitivity')
    ? pipelines.map((each) => {
        const found = simulated.find(({ plan }) => plan.name === each.name);
        return found === undefined ? each : { ...each, sensitivity: sensitivityOf(found.plan, found.run.timeline) };
      })
    : pipelines;
  return jsonText({ ...report, pipelines: asked, jobs });
}

/** A column for each pipeline. */
function markdownOf(
  { path, name }: Analysed,
  simulated: readonly { readonly plan: PipelinePlan; readonly run: Run }[],
): string {
  const columns = simulated.map(({ plan, run }) => ({ name: plan.name, rows: figureRows(plan, run.report) }));
  const notes = simulated.some(({ plan }) => plan.unitTimes === true) ? [unitTimesText] : [];
  return figuresMarkdown(path === '-' ? name : basename(path), columns, notes);
}

/** Findings after the figures, hints only counted. CSV leaves standard output to the rows, and says no more than what is wrong. */
async function describe(file: Analysed, runs: readonly Run[], io: Io, aside: boolean): Promise<void> {
  const { findings, uri } = file.analysis;
  const put = (text: string) => (aside ? io.err(text) : io.out(text));
  const colours = coloursFor(aside ? { ...io, outIsTerminal: io.errIsTerminal } : io);
  const source = sourceOf(file.path, file.text);
  const checked = { source, uri, findings };
  const shown = findings.filter(({ severity }) => severity !== 'hint' && (severity !== 'information' || !aside));
  if (aside && shown.length === 0) return;
  for (const found of shown)
    await put(`${findingText(found, source, colours, (at, offset) => placeText(at, offset, checked, io))}\n`);
  if (runs.length === 0) await put('Nothing was simulated. The findings give the reason.\n');
  if (!aside) await put(planAdvice(file));
  await put(`${file.name}: ${tally(findings)}\n`);
}

import { resolve } from 'node:path';
import { planned } from '../../engine/advice/compare.ts';
import { parse } from '../../grammar/index.ts';
import { type Asked, asWritten, type PlanAnswer, planAnswer } from '../../engine/sweep/answer.ts';
import type { Axis, Objective } from '../../engine/definitions/search.ts';
import type { LeftOut } from '../../engine/sweep/space/choice.ts';
import { defaultSpace, emptyProblem } from '../../engine/sweep/space/space.ts';
import { overriddenAxes, rowCount, settingsOf } from '../../engine/sweep/axes.ts';
import { axesProblem } from '../../engine/sweep/axesProblem.ts';
import { sweepBase, type SweepBase } from '../../engine/sweep/base.ts';
import { evaluateRow, type Outcome } from '../../engine/sweep/evaluateRow.ts';
import { mergeAnswers } from '../../engine/sweep/merge.ts';
import { placeRow } from '../../engine/sweep/placeRow.ts';
import { readAxes } from '../../engine/sweep/readAxes.ts';
import { rememberingHost } from '../../engine/basics/knownFiles.ts';
import { wouldFitSteps } from '../../engine/sweep/wouldFit.ts';
import { rowFile } from '../../engine/sweep/rowText.ts';
import { objectives } from '../../engine/language/schema/search.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import type { Arguments } from '../arguments.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import { diskHost, namedPath, shownPath, uriOf } from '../host.ts';
import type { Io } from '../io.ts';
import { planCsv, planJson } from '../../server/searches/planData.ts';
import { sourceOf } from '../output/findingText.ts';
import { placeText } from '../output/placeText.ts';
import { planText } from '../output/planText.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { declaredPipelines, pipelineProblem } from '../pipelines.ts';
import { answerSource } from '../../server/searches/answerSource.ts';
import { version } from '../version.ts';
import { isMade, madeFile, madeOptions } from '../plan/madeFile.ts';
import { readShard, readThreads, readTime } from '../plan/options.ts';
import { readParts } from '../plan/readParts.ts';
import { openPartRows, type PartRows } from '../plan/rowsFolder.ts';
import type { RowsHead } from '../plan/rowsHead.ts';
import { runSweep } from '../plan/runSweep.ts';
import { shellWord } from '../plan/jobs/shellWord.ts';
import { jobKinds, writeJob } from '../plan/writeJob.ts';
import { engineOption, optionsWith } from '../engineOption.ts';
import { rootOption } from '../project.ts';
import { readOperand } from '../readOperand.ts';
import { status, type Status } from '../status.ts';
import { bytes, count, list } from '../../engine/basics/quantities.ts';
import { printable } from '../../server/text/printable.ts';
import { writeResult } from '../writeResult.ts';

/** `plan FILE`: which settings of a pipeline fit the devices, and which are fastest. */
export const planCommand: Command = {
  spec: {
    name: 'plan',
    operands: '[FILE]',
    summary:
      'Search for the settings of a pipeline that fit the devices and are fastest: ranks, microbatches, recomputation, schedules.',
    options: [
      {
        name: 'model',
        value: 'MODEL',
        doc: 'Search without a file: a model of std:models, or a file that import reads, such as config.json. Needs --on and --batch.',
      },
      { name: 'on', value: 'CLUSTER', doc: 'With --model: a cluster of std:clusters, such as dgx_h100.' },
      { name: 'nodes', value: 'COUNT', doc: 'With --model: nodes of the cluster.' },
      {
        name: 'batch',
        value: 'SIZE',
        doc: 'With --model: samples of an iteration, such as 512, or tokens, such as 4Mtok.',
      },
      {
        name: 'over',
        value: 'LIST',
        doc: 'Keys to search and their values: --over "tensor = [1, 2, 4, 8], pipeline = 1..16, recompute = [none, full]". A key replaces the same key of the search block in the file. Other keys of the block are still searched.',
      },
      {
        name: 'limit',
        value: 'CONDITION',
        repeated: true,
        doc: 'What every row must meet, in addition to the limits of the search block: --limit "peak_memory < 75GiB".',
      },
      { name: 'minimise', value: 'FIGURE', choices: objectives, doc: 'iteration (the default) or peak_memory.' },
      { name: 'pipeline', value: 'NAME', doc: 'The pipeline to search, if the file has more than one.' },
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      { name: 'time', value: 'TIME', doc: 'Stop after this time, such as 30s, and show what was found.' },
      { name: 'threads', value: 'COUNT', doc: 'Threads to use. Default: all cores.' },
      {
        name: 'format',
        value: 'text|json|csv',
        choices: ['text', 'json', 'csv'],
        doc: 'text (the default), json (all rows that were simulated), or csv (one line per row).',
      },
      { name: 'write', value: 'ROW', doc: 'Write the file with the values of a row set: its number, or best.' },
      { name: 'output', value: 'FILE', doc: 'Where to write. Default: standard output.' },
      {
        name: 'shard',
        value: 'PART/PARTS',
        doc: 'Search one part of the rows, such as 3/64. Use --format json and merge the parts.',
      },
      {
        name: 'rows',
        value: 'FOLDER',
        doc: 'Keep each row in this folder as soon as it is decided. Parts that have the same folder share what they find.',
      },
      { name: 'resume', doc: 'Go on with the rows that are in the folder of --rows, if there are any.' },
      {
        name: 'jobs',
        value: jobKinds.join('|'),
        choices: jobKinds,
        doc: 'Search nothing, and write a job that searches in parts on many machines: an array of Slurm, a program for Ray, or rules of make.',
      },
      { name: 'parts', value: 'COUNT', doc: 'Parts of the job that --jobs writes. Default: 64.' },
      {
        name: 'merge',
        doc: 'Read the parts (a folder of --rows, or files with --format json) and show the front of all, also before they are complete.',
      },
      engineOption,
      rootOption,
    ],
    notes: [
      'Every row trains the same samples on all devices: data ranks are what tensor, context and pipeline ranks leave of the devices, and microbatches follow from the batch.',
      'Ctrl+C and SIGTERM stop the search and show what was found. Exit status 1 if no row fits.',
    ],
  },
  async run(args, io) {
    const fault = (problem: string) => usageFault(io, 'plan', problem);
    if (args.has('merge')) return merge(args, io);
    const [path = isMade(args) ? '' : undefined, second] = args.operands;
    if (path === undefined) return fault('Name a file, or a model with --model, --on and --batch.');
    if (path !== '' && isMade(args))
      return fault(
        `Leave out ${shownPath(path)}, or ${list(madeOptions.filter((option) => args.has(option)).map((option) => `--${option}`))}: these options stand for a file.`,
      );
    if (second !== undefined) return fault('Name one file. To put parts together, add --merge.');
    const [time, shard, threads] = [readTime(args), readShard(args), readThreads(args)];
    for (const problem of [time, shard, threads]) if (typeof problem === 'string') return fault(problem);
    if (typeof time === 'string' || typeof shard === 'string' || typeof threads === 'string') return status.usage;
    const request = readRequest(path, args, io);
    if (typeof request === 'string') return fault(request);
    const { base, axes, leftOut, limits, minimise } = request;
    for (const remark of request.remarks) await io.err(`pipewright plan: ${printable(remark)}\n`);
    if (args.has('jobs')) return writeJobOf(rowCount(axes), args, io);
    if (args.has('parts')) return fault('--parts has no effect without --jobs.');
    const wanted = args.value('write');
    if (wanted !== undefined && wanted !== 'best') return writeRow(request, wanted, args, io);
    const { uri, text, options, overrides } = base.file;
    const { files, paths } = request.host;
    const source = { uri, text, options, overrides, pipeline: base.pipeline, limits, axes, files, paths };
    // Before rows are looked at: files may change meanwhile.
    const contents = answerSource(source, version(io));
    const asked = {
      file: path === '' ? (args.value('model') ?? '') : namedPath(path),
      source: contents,
      axes,
      minimise,
      limits,
      ...(leftOut === undefined ? {} : { leftOut }),
      ...(shard === undefined ? {} : { shard }),
    };
    const begun = io.now();
    const rows = await keptRows(base, asked, args, io);
    if (rows !== undefined && 'refused' in rows) return fault(rows.refused);
    const run = { base, source, shard, time, threads };
    const result = await runSweep(rows === undefined ? run : { ...run, rows }, io);
    rows?.close();
    const lost = rows?.failure();
    if (lost !== undefined) return fault(`The search has stopped: ${lost}.`);
    const found = planAnswer(
      base,
      rows !== undefined && shard !== undefined ? { ...asked, shares: true } : asked,
      result,
    );
    const answer = shard === undefined ? withChange(request, found, () => io.now() - begun) : found;
    if (wanted === 'best') {
      if (answer.best === undefined) return fault(`There is no row to write. ${answer.certificate}`);
      await io.err(`Row ${answer.best}. ${answer.certificate}\n`);
      return writeRow(request, String(answer.best), args, io);
    }
    // The file is not the user's, who asks for its best row.
    const { written: _written, changes: _changes, ...made } = answer;
    const output = args.value('output');
    if (path === '' && output?.endsWith('.pipe') === true) {
      if (answer.best === undefined) return fault(`There is no row to write. ${answer.certificate}`);
      const saved = await writeRow(request, String(answer.best), args, io);
      if (saved !== status.fine) return saved;
      await io.err(`pipewright plan: ${shownPath(output)} is row ${answer.best}.\n`);
      return show(made, args, io, true);
    }
    const shown = await show(path === '' ? made : answer, args, io);
    if (rows === undefined || answer.unsearched === 0 || shown === status.usage) return shown;
    await io.err(
      `pipewright plan: ${count(answer.unsearched, 'row is', 'rows are')} not decided. Go on with the same call and --resume.\n`,
    );
    return status.findings;
  },
};

/** Milliseconds in which a change is looked for. */
const patience = 20_000;

/** An answer without a row that fits says with what one would. */
function withChange({ base, axes, limits, leftOut }: Request, answer: PlanAnswer, passed: () => number): PlanAnswer {
  if (answer.best !== undefined || answer.unsearched > 0) return answer;
  const steps = wouldFitSteps(base, axes, limits, leftOut !== undefined);
  const end = passed() + patience;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value === undefined ? answer : { ...answer, would_fit: step.value.text };
    if (passed() > end) return answer;
  }
}

/** Writes the job that searches in parts, and says how to use it. */
async function writeJobOf(rows: number, args: Arguments, io: Io): Promise<Status> {
  const job = writeJob(args, planCommand.spec.options, rows);
  if ('problem' in job) return usageFault(io, 'plan', job.problem);
  const written = await writeResult(io, 'plan', args, [job.text]);
  const output = args.value('output');
  if (written === status.fine && output !== undefined)
    await io.err(
      `Start it here: ${job.start} ${printable(shellWord(output))}\nShow the front at any time: pipewright plan --merge ${printable(shellWord(job.folder))}\n`,
    );
  return written;
}

/** The folder of rows that the call names; undefined if it names none. */
async function keptRows(
  base: SweepBase,
  asked: Asked & Pick<RowsHead, 'source'>,
  args: Arguments,
  io: Io,
): Promise<PartRows | { readonly refused: string } | undefined> {
  const folder = args.value('rows');
  if (folder === undefined)
    return args.has('resume')
      ? { refused: '--resume goes on with the rows of a folder: name it with --rows.' }
      : undefined;
  const { file, source, axes, minimise, limits, shard = { index: 1, of: 1 } } = asked;
  const written = asWritten(base);
  const head: RowsHead = {
    rows_file: 1,
    file,
    source,
    pipeline: base.pipeline,
    devices: base.devices,
    batch: base.batch,
    search: axes,
    minimise,
    limits,
    shard,
    ...(written === undefined ? {} : { written }),
  };
  const say = (what: string): void => void io.err(`pipewright plan: ${printable(what)}\n`);
  const rows = await openPartRows({ folder: resolve(io.cwd, folder), head, resumes: args.has('resume'), say });
  return 'problem' in rows ? { refused: rows.problem } : rows;
}

interface Request {
  readonly base: SweepBase;
  readonly host: ReturnType<typeof rememberingHost>;
  readonly axes: readonly Axis[];
  /** Only if the space was chosen. */
  readonly leftOut: readonly LeftOut[] | undefined;
  readonly limits: readonly string[];
  readonly minimise: Objective;
  /** What was assumed of a file that the call stands for. */
  readonly remarks: readonly string[];
}

/** `path`: empty for a file that options of the call stand for. */
function readRequest(path: string, args: Arguments, io: Io): Request | string {
  const overrides = readOverrides(args.values('set'));
  if ('problem' in overrides) return overrides.problem;
  const uri = uriOf(path === '' ? 'plan.pipe' : path, io);
  const host = rememberingHost(diskHost(io, uri));
  const read =
    path === ''
      ? madeFile(args, io, { uri, host, options: optionsWith(args) })
      : { remarks: [], ...readOperand(path, io) };
  if ('problem' in read) return read.problem;
  const { remarks } = read;
  const file = { uri, text: read.text, host, options: optionsWith(args), overrides: overrides.values };
  const { resolution } = planned(file);
  const analysis = { uri, resolution, findings: resolution.findings };
  const chosen = args.value('pipeline');
  const name = path === '' ? 'the plan' : shownPath(path);
  const problem = overrideProblem(resolution, overrides) ?? pipelineProblem({ name, analysis }, chosen, undefined);
  if (problem !== undefined) return problem;
  const declared = declaredPipelines(analysis);
  if (chosen === undefined && declared.length > 1)
    return `${name} has the pipelines ${list(declared)}; choose one with --pipeline.`;
  const pipeline = chosen ?? declared[0] ?? '';
  const written = resolution.searches.find((search) => search.pipeline === pipeline);
  const broken = resolution.findings.find(
    ({ severity, place }) => severity === 'error' && place.uri === uri && inSearch(file.text, place.start),
  );
  if (broken !== undefined) return `${name} has an error in a search: ${broken.message}`;
  const limits = [...(written?.limits ?? []), ...args.values('limit')];
  const base = sweepBase(file, pipeline, limits);
  if ('problem' in base) {
    const { code, message } = base.problem;
    // A limit of the call is in no file.
    const found = resolution.findings.find((finding) => finding.code === code && finding.message === message);
    const checked = { uri, findings: analysis.findings, source: sourceOf(name, file.text) };
    const where = found === undefined ? '' : `${placeText(found.place.uri, found.place.start, checked, io)}: `;
    return `"${pipeline}" cannot be searched: ${where}${message} (${code})`;
  }
  const over = args.value('over');
  const added = over === undefined ? [] : readAxes(over);
  if ('problem' in added) return added.problem;
  const named = overriddenAxes(written?.axes ?? [], added);
  const space = named.length === 0 && over === undefined ? defaultSpace(base) : undefined;
  const axes = space?.axes ?? named;
  const wrong = (space && emptyProblem(pipeline, space)) ?? axesProblem(base, axes);
  const minimise =
    objectives.find((objective) => objective === args.value('minimise')) ?? written?.minimise ?? 'iteration';
  return wrong ?? { base, host, axes, leftOut: space?.leftOut, limits, minimise, remarks };
}

/** Whether a place is in a `search` of a text. */
const inSearch = (text: string, at: number): boolean =>
  parse(text).declarations.some(
    (each) => each.kind === 'block' && each.keyword.text === 'search' && each.start <= at && at <= each.end,
  );

/** The file with the values of a row set. */
async function writeRow({ base, axes }: Request, wanted: string, args: Arguments, io: Io): Promise<Status> {
  const rows = rowCount(axes);
  const row = Number(wanted);
  if (!/^\d{1,9}$/u.test(wanted) || row >= rows)
    return usageFault(io, 'plan', `--write takes best or the number of a row from 0 to ${rows - 1}, not "${wanted}".`);
  const placed = placeRow(base, axes, settingsOf(axes, row));
  const whole = parse(base.file.text);
  const body = pipelineBody(whole, base.pipeline);
  const written =
    'refused' in placed || body === undefined
      ? { refused: 'refused' in placed ? placed.refused : 'the pipeline is not in the file' }
      : rowFile({ ...base, syntax: whole, body }, placed);
  if ('refused' in written) return usageFault(io, 'plan', `Row ${row} cannot be written: ${written.refused}.`);
  // Whoever asks for a row by its number gets it, and hears what is wrong with it.
  const problem = 'refused' in placed ? undefined : rowProblem(evaluateRow(base, placed, []));
  if (problem !== undefined) await io.err(`pipewright plan: Row ${row} ${printable(problem)}\n`);
  return writeResult(io, 'plan', args, [written.text], true);
}

function rowProblem(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case 'over':
      return `does not fit: a device holds ${bytes(outcome.least)} before the first microbatch, and has ${bytes(outcome.capacity)}.`;
    case 'ran': {
      const { meets, missed, peak } = outcome.figures;
      if (meets) return undefined;
      return missed === undefined ? `does not fit: its peak is ${bytes(peak)}.` : `misses ${missed}.`;
    }
    case 'full':
      return `does not fit: its peak is ${bytes(outcome.peak)}.`;
    case 'refused':
      return `cannot run: ${outcome.message}`;
    case 'dropped':
      return undefined;
  }
}

/** What was asked of the parts cannot be asked of their sum. */
const ofParts = [
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

async function merge(args: Arguments, io: Io): Promise<Status> {
  if (args.operands.length === 0) return usageFault(io, 'plan', 'Name the parts to merge.');
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
  const shown = await show(merged, args, io);
  return shown === status.fine && merged.missing !== undefined ? status.findings : shown;
}

/** `toScreen`: `--output` has got something else. */
async function show(answer: PlanAnswer, args: Arguments, io: Io, toScreen = false): Promise<Status> {
  const format = args.value('format') ?? 'text';
  const text =
    format === 'json'
      ? planJson(answer)
      : format === 'csv'
        ? planCsv(answer)
        : planText(
            answer,
            {
              columns: Math.max(60, io.columns),
              isMerged: args.has('merge'),
              ...(io.outIsTerminal ? { tableColumns: Math.max(60, io.columns) } : {}),
            },
            coloursFor(io),
          );
  const written = toScreen ? (await io.out(text), status.fine) : await writeResult(io, 'plan', args, [text]);
  return written !== status.fine || answer.best !== undefined || answer.shard !== undefined ? written : status.findings;
}

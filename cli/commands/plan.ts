import { planAnswer } from '../../engine/sweep/answer.ts';
import { rowCount } from '../../engine/sweep/axes.ts';
import { rowName } from '../../engine/sweep/rowName.ts';
import { count, list } from '../../engine/basics/quantities.ts';
import { answerSource } from '../../server/searches/answerSource.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import { type Command, usageFault } from '../command.ts';
import { namedPath, shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { keptRows } from '../plan/keptRows.ts';
import { isMade, madeOptions } from '../plan/madeFile.ts';
import { mergeParts } from '../plan/mergeParts.ts';
import { readShard, readThreads, readTime } from '../plan/options.ts';
import { type PlanRequest, readRequest } from '../plan/request.ts';
import { runSweep } from '../plan/runSweep.ts';
import { shellWord } from '../plan/jobs/shellWord.ts';
import { showAnswer } from '../plan/showAnswer.ts';
import { planSpec } from '../plan/spec.ts';
import { withChange } from '../plan/withChange.ts';
import { writeJob } from '../plan/writeJob.ts';
import { rowTextOf, writeNamedRow, writeRow } from '../plan/writeRow.ts';
import { summaryProblem } from '../summary/giveSummary.ts';
import { status, type Status } from '../status.ts';
import { version } from '../version.ts';
import { namesPipeline, replacedFile, writeResult } from '../writeResult.ts';

/** `plan FILE`: which settings of a pipeline fit the devices, and which are fastest. */
export const planCommand: Command = {
  spec: planSpec,
  async run(args, io) {
    const fault = (problem: string) => usageFault(io, 'plan', problem);
    const other = ['merge', 'jobs', 'shard'].find((option) => args.has(option));
    const output = args.value('output') ?? '';
    if (other !== undefined && namesPipeline(args) && !args.has('write'))
      return fault(
        `--output ${output} is the name of a pipeline, which --${other} does not write. Give it another ending.`,
      );
    const unsummed =
      summaryProblem(args) ??
      (args.has('summary') && args.has('output') && !namesPipeline(args)
        ? '--summary is printed: leave out --output, or give it the name of a pipeline.'
        : undefined);
    if (unsummed !== undefined) return fault(unsummed);
    if (args.has('merge')) return mergeParts(args, io);
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
    await io.err(request.engineRemark);
    if (args.has('jobs')) return writeJobOf(rowCount(axes), args, io);
    if (args.has('parts')) return fault('--parts has no effect without --jobs.');
    const wanted = args.value('write');
    if (wanted !== undefined && wanted !== 'best') return writeNamedRow(request, wanted, args, io);
    const { uri, text, options, overrides, asked: wish } = base.file;
    const { files, paths } = request.host;
    const source = {
      ...{ uri, text, options, overrides, pipeline: base.pipeline, limits, axes, files, paths },
      ...(wish === undefined ? {} : { asked: wish }),
    };
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
    const lost = wanted === undefined ? replacedFile(io, args) : undefined;
    if (lost !== undefined) return fault(lost);
    const begun = io.now();
    const rows = await keptRows(base, asked, args, io);
    if (rows !== undefined && 'refused' in rows) return fault(rows.refused);
    const run = { base, source, shard, time, threads };
    const result = await runSweep(rows === undefined ? run : { ...run, rows }, io);
    rows?.close();
    const failure = rows?.failure();
    if (failure !== undefined) return fault(`The search has stopped: ${failure}.`);
    const found = planAnswer(
      base,
      rows !== undefined && shard !== undefined ? { ...asked, shares: true } : asked,
      result,
    );
    const until = time === undefined ? {} : { until: begun + time };
    const answer = shard === undefined ? await withChange(request, found, io, until) : found;
    if (wanted === 'best') {
      if (answer.best === undefined) return fault(`There is no row to write. ${answer.certificate}`);
      await io.err(`Row ${rowName(axes, answer.best)}. ${answer.certificate}\n`);
      return writeRow(request, answer.best, args, io);
    }
    // The file is not the user's, who asks for its best row.
    const { written: _written, changes: _changes, ...made } = answer;
    const saves = namesPipeline(args);
    if (saves) {
      if (answer.best === undefined) return fault(`There is no row to write. ${answer.certificate}`);
      const saved = await writeRow(request, answer.best, args, io);
      if (saved !== status.fine) return saved;
      await io.err(`pipewright plan: ${shownPath(output)} is row ${rowName(axes, answer.best)}.\n`);
    }
    const shown = await showAnswer(path === '' ? made : answer, args, io, {
      staying: request.staying,
      ...(path === '' && answer.best !== undefined ? textOfRow(request, answer.best) : {}),
      toScreen: saves,
    });
    if (rows === undefined || answer.unsearched === 0 || shown === status.usage) return shown;
    await io.err(
      `pipewright plan: ${count(answer.unsearched, 'row is', 'rows are')} not decided. Go on with the same call and --resume.\n`,
    );
    return status.findings;
  },
};

const textOfRow = (request: PlanRequest, row: number): { readonly text?: string } => {
  const made = rowTextOf(request, row);
  return 'text' in made ? { text: made.text } : {};
};

/** Writes the job that searches in parts, and says how to use it. */
async function writeJobOf(rows: number, args: Arguments, io: Io): Promise<Status> {
  const job = writeJob(args, planSpec.options, rows);
  if ('problem' in job) return usageFault(io, 'plan', job.problem);
  const written = await writeResult(io, 'plan', args, [job.text]);
  const output = args.value('output');
  if (written === status.fine && output !== undefined)
    await io.err(
      `Start it here: ${job.start} ${printable(shellWord(output))}\nShow the front at any time: pipewright plan --merge ${printable(shellWord(job.folder))}\n`,
    );
  return written;
}

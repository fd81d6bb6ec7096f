import { behind, fitWords } from '../../engine/analyze/accuracyWords.ts';
import { fullest } from '../../engine/basics/fullest.ts';
import { bytes, iterationTime } from '../../engine/basics/quantities.ts';
import { type Code, codes } from '../../engine/findings/catalogue.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Fix } from '../../engine/fixes/fix.ts';
import { shownTitle } from '../../engine/fixes/proposal.ts';
import { testedShapes } from '../../engine/grid/testFindings.ts';
import { reportOf } from '../../engine/flow/reportOf.ts';
import { nearest } from '../../engine/basics/spelling.ts';
import { LineIndex } from '../../grammar/index.ts';
import type { Arguments } from '../arguments.ts';
import { fixesIn, withFixes } from '../fixes.ts';
import { type Analysed, analyseMeasured, withBetterPolicies } from '../analyse.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { printable } from '../../server/text/printable.ts';
import { findingText, sourceOf, tally } from '../output/findingText.ts';
import { githubLines } from '../output/github.ts';
import { jsonText } from '../../server/text/jsonText.ts';
import { planAdvice } from '../output/planAdvice.ts';
import { placeText } from '../output/placeText.ts';
import { sarif, type Checked } from '../output/sarif.ts';
import { untestedSchedules } from '../output/untested.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { readSchedule } from '../unitShape.ts';
import { progressBar } from '../progress.ts';
import { engineOption, engineRemark, optionsWith } from '../engineOption.ts';
import { rootOption } from '../project.ts';
import { withRuns } from '../runs/withRuns.ts';
import { status } from '../status.ts';
import { giveSummary, summaryOption, summaryProblem } from '../summary/giveSummary.ts';
import { checkSummary } from '../summary/checkSummary.ts';
import { version } from '../version.ts';

/** `check FILE…`: what is wrong with the files. */
export const checkCommand: Command = {
  spec: {
    name: 'check',
    operands: 'FILE…',
    summary: 'Report the errors and warnings of .pipe files, with figures.',
    options: [
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      {
        name: 'format',
        value: 'text|json|sarif|github',
        choices: ['text', 'json', 'sarif', 'github'],
        doc: 'text (with source lines, the default), json, sarif (2.1.0), or github (workflow annotations).',
      },
      {
        name: 'schedule',
        value: 'NAME',
        doc: 'Check the pipelines under this schedule instead of the ones that the files name.',
      },
      {
        name: 'fixes',
        doc: 'List the quick fixes of each finding with their simulated effect, best first (text, json).',
      },
      {
        name: 'fix',
        value: 'CODE',
        optional: true,
        doc: 'Fix the files in place, then check them. --fix makes the fixes that have no alternative; --fix=CODE makes the best fix of each finding with the code.',
      },
      summaryOption,
      engineOption,
      rootOption,
    ],
    notes: ['Exit status 1 if there is an error or a failed "expect".'],
  },
  async run(args, io) {
    if (args.operands.length === 0) return usageFault(io, 'check', 'Name at least one file.');
    const unsummed = summaryProblem(args);
    if (unsummed !== undefined) return usageFault(io, 'check', unsummed);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return usageFault(io, 'check', overrides.problem);
    const fix = fixOf(args);
    if (fix !== undefined && 'problem' in fix) return usageFault(io, 'check', fix.problem);
    const schedule = readSchedule(args);
    if (schedule !== undefined && 'problem' in schedule) return usageFault(io, 'check', schedule.problem);
    if (schedule !== undefined && fix !== undefined)
      return usageFault(io, 'check', '--schedule changes no file, so it cannot be combined with --fix.');
    const progress = progressBar(io, 3 * args.operands.length);
    const files: Analysed[] = [];
    const reading = withRuns(io);
    const options = optionsWith(args);
    for (const path of args.operands) {
      const file = await analyseMeasured(path, reading, progress, overrides.values, undefined, schedule, options);
      const problem =
        'problem' in file
          ? file.problem
          : overrideProblem({ resolution: file.analysis.resolution, text: file.text }, overrides);
      if ('problem' in file || problem !== undefined) {
        progress.end();
        return usageFault(io, 'check', problem ?? '');
      }
      files.push(file);
      await io.err(`${file.recut ?? ''}${engineRemark(args, file.analysis.resolution, file.name)}`);
    }
    const setting = { io: reading, progress, overrides: overrides.values, options };
    const titles = new Map<Analysed, readonly string[]>();
    for (const [index, file] of files.entries()) {
      if (fix === undefined) {
        files[index] = withBetterPolicies(file, setting);
        continue;
      }
      const fixed = withFixes(file, fix.code, setting);
      files[index] = withBetterPolicies(fixed.file, setting);
      titles.set(files[index], fixed.titles);
      const fault = fixed.titles.length === 0 ? undefined : io.writeText(args.operands[index], files[index].text);
      if (fault === undefined) continue;
      progress.end();
      return usageFault(io, 'check', `${file.name} cannot be written: ${fault}.`);
    }
    const fixes = new Map(args.has('fixes') ? files.flatMap((file) => [...fixesIn(file, setting)]) : []);
    progress.end();
    const answer: Answer = { files, titles, ...(args.has('fixes') ? { fixes } : {}) };
    if (args.has('summary')) {
      const whole = () => jsonText(answerData(answer));
      await giveSummary(checkSummary({ ...answer, whole }), args, io);
    } else await write(answer, args.value('format') ?? 'text', io);
    const failed = files.some((file) => file.analysis.findings.some((found) => found.severity === 'error'));
    return failed ? status.findings : status.fine;
  },
};

/** What `--fix` asks for; undefined without it. `code` is absent for all that is safe. */
function fixOf(args: Arguments): { readonly code?: Code } | { readonly problem: string } | undefined {
  if (!args.has('fix')) return undefined;
  if (args.operands.includes('-')) return { problem: '--fix cannot write to standard input.' };
  const written = args.value('fix') ?? '';
  if (written === '') return {};
  const code = codes.find((known) => known === written);
  if (code !== undefined) return { code };
  const guess = nearest(written, codes);
  return { problem: `Unknown code "${written}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}` };
}

interface Answer {
  readonly files: readonly Analysed[];
  /** Of the fixes that were made, by file. */
  readonly titles: ReadonlyMap<Analysed, readonly string[]>;
  /** Only with `--fixes`. */
  readonly fixes?: ReadonlyMap<Finding, readonly Fix[]>;
}

function answerData({ files, titles, fixes }: Answer) {
  const answer = files.map((file) => ({
    file: file.path,
    findings: reportOf(file.analysis, file.path).findings.map((found, index) => ({
      ...found,
      ...(fixes === undefined ? {} : { fixes: fixData(file, fixes.get(file.analysis.findings[index]) ?? []) }),
    })),
    accuracy: Object.fromEntries(
      file.analysis.pipelines.flatMap(({ plan, run }) =>
        run?.report.accuracy === undefined ? [] : [[plan.name, run.report.accuracy]],
      ),
    ),
    ...(titles.has(file) ? { fixed: titles.get(file) } : {}),
    tests: file.analysis.tests.map(({ test, answer: { verdicts, compared } }) => ({
      schedule: test.name,
      shapes: verdicts.map(({ devices, microbatches, args, verdict }) => ({ devices, microbatches, args, verdict })),
      ...(compared === undefined ? {} : { compared }),
    })),
  }));
  return { version: 1, files: answer };
}

async function write(answer: Answer, format: string, io: Io): Promise<void> {
  const { files, titles, fixes } = answer;
  const checked = files.map(checkedOf);
  if (format === 'sarif') return io.out(sarif(checked, version(io)));
  if (format === 'github') return io.out(checked.map(githubLines).join(''));
  if (format === 'json') return io.out(jsonText(answerData(answer)));
  const colours = coloursFor(io);
  for (const file of files)
    for (const title of titles.get(file) ?? []) await io.out(`${file.name}: fixed: ${printable(title)}\n`);
  for (const file of checked) {
    for (const found of file.findings) {
      const offered = (fixes?.get(found) ?? []).map(shownTitle);
      const place = (uri: string, offset: number) => placeText(uri, offset, file, io);
      await io.out(`${findingText(found, file.source, colours, place, offered)}\n`);
    }
  }
  for (const { path, analysis } of files) {
    const prefix = files.length === 1 ? '' : `${path}: `;
    for (const { test, answer } of analysis.tests)
      await io.out(`${prefix}${printable(test.name)} tested on ${testedShapes(answer)}\n`);
    for (const name of untestedSchedules(analysis).map(printable))
      await io.out(`${prefix}${name} is not tested: write "expect ${name} { valid }"\n`);
  }
  for (const { path, analysis } of files) {
    const prefix = files.length === 1 ? '' : `${path}: `;
    for (const line of spreadLines(analysis)) await io.out(`${prefix}${colours.dim(printable(line))}\n`);
  }
  const all = checked.flatMap((file) => file.findings);
  for (const file of files) await io.out(planAdvice(file));
  const [{ name, analysis }] = files;
  const isEmpty = files.length === 1 && all.length === 0 && analysis.resolution.symbols.references.length === 0;
  const verdict = isEmpty ? 'nothing is declared here, so there was nothing to check' : tally(all);
  await io.out(`${files.length === 1 ? name : `${files.length} files`}: ${verdict}\n`);
}

/** `train: 9.6 s ± 8 %, 71 GiB ± 4 %: fits in 19 of 20 such runs`, of pipelines whose layers have shapes. */
const spreadLines = ({ pipelines }: Analysed['analysis']): readonly string[] =>
  pipelines.flatMap(({ run }) => {
    const device = run === undefined ? undefined : fullest(run.report);
    if (run === undefined || device === undefined || run.report.accuracy === undefined) return [];
    const { name, iteration, accuracy } = run.report;
    const { time, memory } = accuracy;
    const fit = memory === undefined ? '' : `: ${fitWords(memory)}`;
    return [
      `${name}: ${iterationTime(iteration)}${behind(time)}, ${bytes(device.peak)} of ${bytes(device.capacity)}${behind(memory)}${fit}`,
    ];
  });

/** Edits by lines and characters, as ranges of findings. */
function fixData({ text }: Analysed, fixes: readonly Fix[]) {
  const lines = new LineIndex(text);
  return fixes.map((fix) => ({
    title: shownTitle(fix),
    preferred: fix.preferred === true,
    edits: fix.edits.map(({ start, end, text: written }) => ({
      range: { start: lines.positionAt(start), end: lines.positionAt(end) },
      text: written,
    })),
  }));
}

const checkedOf = (file: Analysed): Checked => ({
  source: sourceOf(file.path, file.text),
  uri: file.analysis.uri,
  findings: file.analysis.findings,
});

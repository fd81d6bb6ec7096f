import { testedShapes } from '../../engine/grid/testFindings.ts';
import { reportOf } from '../../engine/reportOf.ts';
import { type Analysed, analyse } from '../analyse.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import { printable } from '../../server/printable.ts';
import { findingText, sourceOf, tally } from '../output/findingText.ts';
import { githubLines } from '../output/github.ts';
import { jsonText } from '../output/json.ts';
import { placeText } from '../output/placeText.ts';
import { sarif, type Checked } from '../output/sarif.ts';
import { untestedSchedules } from '../output/untested.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { progressBar } from '../progress.ts';
import { status } from '../status.ts';
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
    ],
    notes: ['Exit status 1 if there is an error or a failed "expect".'],
  },
  async run(args, io) {
    if (args.operands.length === 0) return usageFault(io, 'check', 'Name at least one file.');
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return usageFault(io, 'check', overrides.problem);
    const progress = progressBar(io, 3 * args.operands.length);
    const files: Analysed[] = [];
    for (const path of args.operands) {
      const file = analyse(path, io, progress, overrides.values);
      const problem = 'problem' in file ? file.problem : overrideProblem(file.analysis.resolution, overrides);
      if ('problem' in file || problem !== undefined) {
        progress.end();
        return usageFault(io, 'check', problem ?? '');
      }
      files.push(file);
    }
    progress.end();
    await write(files, args.value('format') ?? 'text', io);
    const failed = files.some((file) => file.analysis.findings.some((found) => found.severity === 'error'));
    return failed ? status.findings : status.fine;
  },
};

async function write(files: readonly Analysed[], format: string, io: Io): Promise<void> {
  const checked = files.map(checkedOf);
  if (format === 'sarif') return io.out(sarif(checked, version(io)));
  if (format === 'github') return io.out(checked.map(githubLines).join(''));
  if (format === 'json') {
    const answer = files.map((file) => ({
      file: file.path,
      findings: reportOf(file.analysis, file.path).findings,
      tests: file.analysis.tests.map(({ test, answer: { verdicts, compared } }) => ({
        schedule: test.name,
        shapes: verdicts.map(({ devices, microbatches, args, verdict }) => ({ devices, microbatches, args, verdict })),
        ...(compared === undefined ? {} : { compared }),
      })),
    }));
    return io.out(jsonText({ version: 1, files: answer }));
  }
  const colours = coloursFor(io);
  for (const file of checked) {
    for (const found of file.findings)
      await io.out(`${findingText(found, file.source, colours, (uri, offset) => placeText(uri, offset, file, io))}\n`);
  }
  for (const { path, analysis } of files) {
    const prefix = files.length === 1 ? '' : `${path}: `;
    for (const { test, answer } of analysis.tests)
      await io.out(`${prefix}${printable(test.name)} tested on ${testedShapes(answer)}\n`);
    for (const name of untestedSchedules(analysis).map(printable))
      await io.out(`${prefix}${name} is not tested: write "expect ${name} { valid }"\n`);
  }
  const all = checked.flatMap((file) => file.findings);
  await io.out(`${files.length === 1 ? (files[0]?.name ?? '') : `${files.length} files`}: ${tally(all)}\n`);
}

const checkedOf = (file: Analysed): Checked => ({
  source: sourceOf(file.path, file.text),
  uri: file.analysis.uri,
  findings: file.analysis.findings,
});

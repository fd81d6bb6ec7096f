import { LineIndex } from '../../grammar/index.ts';
import type { TextFault } from '../../engine/formats/fault.ts';
import { importable, importText } from '../../engine/formats/importText.ts';
import type { TorchFault } from '../../engine/formats/torchCsv/fault.ts';
import { importTorch } from '../../engine/formats/torchCsv/import.ts';
import { isTorchTable } from '../../engine/formats/torchCsv/recognise.ts';
import { repairTitles } from '../../engine/formats/torchCsv/repairs.ts';
import { type Command, usageFault } from '../command.ts';
import { shownPath } from '../host.ts';
import type { Io } from '../io.ts';
import { printable } from '../../server/text/printable.ts';
import { rootOption } from '../project.ts';
import { importRuns } from '../runs/importRuns.ts';
import { isRun } from '../runs/isRun.ts';
import { readRunOptions, runOptions } from '../runs/runOptions.ts';
import { readOperand } from '../readOperand.ts';
import { status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

/** `import FILE`: a `.pipe` file from another program's format. */
export const importCommand: Command = {
  spec: {
    name: 'import',
    operands: 'FILE…',
    summary:
      'Write a .pipe file from the traces of a run, or from a PyTorch schedule (CSV), a profile, a configuration or a machine. The content of the file decides which.',
    options: [
      { name: 'output', value: 'FILE', doc: 'Write there instead of to standard output.' },
      { name: 'repair', doc: 'Fix known defects of a damaged file first, and list them.' },
      {
        name: 'summary',
        value: 'FILE',
        doc: 'Of a run: write its times to FILE instead, at most 1 MB, which is read wherever traces are.',
      },
      {
        name: 'config',
        value: 'NAME',
        doc: 'Of a Python file with several configurations, such as the config_registry.py of torchtitan: the function that makes the one to import.',
      },
      ...runOptions,
      rootOption,
    ],
    notes: [
      'Several files, or a folder, are the traces of one run: a file or more for each rank, .json or .json.gz.',
      'Exit status 1 if the file is damaged. Each fault is reported with its line and character, and nothing is written.',
    ],
  },
  async run(args, io) {
    const [path, ...more] = args.operands;
    if (path === undefined) return usageFault(io, 'import', 'It needs a file.');
    if (more.length > 0 || (await isRun(path, io))) return importRuns(args, io);
    const read = readOperand(path, io);
    const name = shownPath(path);
    if ('problem' in read) return usageFault(io, 'import', read.problem);
    const run = readRunOptions(args);
    if ('problem' in run) return usageFault(io, 'import', run.problem);
    const other = importText(read.text, { ranks: run.ranks, config: args.value('config') });
    if (other !== undefined) {
      if ('faults' in other) {
        await tellText(other.faults, read.text, name, io);
        return status.findings;
      }
      for (const remark of other.remarks) await io.err(`${name}: ${printable(remark)}\n`);
      return writeResult(io, 'import', args, [shown(other.pipe)]);
    }
    if (!isTorchTable(read.text)) {
      await io.err(`${name}: the format of this file is not known. import reads ${importable}.\n`);
      return status.findings;
    }
    let result = importTorch(read.text);
    if ('faults' in result) {
      await tell(result.faults, read.text, name, io);
      const { repaired, faults } = result;
      const titles = [...new Set(faults.flatMap(({ repair }) => (repair === undefined ? [] : [repairTitles[repair]])))];
      if (repaired === undefined) return status.findings;
      if (!args.has('repair')) {
        await io.err(`${name}: --repair fixes it: ${titles.join('; ')}.\n`);
        return status.findings;
      }
      result = importTorch(repaired);
      if ('faults' in result) return status.findings;
      await io.err(`${name}: mended: ${titles.join('; ')}.\n`);
    }
    for (const remark of result.remarks) await io.err(`${name}: ${printable(remark)}\n`);
    return writeResult(io, 'import', args, [shown(result.pipe)]);
  },
};

/** `file:line:character: rank 3, column 15: what is wrong`, counted from 1 but for ranks. */
async function tell(faults: readonly TorchFault[], text: string, name: string, io: Io): Promise<void> {
  const lines = new LineIndex(text);
  for (const { row, column, start, message, expected, related } of faults) {
    const { line, character } = lines.positionAt(start);
    const what = printable(`rank ${row}, column ${column + 1}: ${message} Expected: ${expected}.`);
    await io.err(`${name}:${line + 1}:${character + 1}: ${what}\n`);
    for (const cell of related ?? [])
      await io.err(`  rank ${cell.row}, column ${cell.column + 1}: ${printable(cell.message)}.\n`);
  }
}

/** `file:line:character: what is wrong`, counted from 1. */
async function tellText(faults: readonly TextFault[], text: string, name: string, io: Io): Promise<void> {
  const lines = new LineIndex(text);
  for (const { start, message } of faults) {
    const { line, character } = lines.positionAt(start);
    await io.err(`${name}:${line + 1}:${character + 1}: ${printable(message)}\n`);
  }
}

/** The comments of what is written quote the other program's file. */
const shown = (text: string): string => text.split('\n').map(printable).join('\n');

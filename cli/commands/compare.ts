import {
  type CompareRequest,
  type CompareRow,
  isValue,
  pairedWith,
  planned,
  type Planned,
  rowAsWritten,
  rowOfUnit,
  rowUnder,
  type Variant,
} from '../../engine/advice/compare.ts';
import type { Arguments } from '../arguments.ts';
import { coloursFor } from '../colours.ts';
import { type Command, usageFault } from '../command.ts';
import { diskHost, namedPath, shownPath, uriOf } from '../host.ts';
import type { Io } from '../io.ts';
import { type FileRow, triedIn } from '../output/compareColumns.ts';
import { compareCsv, compareJson } from '../output/compareData.ts';
import { compareText } from '../output/compareText.ts';
import { overrideProblem, type Overrides, readOverrides } from '../overrides.ts';
import type { UnitRequest } from '../../engine/definitions/unitRequest.ts';
import { readShape, shapeOptions } from '../unitShape.ts';
import { declaredPipelines, pipelineProblem } from '../pipelines.ts';
import { progressBar } from '../progress.ts';
import { engineOption, engineRemark, optionsWith } from '../engineOption.ts';
import { rootOption } from '../project.ts';
import { compareRuns } from '../runs/compareRuns.ts';
import { runOptions, withOption } from '../runs/runOptions.ts';
import { readOperand } from '../readOperand.ts';
import { splitList } from '../splitList.ts';
import { status } from '../status.ts';
import { giveSummary, summaryOption, summaryProblem } from '../summary/giveSummary.ts';
import { compareSummary } from '../summary/compareSummary.ts';

/** `compare FILE…`: pipelines side by side. */
export const compareCommand: Command = {
  spec: {
    name: 'compare',
    operands: 'FILE…',
    summary:
      'Compare pipelines: all pipelines of the files, or each one under several schedules, rules of gradient exchange and collectives.',
    options: [
      {
        name: 'schedules',
        value: 'LIST',
        doc: 'Run each pipeline under each of these schedules: --schedules "gpipe,1f1b,interleaved_1f1b(chunks = 2)".',
      },
      {
        name: 'sync',
        value: 'LIST',
        doc: 'Exchange gradients by each of these rules: --sync "end,ddp,bytescheduler(credit = 8MB)".',
      },
      {
        name: 'collective',
        value: 'LIST',
        doc: 'Exchange gradients with each of these collectives: --collective "ring,nccl,ps(servers = 4)".',
      },
      {
        name: 'schedule',
        value: 'NAME',
        doc: 'The same as --schedules with one schedule.',
      },
      withOption,
      ...runOptions,
      ...shapeOptions,
      { name: 'pipeline', value: 'NAME', doc: 'Only this pipeline of each file.' },
      { name: 'set', value: 'NAME=VALUE', repeated: true, doc: 'Give a param another value: --set microbatches=16.' },
      {
        name: 'format',
        value: 'text|json|csv',
        choices: ['text', 'json', 'csv'],
        doc: 'text (the default), json (whole reports), or csv (one line per row).',
      },
      summaryOption,
      engineOption,
      rootOption,
    ],
    notes: [
      'Exit status 1 if a row cannot run or has an error. With --schedules, --sync or --collective, failed "expect"s are ignored: they were written for what is in the file.',
    ],
  },
  async run(args, io) {
    if (args.operands.length === 0) return usageFault(io, 'compare', 'Name at least one file.');
    const unsummed =
      summaryProblem(args) ??
      (args.has('summary') && args.has('with') ? '--summary cannot be combined with --with.' : undefined);
    if (unsummed !== undefined) return usageFault(io, 'compare', unsummed);
    if (args.has('with')) return compareRuns(args, io);
    const variants = readVariants(args);
    if (typeof variants === 'string') return usageFault(io, 'compare', variants);
    const shape = readShape(args, '--schedules');
    if (shape !== undefined && 'problem' in shape) return usageFault(io, 'compare', shape.problem);
    if (shape !== undefined && (variants === undefined || args.has('sync') || args.has('collective')))
      return usageFault(io, 'compare', shapeFault);
    const overrides = readOverrides(args.values('set'));
    if ('problem' in overrides) return usageFault(io, 'compare', overrides.problem);
    const files: File[] = [];
    for (const path of args.operands) {
      const file = readFile(path, args, overrides, shape !== undefined, io);
      if (typeof file === 'string') return usageFault(io, 'compare', file);
      files.push(file);
      await io.err(engineRemark(args, file.base.resolution, file.name));
    }
    const rows =
      shape === undefined || variants === undefined ? evaluated(files, variants, io) : onUnits(files, variants, shape);
    if (args.has('summary'))
      await giveSummary(
        compareSummary(rows, () => compareJson(rows)),
        args,
        io,
      );
    else await io.out(textOf(rows, args, io));
    const set = args
      .values('set')
      .map((setting) => ` --set ${setting.replace(/\s/g, '')}`)
      .join('');
    const faults = variants === undefined ? files.filter(({ base }) => hasErrors(base)) : [];
    for (const { name } of faults) await io.err(`${name} has errors: "pipewright check ${name}${set}" shows them.\n`);
    const failed =
      faults.length > 0 ||
      rows.some(({ errors }) => errors.some((code) => variants === undefined || code !== 'expect/failed'));
    return failed ? status.findings : status.fine;
  },
};

const shapeFault =
  '--devices and --microbatches are for schedules on equal stages, which exchange no gradients: name them with --schedules, without --sync and --collective.';

/** Schedules on equal stages. */
const onUnits = (
  files: readonly File[],
  variants: readonly Variant[],
  shape: Pick<UnitRequest, 'devices' | 'microbatches'>,
): FileRow[] =>
  files.flatMap(({ request, path }) =>
    variants.map(({ schedule = '' }) => ({ ...rowOfUnit(request, { ...shape, schedule }), file: path })),
  );

interface File {
  /** As data holds it. */
  readonly path: string;
  /** As people read it. */
  readonly name: string;
  readonly request: CompareRequest;
  readonly base: Planned;
  readonly pipelines: readonly string[];
}

/** Options with lists of values to try, and the key that each is for. */
const lists = [
  { option: 'schedules', key: 'schedule', what: 'schedules such as gpipe or interleaved_1f1b(chunks = 2)' },
  { option: 'sync', key: 'sync', what: 'rules such as ddp or bytescheduler(credit = 8MB)' },
  { option: 'collective', key: 'collective', what: 'collectives such as nccl or ps(servers = 4)' },
] as const;

/** All combinations of what the lists name, or what is wrong with one; undefined without a list. */
function readVariants(args: Arguments): readonly Variant[] | string | undefined {
  let variants: readonly Variant[] | undefined;
  for (const { option, key, what } of lists) {
    const text = args.value(option) ?? (key === 'schedule' ? args.value('schedule') : undefined);
    if (text === undefined) continue;
    const values = splitList(text);
    const wrong = values.find((value) => !isValue(value));
    if (wrong !== undefined) return `--${option} takes ${what}, with commas between, not "${wrong}".`;
    variants = (variants ?? [{}]).flatMap((variant) => values.map((value) => ({ ...variant, [key]: value })));
  }
  return variants;
}

function readFile(path: string, args: Arguments, overrides: Overrides, onUnits: boolean, io: Io): File | string {
  const read = readOperand(path, io);
  const name = shownPath(path);
  if ('problem' in read) return read.problem;
  const uri = uriOf(path, io);
  const request = {
    uri,
    text: read.text,
    host: diskHost(io, uri),
    options: optionsWith(args),
    overrides: overrides.values,
  };
  const base = planned(request);
  const { resolution } = base;
  const analysis = { uri, resolution, findings: resolution.findings };
  const chosen = args.value('pipeline');
  const problem =
    overrideProblem({ resolution, text: read.text }, overrides) ??
    (onUnits ? undefined : pipelineProblem({ name, analysis }, chosen, undefined, '--schedules'));
  if (problem !== undefined) return problem;
  const declared = declaredPipelines(analysis);
  // Of a file too broken to have any pipeline one row says why.
  return {
    path: namedPath(path),
    name,
    request,
    base,
    pipelines: chosen === undefined ? (declared.length > 0 ? declared : ['']) : [chosen],
  };
}

const hasErrors = ({ resolution }: Planned): boolean =>
  resolution.findings.some(({ severity }) => severity === 'error');

function evaluated(files: readonly File[], variants: readonly Variant[] | undefined, io: Io): FileRow[] {
  const pairs = files.flatMap((file) => file.pipelines.map((pipeline) => ({ file, pipeline })));
  const progress = progressBar(io, pairs.length * (variants?.length ?? 1));
  const rows = pairs.flatMap(({ file, pipeline }) => {
    const { request, base, path } = file;
    const evaluations =
      variants === undefined
        ? [() => rowAsWritten(request, base, pipeline)]
        : variants.map((variant) => () => rowUnder(request, base, pipeline, variant));
    let written: CompareRow | undefined;
    return evaluations.map((row) => {
      const alone = row();
      // Only random times need the pipeline as written.
      if (variants !== undefined && alone.draws !== undefined) written ??= rowAsWritten(request, base, pipeline);
      const made = { ...(written === undefined ? alone : pairedWith(alone, written)), file: path };
      progress.tick(`${pipeline}: ${triedIn(made)}`);
      return made;
    });
  });
  progress.end();
  return rows;
}

function textOf(rows: readonly FileRow[], args: Arguments, io: Io): string {
  const format = args.value('format') ?? 'text';
  if (format === 'json') return compareJson(rows);
  if (format === 'csv') return compareCsv(rows);
  return compareText(rows, Math.max(40, io.columns), coloursFor(io), io.outIsTerminal);
}

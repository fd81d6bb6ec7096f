/** `compare --summary`: the fastest row that fits first. */
import { behind } from '../../engine/analyze/accuracyWords.ts';
import { fullest } from '../../engine/basics/fullest.ts';
import { bytes, iterationTime, share } from '../../engine/basics/quantities.ts';
import { type FileRow, fits, triedIn } from '../output/compareColumns.ts';
import { pipelineFields } from './pipelineItem.ts';
import type { Fields, Summary, SummaryItem } from './summary.ts';

export function compareSummary(rows: readonly FileRow[], whole: () => string): Summary {
  const names = rows.map((row) => row.file);
  const isOneFile = new Set(names).size <= 1;
  const sorted = rows.toSorted((a, b) => orderOf(a) - orderOf(b));
  const [best] = sorted;
  const fastest =
    best !== undefined && isAble(best)
      ? `The fastest that fits is ${nameOf(best, isOneFile)}.`
      : 'No row runs and fits the memory.';
  return {
    head: [`${rows.length} rows, the fastest that fits first. ${fastest}`],
    fields: {},
    lists: [{ name: 'rows', singular: 'row', plural: 'rows', items: sorted.map((row) => itemOf(row, isOneFile)) }],
    whole,
  };
}

const isAble = ({ result, errors }: FileRow): boolean =>
  'report' in result && fits(result.report) && errors.every((code) => code === 'expect/failed');

/** Rows that run come before rows that do not fit, and these before rows that cannot run. */
const orderOf = (row: FileRow): number =>
  'problem' in row.result ? Infinity : row.result.report.iteration + (isAble(row) ? 0 : 1e12);

const nameOf = (row: FileRow, isOneFile: boolean): string =>
  `${isOneFile ? '' : `${row.file} `}${row.pipeline} with ${triedIn(row)}`;

function itemOf(row: FileRow, isOneFile: boolean): SummaryItem {
  const { file, pipeline, schedule, sync, collective, cut, idle, paired, runsOn, unsupported, result } = row;
  const named: Fields = {
    ...(isOneFile ? {} : { file }),
    pipeline,
    schedule,
    ...(sync === undefined ? {} : { sync }),
    ...(collective === undefined ? {} : { collective }),
    ...(cut?.instead === undefined ? {} : { cut: cut.text ?? `${cut.stages} stages` }),
    ...(paired === undefined ? {} : { faster_in_share_of_draws: paired.faster }),
    ...(runsOn === undefined ? {} : { runs_on: runsOn }),
    ...(unsupported === undefined ? {} : { unsupported }),
    ...(idle === undefined ? {} : { no_effect: idle }),
  };
  const head = `${nameOf(row, isOneFile)}:`;
  if ('problem' in result)
    return {
      line: `${head} cannot run: ${result.problem.message}`,
      data: { ...named, problem: result.problem.message },
    };
  const { report } = result;
  const device = fullest(report);
  const { name: _, schedule: __, ...figures } = pipelineFields(report);
  const parts = [
    `${iterationTime(report.iteration)}${behind(report.accuracy?.time)}`,
    `bubble ${share(report.bubble.makespan)}`,
    ...(report.model_flops === undefined ? [] : [`MFU ${share(report.model_flops.utilisation)}`]),
    ...(device === undefined || report.unit_times === true
      ? []
      : [`peak ${bytes(device.peak)} of ${bytes(device.capacity)}${fits(report) ? '' : ', does not fit'}`]),
    ...(cut?.instead === undefined ? [] : [`cut again into ${cut.stages} stages`]),
    ...(unsupported ?? []),
  ];
  return { line: `${head} ${parts.join(', ')}`, data: { ...named, ...figures } };
}

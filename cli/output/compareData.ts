import { columns, type FileRow } from './compareColumns.ts';
import { csvLine } from '../../server/text/csvField.ts';
import { jsonText } from '../../server/text/jsonText.ts';
import { fullest } from '../../engine/basics/fullest.ts';

/** `{ version, rows: [{ file, pipeline, schedule, sync?, collective?, cut?, idle?, paired?, runs_on?, unsupported?, report | problem }] }`; fields are added, never renamed. */
export function compareJson(rows: readonly FileRow[]): string {
  const answer = rows.map(({ file, pipeline, schedule, sync, collective, cut, idle, paired, ...row }) => ({
    ...{ file, pipeline, schedule, sync, collective, cut, idle, paired },
    ...{ runs_on: row.runsOn, unsupported: row.unsupported },
    ...row.result,
  }));
  return jsonText({ version: 1, rows: answer });
}

/**
 * One line a row (RFC 4180) in base units; figures are empty where there are none. `peaks` lists the devices in order. Rules of
 * exchange and collectives come last, where rows try them. The cut of each row follows where some were cut again, and how sure a gain
 * over the pipeline as written is.
 */
export function compareCsv(rows: readonly FileRow[]): string {
  const head = ['file', 'pipeline', 'schedule', ...columns.map(({ name }) => name), 'peak_device', 'peaks', 'problem'];
  const cutAgain = rows.some(({ cut }) => cut?.instead !== undefined);
  const tried = (['sync', 'collective'] as const).filter((key) => rows.some((row) => row[key] !== undefined));
  const isPaired = rows.some(({ paired }) => paired !== undefined);
  const lines = rows.map((row) => {
    const { file, pipeline, schedule, cut, paired, result } = row;
    const named = [file, pipeline, schedule];
    const sure = paired === undefined ? ['', '', ''] : [paired.faster, paired.gain.p5, paired.gain.p95].map(String);
    const last = [
      ...tried.map((key) => row[key] ?? ''),
      ...(cutAgain ? [cut?.text ?? ''] : []),
      ...(isPaired ? sure : []),
    ];
    if ('problem' in result) return [...named, ...columns.map(() => ''), '', '', result.problem.message, ...last];
    const { report } = result;
    const figures = columns.map(({ value }) => String(value(report) ?? ''));
    const peaks = report.devices.map(({ name, peak }) => `${name}=${peak}`).join(' ');
    return [...named, ...figures, fullest(report)?.name ?? '', peaks, '', ...last];
  });
  const more = [...(cutAgain ? ['cut'] : []), ...(isPaired ? ['faster', 'gain_p5', 'gain_p95'] : [])];
  return [[...head, ...tried, ...more], ...lines].map(csvLine).join('');
}

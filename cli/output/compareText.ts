import { stripVTControlCharacters as plain } from 'node:util';
import type { PipelineReport } from '../../engine/values/report.ts';
import { withinWords } from '../../engine/analyze/boundWithin.ts';
import { memoryAmount, unitTimesText } from '../../engine/analyze/unitWords.ts';
import { pairedWords } from '../../engine/analyze/pairedWords.ts';
import { runnerWords } from '../../engine/engines/runners.ts';
import { setsWorkText } from '../../engine/values/plan.ts';
import { count, list, shareAtMost, timeAtLeast } from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';
import { shownPath } from '../host.ts';
import { clip, width } from '../drawing/width.ts';
import { printable } from '../../server/text/printable.ts';
import { bestRows, columnsFor, type FileRow, fits, triedIn } from './compareColumns.ts';
import { table } from './table.ts';

/** Longest name of a row, columns: of names that differ within the first, and of all others. */
const longestName = 44;
const longestAlike = 160;

/** Rows side by side in `space` columns: tables one below the other where one is too wide, then memory by device, then what cannot run. `cut`: lists of devices end at the edge of the terminal. */
export function compareText(rows: readonly FileRow[], space: number, colours: Colours, cut: boolean): string {
  const running = rows.filter((row) => 'report' in row.result);
  const names = namesOf(rows);
  const columns = columnsFor(rows);
  const all = columns.map((column) => {
    const best = bestRows(rows, column);
    const shown = running.map((row) => {
      if (!('report' in row.result)) return '';
      const { report } = row.result;
      const figure = column.value(report);
      const text = figure === undefined ? '–' : `${column.show(figure, report)}${column.detail?.(report) ?? ''}`;
      if (best.has(row)) return colours.green(`${text} *`);
      return column.name === 'peak' && !fits(report) ? colours.red(`${text}  `) : `${text}  `;
    });
    const size = Math.max(column.title.length + 2, ...shown.map((text) => width(plain(text))));
    return { title: column.title, head: colours.dim(`${column.title}  `), shown, size };
  });
  // Rules and collectives change few figures: what is the same in all rows is said once.
  const exchanged =
    running.length > 1 && rows.some(({ sync, collective }) => sync !== undefined || collective !== undefined);
  const same = exchanged ? all.filter(({ shown }, at) => at > 0 && shown.every((text) => text === shown[0])) : [];
  const cells = all.filter((column) => !same.includes(column));
  const first = Math.max(0, ...running.map((row) => width(names.get(row) ?? '')));
  const parts: string[] = [];
  for (let from = 0; running.length > 0 && from < cells.length;) {
    let to = from + 1;
    let used = 2 + first + 2 + cells[from].size;
    while (to < cells.length && used + 2 + cells[to].size <= space) used += 2 + cells[to++].size;
    const block = cells.slice(from, to);
    const body = running.map((row, at) => [names.get(row) ?? '', ...block.map(({ shown }) => shown[at])]);
    parts.push(table([['', ...block.map(({ head }) => head)], ...body], 1));
    from = to;
  }
  if (running.length > 0)
    parts.push(
      memory(running, names, cut ? Math.max(20, space - first - 4) : Infinity, colours),
      sureness(running, names, colours),
      recuts(running, names, colours),
      whoRuns(running, names, colours),
      refusals(running, names, colours),
      withoutEffect(running, names, colours),
      legend(
        rows,
        same.map(({ title, shown }) => `${title} ${plain(shown[0]).trim()}`),
        colours,
      ),
    );
  const stopped = rows.flatMap((row) =>
    'problem' in row.result
      ? [
          `  ${colours.bold(names.get(row) ?? '')}: ${colours.red(row.result.problem.code)}: ${printable(row.result.problem.message)}\n`,
        ]
      : [],
  );
  if (stopped.length > 0) parts.push(`${colours.bold('Cannot run')}\n${stopped.join('')}`);
  return parts.filter((part) => part !== '').join('\n');
}

/** Names of rows, cut only where what is left of them differs. */
function namesOf(rows: readonly FileRow[]): ReadonlyMap<FileRow, string> {
  const whole = rows.map((row) => nameOf(row, rows));
  const owner = new Map<string, string>();
  const alike = new Set<string>();
  for (const name of whole) {
    const cut = clip(name, longestName);
    if ((owner.get(cut) ?? name) !== name) alike.add(cut);
    owner.set(cut, name);
  }
  return new Map(
    rows.map((row, at) => {
      const cut = clip(whole[at], longestName);
      return [row, alike.has(cut) ? clip(whole[at], longestAlike) : cut];
    }),
  );
}

/** File and pipeline where the rows differ in them, and what they try; the schedule where nothing else differs. */
function nameOf(row: FileRow, rows: readonly FileRow[]): string {
  const differ = (key: 'file' | 'pipeline' | 'schedule') => rows.some((other) => other[key] !== row[key]);
  const exchanged = row.sync !== undefined || row.collective !== undefined;
  const tried = exchanged && !differ('schedule') ? triedIn({ ...row, schedule: '' }) : triedIn(row);
  const parts = [differ('file') ? shownPath(row.file) : '', differ('pipeline') ? row.pipeline : '', tried];
  const named = parts.filter((part) => part !== '').join(' ');
  // A file too broken to have a pipeline has only its name.
  return printable(named === '' ? shownPath(row.file) : named);
}

function memory(
  rows: readonly FileRow[],
  names: ReadonlyMap<FileRow, string>,
  longest: number,
  colours: Colours,
): string {
  const lists = rows.map((row) => [
    names.get(row) ?? '',
    clip('report' in row.result ? peaks(row.result.report) : '', longest),
  ]);
  // The table above has the peak of a device that is alone.
  if (rows.every((row) => 'report' in row.result && row.result.report.devices.length === 1)) return '';
  if (lists.length > 1 && lists.every(([, peak]) => peak === lists[0][1]))
    return `${colours.bold('Peak memory by device')}\n${table([['all rows', lists[0][1]]])}`;
  return `${colours.bold('Peak memory by device')}\n${table(lists)}`;
}

/** In order of the devices, those in a row that read alike counted: `2 × 3.5 GiB, 1.2 GiB`. */
function peaks({ devices, unit_times: isUnit }: PipelineReport): string {
  const runs: { readonly text: string; times: number }[] = [];
  for (const { peak } of devices) {
    const text = memoryAmount(peak, isUnit);
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) => (times === 1 ? text : `${times} × ${text}`)).join(', ');
}

/** How sure it is that rows are faster than the pipeline as written: differences draw by draw. */
function sureness(rows: readonly FileRow[], names: ReadonlyMap<FileRow, string>, colours: Colours): string {
  const lines = rows.flatMap((row) =>
    row.paired === undefined ? [] : [[names.get(row) ?? '', pairedWords(row.paired)]],
  );
  return lines.length === 0 ? '' : `${colours.bold('Against the file, draw by draw')}\n${table(lines)}`;
}

/** Rows whose model is cut otherwise than in the file. */
function recuts(rows: readonly FileRow[], names: ReadonlyMap<FileRow, string>, colours: Colours): string {
  const lines = rows.flatMap((row) => {
    const { cut, result } = row;
    if (cut?.instead === undefined || !('report' in result)) return [];
    const devices = count(result.report.devices.length, 'device', 'devices');
    return [
      [
        names.get(row) ?? '',
        `${printable(cut.text ?? '')} instead of ${printable(cut.instead)}, on the same ${devices}`,
      ],
    ];
  });
  return lines.length === 0 ? '' : `${colours.bold('Cut again')}\n${table(lines)}`;
}

/** Engines of each row; said once where they are the same. */
function whoRuns(rows: readonly FileRow[], names: ReadonlyMap<FileRow, string>, colours: Colours): string {
  const lines = rows.flatMap((row) =>
    row.runsOn === undefined ? [] : [[names.get(row) ?? '', runnerWords(row.runsOn)] as const],
  );
  if (lines.length === 0) return '';
  const same = lines.length > 1 && lines.every(([, words]) => words === lines[0][1]);
  return `${colours.bold('Runs on')}\n${table(same ? [['all rows', lines[0][1]]] : lines.map((line) => [...line]))}`;
}

/** What the engine that the file names does not run. */
function refusals(rows: readonly FileRow[], names: ReadonlyMap<FileRow, string>, colours: Colours): string {
  const lines = rows.flatMap((row) =>
    (row.unsupported ?? []).map((words) => `  ${names.get(row) ?? ''}: ${printable(words)}\n`),
  );
  return lines.length === 0 ? '' : `${colours.bold('Not run by the engine')}\n${lines.join('')}`;
}

/** Rows that try what has no effect: their figures are the figures of other rows, under another name. */
function withoutEffect(rows: readonly FileRow[], names: ReadonlyMap<FileRow, string>, colours: Colours): string {
  const found = new Map<string, string[]>();
  for (const row of rows)
    for (const why of row.idle ?? []) found.set(why, [...(found.get(why) ?? []), names.get(row) ?? '']);
  const lines = Array.from(found, ([why, named]) => `  ${list(named)}: ${printable(why)}\n`);
  return lines.length === 0 ? '' : `${colours.bold('Without effect')}\n${lines.join('')}`;
}

/** What rows without a model are counted in. */
function unitWords(rows: readonly FileRow[]): readonly string[] {
  const units = rows.filter(({ result }) => 'report' in result && result.report.unit_times === true);
  if (units.length === 0) return [];
  const differ = units.some(({ cut }) => cut?.stages !== units[0].cut?.stages);
  return [
    unitTimesText,
    ...(differ ? ['Rows have different numbers of stages, so different amounts of work: compare their bubbles.'] : []),
  ];
}

/** `same`: figures that all rows share. */
function legend(rows: readonly FileRow[], same: readonly string[], colours: Colours): string {
  const marked = columnsFor(rows).some((column) => bestRows(rows, column).size > 0);
  const searched = rows.flatMap((row) => {
    if (!('report' in row.result) || row.result.report.search === undefined) return [];
    const { gap, bound, status } = row.result.report.search;
    const within = withinWords(row.result.report);
    const whole = row.result.report.bubble.bound_backward === 'whole' ? ' with whole backwards' : '';
    const shortest = `the shortest order${whole}${within === undefined ? '' : ` within ${within}`}`;
    return status === 'optimal'
      ? `${nameOf(row, rows)}: proven ${shortest}`
      : `${nameOf(row, rows)}: at most ${shareAtMost(gap)} longer than ${shortest}, which takes ${timeAtLeast(bound, 4)} or more`;
  });
  const limited = rows.some((row) => 'report' in row.result && row.result.report.search?.limit !== undefined);
  const full = rows.some((row) => 'report' in row.result && !fits(row.result.report));
  const names = columnsFor(rows).map(({ name }) => name);
  const words = [
    ...(same.length > 0 ? [`in all rows: ${same.join(', ')}`] : []),
    ...(marked ? ['* best of its column'] : []),
    ...unitWords(rows),
    ...(full ? ['! exceeds the memory of the device, so never best'] : []),
    `bound: lower bound of the bubble for any order of these operations that fits the memory, where the row itself fits${limited ? '; under search(limit = …), for any order within the limit' : ''}`,
    ...searched,
    ...(names.includes('servers') ? ['servers: machines in addition to the devices, through which gradients go'] : []),
    ...(names.includes('exposed_gradients') || names.includes('exposed_host')
      ? ['exposed: share of the iteration that devices wait for communication of any kind']
      : []),
    ...(names.includes('exposed_gradients') ? ['gradients: of these, the share for gradients'] : []),
    ...(names.includes('exposed_host')
      ? ['host copies: share of the iteration that devices wait for their hosts: copies, and updates of weights there']
      : []),
    ...(rows.every((row) => row.setsWork === true)
      ? []
      : rows.flatMap((row) => (row.setsWork === true ? printable(setsWorkText(row.schedule)) : []))),
  ];
  return `${words.map((word) => colours.dim(`  ${word}`)).join('\n')}\n`;
}

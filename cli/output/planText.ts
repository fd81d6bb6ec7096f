import type { PlanAnswer, PlanPoint } from '../../engine/sweep/answer.ts';
import { fitWords, spreadWords } from '../../engine/analyze/accuracyWords.ts';
import { settingsText } from '../../engine/sweep/axes.ts';
import { runnerWords } from '../../engine/engines/runners.ts';
import { bytes, count, iterationTime, list, share } from '../../engine/basics/quantities.ts';
import { printable } from '../../server/text/printable.ts';
import type { Colours } from '../colours.ts';
import { frontChart } from '../drawing/frontChart.ts';
import { type Figures, isRoomy, paceOf } from '../../engine/sweep/front.ts';
import { rowName } from '../../engine/sweep/rowName.ts';
import { ofTensorRanks } from '../../engine/sweep/placeRow.ts';
import type { Axis } from '../../engine/definitions/search.ts';
import { spaceText } from './spaceText.ts';
import { narrowTable, table } from './table.ts';
import { wrapped } from './wrapped.ts';

/** Reasons that are listed; the rest are counted. */
const mostReasons = 8;

export interface PlanLayout {
  readonly columns: number;
  /** The answer is of parts, without the file. */
  readonly isMerged?: boolean;
  /** Ranks and the optimizer that all rows have as the file has them; empty for none. */
  readonly staying?: string;
  /** Also the chart, what became of each row, and what was not searched. */
  readonly details?: boolean;
  /** Columns of a terminal, where a wider table becomes several. */
  readonly tableColumns?: number;
}

/** The best rows and what to do with them; with details all that the answer has. */
export function planText(
  answer: PlanAnswer,
  { columns, isMerged = false, staying = '', details = false, tableColumns = Infinity }: PlanLayout,
  colours: Colours,
): string {
  const front = answer.points.filter((point) => point.front).toSorted((a, b) => paceOf(a) - paceOf(b));
  const { pipeline, devices, batch } = answer;
  const head = `${colours.bold(printable(pipeline))}: ${count(answer.rows, 'row', 'rows')} on ${count(devices, 'device', 'devices')}, ${count(batch, 'sample', 'samples')} an iteration${partOf(answer)}\n`;
  const moves = [answer.would_fit, cutText(answer), answer.further];
  return [
    `${head}${dimmed(wrapped(searched(answer), tableColumns, '  ', '    '), colours)}`,
    front.length === 0 ? asWritten(answer, colours) : frontTable(answer, front, tableColumns, colours),
    changes(answer, colours, isMerged),
    `${colours.bold(answer.certificate)}\n${stayingLines(answer, staying, columns)}${moves.map((more) => (more === undefined ? '' : wrapped(printable(more), columns))).join('')}${missing(answer, colours)}`,
    front.length === 0 || !details ? '' : frontChart(answer.points.map(atPace), front.map(atPace), columns, colours),
    details || front.length === 0 ? counts(answer, colours) : '',
    details ? spaceText(answer, columns, colours) : dimmed(wrapped(restText(answer), columns), colours),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** What `--details` would show. */
function restText({ simulated, over, full = 0, dropped, unsearched, refused }: PlanAnswer): string {
  const impossible = refused.reduce((sum, { rows }) => sum + rows, 0);
  const parts: readonly (readonly [rows: number, what: string])[] = [
    [simulated, 'simulated'],
    [dropped, 'dropped by a bound'],
    [over + full, 'without room'],
    [unsearched, 'not reached'],
    [impossible, 'that cannot be'],
  ];
  const listed = list(parts.flatMap(([rows, what]) => (rows === 0 ? [] : [`${rows.toLocaleString('en-US')} ${what}`])));
  return `Rows: ${listed}. --details shows why, a chart, and which values were not searched.`;
}

/** Of a search for a change that did not come to its end. */
export const cutText = ({ would_fit: found, would_fit_cut: tried }: PlanAnswer): string | undefined =>
  tried === undefined
    ? undefined
    : `The search for ${found === undefined ? 'a change' : 'another change'} with which a row fits was ended after ${count(tried, 'row', 'rows')}: further changes were not tried.`;

/** Values of a key that are listed. */
const mostValues = 12;

/** `tensor 2, 4 · sequence_parallel true (with tensor ranks) · recompute none, full`: what was searched, of the file and of the command. */
const searched = ({ search }: PlanAnswer): string =>
  search
    .map(({ key, values }) => {
      const listed = values.slice(0, mostValues).map(printable).join(', ');
      const where = ofTensorRanks.includes(key) ? ' (with tensor ranks)' : '';
      return `${printable(key)} ${listed}${values.length > mostValues ? `, … (${count(values.length, 'value', 'values')})` : ''}${where}`;
    })
    .join(' · ');

const partOf = ({ shard }: PlanAnswer): string => (shard === undefined ? '' : `, part ${shard.index} of ${shard.of}`);

function frontTable(answer: PlanAnswer, front: readonly PlanPoint[], columns: number, colours: Colours): string {
  const axes = answer.search.filter(({ key }) => key !== 'pipeline' && key !== 'data');
  // A space that was chosen has many keys: those with one value in all rows are said once.
  const isShared = ({ key, values }: Axis): boolean =>
    (answer.left_out !== undefined || isLone({ key, values })) &&
    front.length > 1 &&
    front.every(({ settings }) => settings[key] === front[0].settings[key]);
  const keys = axes.filter((axis) => !isShared(axis) && !isLone(axis)).map(({ key }) => key);
  const short = new Map(axes.map((axis) => [axis.key, shortValues(axis)]));
  const shared = axes
    .filter(isShared)
    .flatMap(({ key }) => (front[0].settings[key] === undefined ? [] : [`${key} ${front[0].settings[key]}`]));
  const hasMfu = front.some(({ mfu }) => mfu !== undefined);
  const runs = front.some((point) => point.runs_on !== undefined);
  const hasOwn = front.some((point) => point.batch !== undefined);
  const head = [
    'row',
    'iteration',
    ...(hasOwn ? ['samples', `for ${count(answer.batch, 'sample', 'samples')}`] : []),
    'peak memory',
    ...(hasMfu ? ['MFU'] : []),
    'bubble',
    'pipeline',
    'data',
    ...keys,
    ...(runs ? ['runs on'] : []),
  ];
  const rows = front.map((point) => [
    `${rowName(answer.search, point.row)}${point.row === answer.best ? ' *' : point.within === true ? ' ≈' : ''}`,
    iterationTime(point.iteration),
    ...(hasOwn ? [samplesOf(answer, point), iterationTime(paceOf(point))] : []),
    `${bytes(point.peak)}${leftOf(point)}`,
    ...(hasMfu ? [point.mfu === undefined ? '–' : share(point.mfu)] : []),
    share(point.bubble),
    String(point.pipeline),
    String(point.data),
    ...keys.map((key) => printable(shortOf(short, key, point.settings[key]) ?? '–')),
    ...(point.runs_on === undefined ? [] : [runnerWords(point.runs_on)]),
  ]);
  const all = shared.length === 0 ? '' : `${colours.dim(`  in all rows: ${printable(shared.join(', '))}`)}\n`;
  const tight = front.some((point) => point.tight !== undefined);
  const warning = tight
    ? wrapped(roomText, columns, '  ')
        .split('\n')
        .map((line) => (line === '' ? '' : `${colours.yellow(line)}\n`))
        .join('')
    : '';
  const near = front.some(({ within }) => within === true) ? `${colours.dim(`  ${nearText(front[0])}`)}\n` : '';
  return `${colours.bold('Front')} ${colours.dim('(no other row that fits is faster and needs less memory)')}\n${narrowTable([head.map((cell) => colours.dim(cell)), ...rows], columns, Infinity, true)}${all}${near}${warning}${asWritten(answer, colours)}`;
}

/** The chart shows the seconds by which rows compare. */
const atPace = (point: PlanPoint): PlanPoint => ({ ...point, iteration: paceOf(point) });

/** `512 (+6.7 %)`, of a row that has other samples than most. */
const samplesOf = ({ batch: shared }: PlanAnswer, { batch: own }: PlanPoint): string =>
  own === undefined
    ? shared.toLocaleString('en-US')
    : `${own.toLocaleString('en-US')} (${share(own / shared - 1, true)})`;

/** It goes with other ranks, and the second line says its only value: rows without such ranks do not have it. */
const isLone = ({ key, values }: Axis): boolean => ofTensorRanks.includes(key) && values.length === 1;

/** What ≈ says of a row. */
const nearText = ({ spread }: PlanPoint): string =>
  `≈: published runs of the kind are off by more than what separates the row from the fastest${spread?.time === undefined ? '' : ` (${spreadWords({ share: spread.time })})`}`;

const roomText = 'Rows that say what is left may run out of memory: no figure has fragmentation (memory/headroom).';

const dimmed = (lines: string, colours: Colours): string =>
  lines
    .split('\n')
    .map((line) => (line === '' ? '' : `${colours.dim(line)}\n`))
    .join('');

/**
 * Values without the arguments that all of them begin with: `distributed` of `megatron_bf16(shard = distributed)`. The name of an
 * argument goes only if its value is all that is left of each.
 */
export function shortValues({ values }: Axis): ReadonlyMap<string, string> {
  const [first = ''] = values;
  if (values.length < 2 || !values.every((value) => value.includes('('))) return new Map();
  let from = 0;
  while (values.every((value) => from < value.length && value[from] === first[from])) from += 1;
  const begun = first.slice(0, from);
  const shownFrom = (cut: number) => values.map((value) => (cut === 0 ? value : value.slice(cut).replace(/\)$/u, '')));
  const behind = (mark: string) => (begun.includes(mark) ? begun.lastIndexOf(mark) + mark.length : 0);
  const whole = Math.max(behind('('), behind(', '));
  const inValue = behind(' = ');
  const isName = inValue > whole && shownFrom(inValue).every((rest) => !rest.includes(','));
  const shown = shownFrom(isName ? inValue : whole);
  return new Map(values.map((value, at) => [value, shown[at]]));
}

const shortOf = (
  short: ReadonlyMap<string, ReadonlyMap<string, string>>,
  key: string,
  value: string | undefined,
): string | undefined => (value === undefined ? undefined : (short.get(key)?.get(value) ?? value));

/** The pipeline as the file has it: no row needs to have its values. */
function asWritten({ written, minimise, points, best: bestRow }: PlanAnswer, colours: Colours): string {
  if (written === undefined) return '';
  const best = points.find(({ row }) => row === bestRow);
  const isBetter =
    written.meets &&
    best !== undefined &&
    minimiseFigure[minimise](written) < minimiseFigure[minimise](best) &&
    (isRoomy(written) || !isRoomy(best));
  return `${colours.dim(`  as written: ${iterationTime(written.iteration)}, ${bytes(written.peak)}${leftOf(written)}${written.meets ? '' : written.missed === undefined ? ', which does not fit or misses a limit' : `, which misses ${printable(written.missed)}`}${isBetter ? ', better than every row found' : ''}`)}\n`;
}

/** ` (3.3 % left, fits in 14 of 20 such runs)`, of a row with little memory left. */
function leftOf({ tight, spread: { fit = 0, runs = 0 } = {} }: Pick<PlanPoint, 'tight' | 'spread'>): string {
  const parts = [
    ...(tight === undefined ? [] : [`${share(tight)} left`]),
    ...(fit < runs ? [fitWords({ fit, runs })] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const minimiseFigure = { iteration: paceOf, peak_memory: ({ peak }: Figures): number => peak } as const;

function changes(answer: PlanAnswer, colours: Colours, isMerged: boolean): string {
  const { changes: found } = answer;
  if (answer.best === undefined) return '';
  if (found?.length === 0) return `${colours.bold(`Row ${answer.best}`)} is the file as it is.\n`;
  const name = rowName(answer.search, answer.best);
  const how = isMerged
    ? `write it with the options of a part, and --write ${name} in place of --shard`
    : `write it with --write ${name}`;
  // Files of rows do not have the text of the file.
  if (found === undefined) return `${colours.bold(`Row ${answer.best}`)} is the best: ${how}.\n`;
  const lines = found.map(({ key, from, to }) => [printable(key), `${printable(from)} → ${printable(to)}`]);
  return `${colours.bold(`Row ${answer.best}`)} changes ${colours.dim(`(${how})`)}\n${table(lines)}`;
}

/** The best of rows that are alike in what was not searched. */
const stayingLines = ({ best }: PlanAnswer, staying: string, columns: number): string =>
  best === undefined || staying === ''
    ? ''
    : wrapped(`Not searched, and in every row as in the file: ${printable(staying)}.`, columns);

/** Parts that are listed. */
const mostParts = 8;

/** Which parts have to run before the answer is certain. */
function missing({ missing: left }: PlanAnswer, colours: Colours): string {
  if (left === undefined) return '';
  const { absent, unfinished, of } = left;
  const parts = (indices: readonly number[], what: string): string => {
    const shown = `${indices.slice(0, mostParts).join(', ')}${indices.length > mostParts ? ', …' : ''} of ${of}`;
    return indices.length === 1 ? `Part ${shown} is ${what}.` : `${indices.length} parts are ${what}: ${shown}.`;
  };
  const lines = [
    ...(absent.length === 0
      ? []
      : [
          `${parts(absent, 'missing')} Run ${absent.length === 1 ? 'it' : 'each'} with --shard ${absent[0]}/${of}${absent.length === 1 ? '' : ' and so on'}.`,
        ]),
    ...(unfinished.length === 0
      ? []
      : [`${parts(unfinished, 'not finished')} Run ${unfinished.length === 1 ? 'it' : 'them'} again with --resume.`]),
  ];
  return `${colours.yellow(lines.join('\n'))}\n`;
}

/** What became of the rows. */
function counts({ simulated, over, full = 0, dropped, unsearched, refused }: PlanAnswer, colours: Colours): string {
  const lines: readonly (readonly [number, string])[] = [
    [simulated, 'simulated'],
    [dropped, 'not simulated: a bound shows that another row is better in time and memory'],
    [over, 'without room for weights, gradients and optimizer state'],
    [full, 'without room for their activations'],
    [unsearched, 'not reached'],
    ...refused
      .slice(0, mostReasons)
      .map(
        ({ reason, rows, example }) =>
          [rows, `${printable(reason)} ${colours.dim(`(${printable(settingsText(example))})`)}`] as const,
      ),
    [refused.slice(mostReasons).reduce((sum, { rows }) => sum + rows, 0), 'cannot be for other reasons'],
  ];
  return table(lines.flatMap(([rows, what]) => (rows === 0 ? [] : [[rows.toLocaleString('en-US'), what]])));
}

/** Plans in words: for the card, the table, and whoever does not see the drawing. */
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { behind, fitWords } from '../../../engine/analyze/accuracyWords.ts';
import { settingsText } from '../../../engine/sweep/axes.ts';
import { bytes, bytesApart, count, iterationTime, share } from '../../../engine/basics/quantities.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import type { PlanEnd } from '../../protocol/requests.ts';

const interval = (share: number | undefined): string => behind(share === undefined ? undefined : { share });

/** `9.605 s ± 8 % · 61.7 GiB ± 4 % · MFU 38.7 %`. */
export const figureWords = ({ iteration, peak, mfu, spread }: FoundPoint): string =>
  [
    `${iterationTime(iteration)}${interval(spread?.time)}`,
    `${bytes(peak)}${interval(spread?.memory)}`,
    ...(mfu === undefined ? [] : [`MFU ${share(mfu)}`]),
  ].join(' · ');

/** Settings of a row, with the ranks that follow from them. */
export function settingWords({ settings, pipeline, data }: FoundPoint): string {
  const shown = { ...settings, pipeline: String(pipeline), data: String(data) };
  return settingsText(shown);
}

export const pointWords = (point: FoundPoint): string =>
  `${figureWords(point)}, ${settingWords(point)}${missWords(point) === '' ? '' : `, ${missWords(point)}`}`;

/** Why a row does not count; empty if it does. */
export const missWords = ({ meets, missed }: FoundPoint): string =>
  meets ? '' : missed === undefined ? 'does not fit' : `misses ${missed}`;

/** What a row with little memory left risks; empty for others. */
export function roomWords({ tight, left, spread: { fit = 0, runs = 0 } = {} }: FoundPoint): string {
  const risks = fit < runs ? fitWords({ fit, runs }) : '';
  if (tight === undefined || left === undefined) return risks;
  return `leaves ${bytes(left)}: ${risks === '' ? 'may run out of memory' : risks}`;
}

/** `The fastest that fits`, of the best row. */
export function bestWords({ minimise, tighter, margin }: PlanEnd): string {
  if (minimise === 'peak_memory') return 'the smallest that fits';
  return tighter === undefined || margin === undefined
    ? 'the fastest that fits'
    : `the fastest that keeps ${share(margin)} of each device free`;
}

type FileFigures = Pick<NonNullable<PlanEnd['written']>, 'iteration' | 'peak'>;

/** The file as it is: the row that was written into it, otherwise the file as it was searched. Undefined after an edit that matters. */
export const fileFigures = ({ fileRow, points, figures, outdated }: PlanSearchState): FileFigures | undefined =>
  outdated ? undefined : fileRow === undefined ? figures?.written : points.find(({ row }) => row === fileRow);

/** `4.1 % faster than this file, 12 GiB more`. */
export function againstFile({ iteration, peak }: FoundPoint, written: FileFigures | undefined): string {
  if (written === undefined) return '';
  const change = iteration / written.iteration - 1;
  const extra = peak - written.peak;
  const isSame = share(Math.abs(change)) === share(0);
  const faster = isSame
    ? 'as fast as this file'
    : `${share(Math.abs(change))} ${change < 0 ? 'faster' : 'slower'} than this file`;
  const more =
    Math.abs(extra) < 2 ** 20 ? 'as much memory' : `${bytesApart(Math.abs(extra))} ${extra < 0 ? 'less' : 'more'}`;
  return `${faster}, ${more}`;
}

/** `120 of 216 rows decided · 90 simulated · 67 fit`: decided are rows that were simulated, that cannot be, and that a bound leaves out. */
export function progressWords({ status, looked, total, points, fit, figures }: PlanSearchState): string {
  const simulated = `${points.length.toLocaleString('en-US')} simulated · ${fit.toLocaleString('en-US')} fit`;
  if (figures !== undefined && status !== 'running') return `${count(figures.rows, 'row', 'rows')} · ${simulated}`;
  if (status !== 'running') return '';
  return `${looked.toLocaleString('en-US')} of ${count(total, 'row', 'rows')} decided · ${simulated}`;
}

/** What became of the rows: numbers with words. */
export function rowCounts(figures: PlanEnd): readonly (readonly [rows: number, words: string])[] {
  const { simulated, dropped, over, full = 0, unsearched, refused } = figures;
  const counts: readonly (readonly [number, string])[] = [
    [simulated, 'simulated'],
    [dropped, 'not simulated: a bound shows that another row is better in time and memory'],
    [over, 'without room for weights, gradients and optimizer state'],
    [full, 'without room for their activations'],
    [unsearched, 'not reached'],
    ...refused.map(({ reason, rows, example }) => [rows, `${reason} (${settingsText(example)})`] as const),
  ];
  return counts.filter(([rows]) => rows > 0);
}

import { type PipelinePlan, setsWork, setsWorkText } from '../../engine/values/plan.ts';
import { pairedWords } from '../../engine/analyze/pairedWords.ts';
import { memoryApart, memoryChange } from '../../engine/analyze/unitWords.ts';
import { share, time, withSign } from '../../engine/basics/quantities.ts';
import type { Deltas, Standing, Standings } from './standings.ts';

/** Differences under this share are not worth a colour. */
const negligible = 0.005;

export type Tone = 'better' | 'worse' | 'same';

export interface DeltaWords {
  readonly iteration: string;
  readonly bubble: string;
  readonly peak: string;
  readonly tones: { readonly iteration: Tone; readonly bubble: Tone; readonly peak: Tone };
}

const tone = (relative: number): Tone => (Math.abs(relative) < negligible ? 'same' : relative < 0 ? 'better' : 'worse');
/** `none`: differences under it would be written as 0. */
const signed = (value: number, none: number, words: (size: number) => string): string =>
  Math.abs(value) <= none ? '± 0' : withSign(value, words(Math.abs(value)));

/** Shares are written with a digit after the point. */
const leastShare = 0.0005;

/** `−24.6 %`, `−22.0 pt`, `+0.2 GiB`. `basePeak`: of the baseline. `isUnit`: memory counts activations. */
export function deltaWords({ relative, bubble, peak }: Deltas, basePeak: number, isUnit?: boolean): DeltaWords {
  return {
    iteration: signed(relative, leastShare, (size) => share(size)),
    bubble: signed(bubble, leastShare, (size) => `${(size * 100).toFixed(1)} pt`),
    peak: memoryChange(peak, isUnit),
    tones: { iteration: tone(relative), bubble: tone(bubble), peak: tone(basePeak > 0 ? peak / basePeak : peak) },
  };
}

/** What the comparison comes to, in a sentence; empty while nothing has run. */
export function raceSentence({ rows, winner, baseline }: Standings): string {
  const running = rows.filter(({ figures }) => figures !== undefined);
  if (running.length < 2 || baseline?.figures === undefined) return '';
  if (winner?.figures === undefined) return 'None of these timelines fits into memory.';
  const name = baseline.runner.name;
  if (winner === baseline) return `${name} is the shortest that fits.`;
  const { deltas } = winner;
  if (deltas === undefined) return '';
  if (deltas.seconds > 0)
    return `${winner.runner.name} is the shortest that fits: ${time(deltas.seconds)} (${share(deltas.relative)}) longer than ${name}, which does not fit.`;
  return rowSentence(winner, baseline);
}

/** A timeline against the baseline, in a sentence; empty where there is nothing to compare. */
export function rowSentence({ runner, deltas, figures }: Standing, baseline: Standing | undefined): string {
  if (deltas === undefined || figures === undefined || baseline === undefined) return '';
  const { seconds, relative, peak } = deltas;
  const other = baseline.runner.name;
  const length =
    Math.abs(relative) <= leastShare
      ? `${runner.name} is as long as ${other}`
      : `${runner.name} is ${time(Math.abs(seconds))} (${share(Math.abs(relative))}) ${seconds < 0 ? 'shorter' : 'longer'} than ${other}`;
  const room =
    peak === 0
      ? 'at the same peak'
      : `and needs ${memoryApart(Math.abs(peak), figures.unitTimes)} ${peak < 0 ? 'less' : 'more'}`;
  const sure = deltas.paired === undefined ? '' : ` It is ${pairedWords(deltas.paired)}.`;
  return `${length} ${room}.${sure}${figures.fits ? '' : ' It does not fit.'}`;
}

/** What other schedules leave out that the one on show does. */
export const workWords = ({ schedule }: Pick<PipelinePlan, 'schedule'>): string =>
  setsWork(schedule) ? setsWorkText(schedule.name) : '';

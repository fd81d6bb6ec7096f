import { count, iterationTime, list, share, time, timeChange } from '../../engine/basics/quantities.ts';
import { shareNames } from '../../engine/measured/shares.ts';
import { lastStageWords, slowdownWords } from '../../engine/measured/runWords.ts';
import { slowLinkWords } from '../../engine/runs/flights.ts';
import type { RankTime } from '../../engine/measured/idle.ts';
import { letters } from '../../engine/values/program.ts';
import type { RunFigures } from '../picture/runFigures.ts';

/** Differences under this share have no cause worth a sentence. */
const least = 0.0005;

/** `The run takes 431.2 ms, 12.3 ms (2.9 %) longer than planned. Largest cause: …` */
export function runSentence(figures: RunFigures, devices: readonly string[]): string {
  const { planned, measured, shares, slowLinks, otherLinks, drifts } = figures;
  const apart = measured - planned;
  const length =
    Math.abs(apart) <= least * planned
      ? 'as long as planned'
      : `${time(Math.abs(apart))} (${share(Math.abs(apart) / planned)}) ${apart > 0 ? 'longer' : 'shorter'} than planned`;
  const sign = Math.sign(apart);
  const [part, name] = shareNames.reduce((most, next) =>
    sign * shares[next[0]] > sign * shares[most[0]] ? next : most,
  );
  const drifted =
    drifts.length === 0
      ? 'Every operation takes what was planned, within its interval.'
      : `${count(drifts.length, 'kind of operation takes', 'kinds of operations take')} another time than planned: ${drifts.length === 1 ? 'it is' : 'they are'} outlined.`;
  return [
    `The run takes ${iterationTime(measured)}, ${length}.`,
    Math.abs(apart) <= least * planned ? '' : `Largest cause: ${name}, ${timeChange(shares[part])}.`,
    slowest(figures, devices),
    ...slowLinks.map(
      (link) => `Slow link: ${slowLinkWords(link, otherLinks, (rank) => devices[rank] ?? `rank ${rank}`)}.`,
    ),
    drifted,
  ]
    .filter((text) => text !== '')
    .join(' ');
}

/** The rank that alone costs over half of what all stragglers do; −1 for none. */
export function slowestRank({ stragglers: { slowdown, ranks } }: RunFigures): number {
  const most = ranks.reduce((worst, own, rank) => (own > ranks[worst] ? rank : worst), 0);
  return slowdown - 1 > 0.01 && ranks.length > 1 && ranks[most] - 1 > 0.5 * (slowdown - 1) ? most : -1;
}

function slowest(figures: RunFigures, devices: readonly string[]): string {
  const rank = slowestRank(figures);
  const own = figures.stragglers.ranks[rank];
  return rank < 0
    ? ''
    : `${devices[rank] ?? `rank ${rank}`} alone makes it ${share(own - 1)} longer than without stragglers.`;
}

/** Rows of text; the last one is the sum. */
export const shareRows = ({ planned, measured, shares }: RunFigures): readonly (readonly string[])[] => [
  ...shareNames.map(([part, name]) => [name, timeChange(shares[part]), share(shares[part] / planned, true)]),
  ['together', timeChange(measured - planned), share(measured / planned - 1, true)],
];

export const driftHead = ['operation', 'planned', 'measured', 'change', 'critical'] as const;
/** Most rows of a table. */
const most = 12;

export const driftRows = ({ drifts }: RunFigures): readonly (readonly string[])[] =>
  drifts
    .slice(0, most)
    .map(({ kind, stage, planned, measured, critical }) => [
      `${letters[kind]} of stage ${stage}`,
      time(planned),
      `${time(measured.mean)}${measured.half === undefined ? '' : ` ± ${time(measured.half)}`}`,
      planned > 0 ? share(measured.mean / planned - 1, true) : '',
      String(critical),
    ]);

export const driftNote = ({ drifts, steps }: RunFigures): string =>
  [
    drifts.length > most ? `And ${drifts.length - most} more.` : '',
    drifts.length > 0 && steps < 4 ? 'Under 4 steps there are no intervals: differences over 2 % are shown.' : '',
  ]
    .filter((text) => text !== '')
    .join(' ');

/** Parts of a rank's time. */
export const timeParts = [
  ['computing', 'computes'],
  ['host', 'host'],
  ['sender', 'sender late'],
  ['message', 'message'],
  ['other', 'other wait'],
  ['done', 'done'],
] as const;

export interface RankRow {
  readonly name: string;
  /** Shares of the iteration, which add up to 1. */
  readonly parts: readonly number[];
  /** Seconds of each part. */
  readonly seconds: readonly string[];
  /** Idle time that only the run has, and its cause. */
  readonly beyond: string;
}

/** While an operation has nothing to do, its host has. */
const secondsOf = (rank: RankTime, part: (typeof timeParts)[number][0]): number =>
  part === 'host' ? rank.host + rank.within : rank[part];

export function rankRows(
  { ranks, simulatedIdle, measured }: RunFigures,
  devices: readonly string[],
): readonly RankRow[] {
  return ranks.map((rank, at) => {
    const seconds = timeParts.map(([part]) => secondsOf(rank, part));
    const beyond = seconds.slice(1).reduce((sum, one) => sum + one, 0) - rank.host - (simulatedIdle[at] ?? 0);
    const waits = [...timeParts.keys()].filter((part) => part > 1);
    const cause = waits.reduce((most, part) => (seconds[part] > seconds[most] ? part : most), waits[0]);
    return {
      name: devices[at] ?? `rank ${at}`,
      parts: seconds.map((one) => one / measured),
      seconds: seconds.map((one) => time(one)),
      beyond: `${timeChange(beyond)}${beyond > least * measured ? `, most of its idle time: ${timeParts[cause][1]}` : ''}`,
    };
  });
}

const slow = (value: number): string => value.toFixed(3);

/** Name, value and meaning of each number. */
export function stragglerRows(
  { stragglers }: RunFigures,
  devices: readonly string[],
): readonly (readonly [symbol: string, value: string, meaning: string])[] {
  const { slowdown, kinds, ranks, replicas, lastStage } = stragglers;
  const named = (values: readonly number[], nameOf: (at: number) => string): string =>
    list(values.map((own, at) => `${nameOf(at)} ${slow(own)}`).slice(0, 16));
  const last = lastStageWords(stragglers);
  return [
    ['S', slow(slowdown), slowdownWords(slow(slowdown))],
    [
      'S_t',
      slow(Math.max(...kinds.map((kind) => kind.slowdown))),
      `by kind: ${list(kinds.map(({ name, slowdown: own }) => `${name} ${slow(own)}`))}`,
    ],
    ['S_w', slow(Math.max(...ranks)), `by rank: ${named(ranks, (at) => devices[at] ?? `rank ${at}`)}`],
    ...(replicas.length > 0
      ? [['S_d', slow(Math.max(...replicas)), `by replica: ${named(replicas, String)}`] as const]
      : []),
    ...(last === '' ? [] : [['M_S', share(lastStage), last] as const]),
  ];
}

/** `mean of 9 steps, without the optimizer’s step; step 4 is drawn`. */
export const stepWords = ({ steps, step }: RunFigures): string =>
  `mean of ${count(steps, 'step', 'steps')}, without the optimizer’s step; step ${step} is drawn`;

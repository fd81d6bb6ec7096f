import { count, list, moment, share, time } from '../../engine/basics/quantities.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { deviceOf } from '../picture/blocks.ts';
import { shortName } from '../picture/describe.ts';
import {
  type Drift,
  type DriftedBlock,
  driftOf,
  otherSide,
  type PairedColumns,
  pairedOperations,
  type Side,
} from '../picture/drift.ts';
import type { RowPairs } from '../picture/rowPairs.ts';

/** What two timelines side by side are called, and their plans. */
export type SideNames = Readonly<Record<Side, string>>;
type SidePlans = Readonly<Record<Side, PipelinePlan>>;

/** Shares of the upper iteration from which on a difference is shown. */
export const tolerances = [0.001, 0.01, 0.05] as const;

/** `38 of 128 operations differ by more than 1 % of the iteration (2.6 ms): 30 start at another time, …`. */
export function driftSentence(
  pair: PairedColumns,
  drifted: readonly DriftedBlock[],
  { names, plans, tolerance, iteration }: DriftWordsOf,
): string {
  const all = pairedOperations(pair);
  const limit = `more than ${share(tolerance)} of the iteration (${time(tolerance * iteration)})`;
  const [first] = drifted;
  if (first === undefined) return all === 0 ? '' : `No operation differs by ${limit}.`;
  const kinds = drifted.map(({ side, block }) => ({ side, drift: driftOf(pair, side, block, tolerance * iteration) }));
  const of = (wanted: Drift, on: Side): number =>
    kinds.filter(({ side, drift }) => side === on && drift === wanted).length;
  const parts = [
    [of('start', 'upper'), 'at another time'],
    [of('length', 'upper'), 'of another length'],
    [of('alone', 'upper'), `only in ${names.upper}`],
    [of('alone', 'lower'), `only in ${names.lower}`],
  ] as const;
  const counted = parts.flatMap(([number, words]) =>
    number === 0 ? [] : `${number.toLocaleString('en-US')} ${words}`,
  );
  const { side, block } = first;
  const { columns } = pair;
  const at = `${shortName(plans[side], { columns: columns[side] }, block)} on ${deviceName(pair, plans, first)}`;
  const what = `${drifted.length.toLocaleString('en-US')} of ${count(all, 'operation', 'operations')} ${drifted.length === 1 ? 'differs' : 'differ'} by ${limit}: ${list(counted)}.`;
  return `${what} The first is ${at} at ${moment(columns[side].start[block])}.`;
}

export interface DriftWordsOf {
  readonly names: SideNames;
  readonly plans: SidePlans;
  /** Share of `iteration`, the seconds of the upper iteration. */
  readonly tolerance: number;
  readonly iteration: number;
}

/** Devices without a partner, and how rows are paired if not by name. Empty if all names are the same. */
export function rowsSentence({ rows, byPlace }: RowPairs, names: SideNames): string {
  if (byPlace) return 'No device has the same name in both: rows are paired by their order.';
  const alone = (side: Side): string => {
    const only = rows.filter((row) => row[otherSide(side)] < 0).map(({ name }) => name);
    return only.length === 0 ? '' : `Only ${names[side]} has ${listed(only)}.`;
  };
  return [alone('upper'), alone('lower')].filter((text) => text !== '').join(' ');
}

const mostListed = 3;
const listed = (names: readonly string[]): string =>
  names.length > mostListed
    ? `${names[0]} and ${count(names.length - 1, 'other device', 'other devices')}`
    : list(names);

/** A block and its partner: `1B3 on gpu[2], 48.2…60.1 ms. In other.pipe it starts 3.1 ms later and takes 2 ms longer.` */
export function pairedBlockWords(
  pair: PairedColumns,
  at: DriftedBlock,
  { names, plans }: Pick<DriftWordsOf, 'names' | 'plans'>,
): string {
  const { side, block } = at;
  const [own, other] = [pair.columns[side], pair.columns[otherSide(side)]];
  const [start, end] = [own.start[block], own.end[block]];
  const name = shortName(plans[side], { columns: own }, block);
  const where = `${name} on ${deviceName(pair, plans, at)} in ${names[side]} starts at ${moment(start)} and takes ${time(end - start)}.`;
  const there = names[otherSide(side)];
  const partner = pair.partners[side][block];
  if (partner < 0) return `${where} ${there} does not have it.`;
  const later = other.start[partner] - start;
  const longer = other.end[partner] - other.start[partner] - (end - start);
  const parts = [
    differenceWords(later, 'starts', 'later', 'earlier'),
    differenceWords(longer, 'takes', 'longer', 'less'),
  ];
  const differences = parts.filter((text) => text !== '');
  if (differences.length === 0) return `${where} In ${there} it runs at the same time.`;
  return `${where} In ${there} it ${differences.join(' and ')}.`;
}

/** Shorter than any operation: a difference of rounding. */
const nothing = 1e-12;

const differenceWords = (seconds: number, verb: string, more: string, less: string): string =>
  Math.abs(seconds) <= nothing ? '' : `${verb} ${time(Math.abs(seconds))} ${seconds > 0 ? more : less}`;

const deviceName = ({ columns }: PairedColumns, plans: SidePlans, { side, block }: DriftedBlock): string =>
  plans[side].devices[deviceOf({ columns: columns[side] }, block)].name;

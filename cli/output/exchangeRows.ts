import { bytes, count, iterationTime, list, share, time } from '../../engine/basics/quantities.ts';
import type { ExchangeReport, ExposedReport, LaneReport } from '../../engine/values/exchangeReport.ts';
import type { PipelineReport } from '../../engine/values/report.ts';

/** Lanes that have a row each. */
const mostLanes = 8;
/** Causes that are named, the largest first. */
const mostCauses = 3;

const causes: readonly (readonly [keyof Omit<ExposedReport, 'device' | 'total'>, string])[] = [
  ['own', 'the layer is sent'],
  ['blocked', 'other buckets'],
  ['fused', 'rest of the bucket'],
  ['overhead', 'calls'],
  ['credit', 'credit'],
  ['barrier', 'barrier'],
  ['server', 'pushes'],
  ['shared', 'links shared with other stages'],
];

/** The rule, the period against its bound, lanes, and why the device that waits longest does so. */
export function exchangeRows({ exchange, iteration }: PipelineReport): string[][] {
  if (exchange === undefined) return [];
  const { rule, order, barrier, lanes, exposed } = exchange;
  const more = lanes.length - mostLanes;
  return [
    ['rule', rule, `order ${order}, ${barrier ? 'with a barrier' : 'no barrier'}${chosen(exchange)}`],
    ['period', iterationTime(exchange.period), boundWords(exchange)],
    ...lanes.slice(0, mostLanes).map((lane) => laneRow(lane, lanes.length > 1)),
    ...(more > 0 ? [['', '', `and ${count(more, 'more lane', 'more lanes')}`]] : []),
    ['waits', seconds(exposed.total), waitWords(exposed, iteration)],
  ];
}

/** Sums of pieces are 0.99…9 ms for 1 ms. */
const seconds = (value: number): string => time(Number(value.toPrecision(9)));

const chosen = ({ partition, credit }: ExchangeReport): string =>
  (partition === undefined ? '' : `, pieces of ${bytes(partition)}`) +
  (credit === undefined ? '' : `, credit ${bytes(credit)}`);

function boundWords({ bound, gap, steady }: ExchangeReport): string {
  const least = gap < 0.0005 ? 'at its bound' : `${share(gap)} over the bound of ${iterationTime(bound)}`;
  return steady ? least : `${least}; periods do not repeat`;
}

/** Stages and devices tell several lanes apart. */
const laneRow = (
  { name, stages, collectives, busy, bytes: size, calls, overhead }: LaneReport,
  named: boolean,
): string[] => [
  'lane',
  `busy ${time(busy)}`,
  `${named ? `${list(stages.length > 3 ? [...stages.slice(0, 2), `${stages.length - 2} more`] : stages)} on ${name}: ` : ''}${bytes(size)} by ${collectives.join(', ')}, ${count(calls, 'call', 'calls')}${overhead > 0 ? ` (${time(overhead)})` : ''}`,
];

function waitWords(exposed: ExposedReport, iteration: number): string {
  if (exposed.total === 0 || iteration === 0) return 'no device waits for gradients';
  const secondsOf = (cause: (typeof causes)[number][0]): number => exposed[cause] ?? 0;
  const parts = causes
    .filter(([cause]) => secondsOf(cause) >= 0.0005 * iteration)
    .toSorted(([a], [b]) => secondsOf(b) - secondsOf(a))
    .slice(0, mostCauses)
    .map(([cause, words]) => `${words} ${seconds(secondsOf(cause))}`);
  return `${exposed.device}: ${parts.join(', ')}`;
}

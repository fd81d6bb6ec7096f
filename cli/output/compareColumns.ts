import { inFlightText, microbatchesInFlight } from '../../engine/analyze/inFlight.ts';
import { exposedCommunication, exposedGradients, exposedHost, exposedTransfers } from '../../engine/analyze/shares.ts';
import { memoryAmount } from '../../engine/analyze/unitWords.ts';
import type { PipelineReport } from '../../engine/values/report.ts';
import type { CompareRow } from '../../engine/advice/compare.ts';
import { excludesSome, iterationTime, share } from '../../engine/basics/quantities.ts';
import { fullest } from '../../engine/basics/fullest.ts';

/** A row of `compare` with the file that it is of, as shown. */
export interface FileRow extends CompareRow {
  readonly file: string;
}

/** The values by which a row differs from others: its schedule, and the rule and the collective where rows try them. */
export const triedIn = ({ schedule, sync, collective }: CompareRow): string =>
  [schedule, sync, collective].filter((value) => value !== undefined && value !== '').join(' · ');

export interface Column {
  /** In csv. */
  readonly name: string;
  readonly title: string;
  /** Undefined where the report has no such figure. */
  value(report: PipelineReport): number | undefined;
  show(value: number, report: PipelineReport): string;
  /** Behind the figure. */
  detail?(report: PipelineReport): string;
  /** Which value is best; absent where neither is. */
  readonly best?: 'least' | 'most';
  /** What the figure is counted in: no row is best where rows differ in it. */
  unit?(report: PipelineReport): string;
}

/** Whether every device stays within its memory. */
export const fits = ({ devices }: PipelineReport): boolean => devices.every(({ peak, capacity }) => peak <= capacity);

const most = (values: readonly number[]): number => values.reduce((largest, value) => Math.max(largest, value), 0);

/** The figures that are compared, in order of weight. */
export const columns: readonly Column[] = [
  {
    name: 'iteration',
    title: 'iteration',
    best: 'least',
    value: (report) => report.iteration,
    show: (value) => iterationTime(value),
  },
  ...(['p50', 'p95', 'p99'] as const).map((name): Column => ({
    name,
    title: name,
    best: 'least',
    value: (report) => report.jitter?.[name],
    show: (value) => iterationTime(value),
  })),
  {
    name: 'throughput',
    title: 'samples/s',
    best: 'most',
    value: (report) => report.throughput,
    // Samples of different lengths are different amounts of work.
    unit: ({ tokens, throughput, iteration }) =>
      tokens === undefined ? '' : (tokens.per_iteration / (throughput * iteration)).toPrecision(9),
    show: (value) => String(Number(value.toPrecision(4))),
  },
  {
    name: 'bubble',
    title: 'bubble',
    best: 'least',
    value: (report) => report.bubble.makespan,
    show: (value) => share(value),
  },
  {
    name: 'span_bubble',
    title: 'span bubble',
    best: 'least',
    value: (report) => report.bubble.span,
    show: (value) => share(value),
  },
  {
    name: 'bound',
    title: 'bound',
    value: (report) => report.bubble.bound,
    show: (value) => (excludesSome(value) ? share(value) : '–'),
  },
  {
    name: 'peak',
    title: 'peak memory',
    best: 'least',
    value: (report) => fullest(report)?.peak ?? 0,
    show: (value, { unit_times: isUnit }) => memoryAmount(value, isUnit),
    detail: (report) => ` ${fullest(report)?.name ?? ''}${fits(report) ? '' : ' !'}`,
  },
  {
    name: 'mfu',
    title: 'MFU',
    best: 'most',
    value: (report) => report.model_flops?.utilisation,
    show: (value) => share(value),
  },
  {
    name: 'exposed_communication',
    title: 'exposed',
    best: 'least',
    value: exposedCommunication,
    show: (value) => share(value),
  },
  {
    name: 'exposed_transfers',
    title: 'transfers',
    best: 'least',
    value: exposedTransfers,
    show: (value) => share(value),
  },
  {
    name: 'exposed_gradients',
    title: 'gradients',
    best: 'least',
    value: exposedGradients,
    show: (value) => share(value),
  },
  {
    name: 'exposed_host',
    title: 'host copies',
    best: 'least',
    value: exposedHost,
    show: (value) => share(value),
  },
  {
    name: 'servers',
    title: 'servers',
    value: (report) => report.servers ?? 0,
    show: String,
  },
  {
    name: 'in_flight',
    title: 'held',
    value: (report) => most(report.devices.map((device) => device.in_flight)),
    show: String,
  },
  {
    name: 'in_flight_microbatches',
    title: 'in flight',
    best: 'least',
    value: (report) => most(report.devices.map(microbatchesInFlight)),
    show: inFlightText,
  },
  {
    name: 'versions',
    title: 'versions',
    best: 'least',
    value: (report) => most(report.stages.map((stage) => stage.versions)),
    show: String,
  },
  {
    name: 'staleness',
    title: 'staleness',
    best: 'least',
    value: (report) => most(report.stages.map((stage) => stage.staleness)),
    show: String,
  },
];

/**
 * Leaves out activations in units of each schedule. Leaves out weight versions if every row uses one, utilisation if no row has one, and
 * waits for gradients and for copies to hosts where there are none.
 */
export const columnsFor = (rows: readonly FileRow[]): readonly Column[] => {
  const asynchronous = rows.some(
    ({ result }) =>
      'report' in result && result.report.stages.some(({ versions, staleness }) => versions > 1 || staleness > 0),
  );
  const derived = rows.some(({ result }) => 'report' in result && result.report.model_flops !== undefined);
  const exchanged = rows.some(({ result }) => 'report' in result && excludesSome(exposedGradients(result.report)));
  const copied = rows.some(({ result }) => 'report' in result && excludesSome(exposedHost(result.report)));
  const varies = rows.some(({ result }) => 'report' in result && result.report.jitter !== undefined);
  const shown: Readonly<Record<string, boolean>> = {
    // Chunks and segments are of different sizes: only for programs that read it.
    in_flight: false,
    exposed_transfers: false,
    p50: varies,
    p95: varies,
    p99: varies,
    mfu: derived,
    exposed_gradients: exchanged,
    servers: rows.some(({ result }) => 'report' in result && (result.report.servers ?? 0) > 0),
    exposed_host: copied,
    versions: asynchronous,
    staleness: asynchronous,
  };
  return columns.filter(({ name }) => shown[name] !== false);
};

/**
 * The rows with the best value of a column: none where all are alike. Rows whose memory is too small, or that have no such figure,
 * are never best. What reads alike is alike.
 */
export function bestRows(rows: readonly FileRow[], { value, best, show, unit }: Column): ReadonlySet<FileRow> {
  const known = rows.flatMap((row) => {
    const report = 'report' in row.result ? row.result.report : undefined;
    const figure = report === undefined ? undefined : value(report);
    return report === undefined || figure === undefined ? [] : [{ row, figure, text: show(figure, report) }];
  });
  const able = known.filter(({ row }) => 'report' in row.result && fits(row.result.report));
  if (best === undefined || able.length === 0) return new Set();
  const unitOf = ({ result }: FileRow): string => ('report' in result ? (unit?.(result.report) ?? '') : '');
  if (known.some(({ row }) => unitOf(row) !== unitOf(known[0].row))) return new Set();
  const [record] = able.toSorted((one, other) => (best === 'least' ? 1 : -1) * (one.figure - other.figure));
  const readsAlike = ({ text }: { readonly text: string }): boolean => text === record.text;
  if (known.every(readsAlike)) return new Set();
  return new Set(able.filter(readsAlike).map(({ row }) => row));
}

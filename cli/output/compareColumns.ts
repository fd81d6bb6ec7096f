import { exposedCommunication } from '../../engine/analyze/shares.ts';
import type { PipelineReport } from '../../engine/report.ts';
import type { CompareRow } from '../../engine/compare.ts';
import { bytes, share, time } from '../../engine/quantities.ts';
import { fullest } from '../../engine/analyze/fullest.ts';

/** A row of `compare` with the file that it is of, as shown. */
export interface FileRow extends CompareRow {
  readonly file: string;
}

export interface Column {
  /** In csv. */
  readonly name: string;
  readonly title: string;
  value(report: PipelineReport): number;
  show(value: number): string;
  /** Behind the figure. */
  detail?(report: PipelineReport): string;
  /** Which value is best; absent where neither is. */
  readonly best?: 'least' | 'most';
}

/** Whether every device stays within its memory. */
export const fits = ({ devices }: PipelineReport): boolean => devices.every(({ peak, capacity }) => peak <= capacity);

const most = (values: readonly number[]): number => values.reduce((all, one) => Math.max(all, one), 0);

/** The figures that are compared, in order of weight. */
export const columns: readonly Column[] = [
  {
    name: 'iteration',
    title: 'iteration',
    best: 'least',
    value: (one) => one.iteration,
    show: (value) => time(value, 4),
  },
  {
    name: 'throughput',
    title: 'samples/s',
    best: 'most',
    value: (one) => one.throughput,
    show: (value) => String(Number(value.toPrecision(4))),
  },
  {
    name: 'bubble',
    title: 'bubble',
    best: 'least',
    value: (one) => one.bubble.makespan,
    show: (value) => share(value),
  },
  {
    name: 'span_bubble',
    title: 'span bubble',
    best: 'least',
    value: (one) => one.bubble.span,
    show: (value) => share(value),
  },
  { name: 'bound', title: 'bound', value: (one) => one.bubble.bound, show: (value) => share(value) },
  {
    name: 'peak',
    title: 'peak memory',
    best: 'least',
    value: (one) => fullest(one)?.peak ?? 0,
    show: (value) => bytes(value),
    detail: (one) => ` ${fullest(one)?.name ?? ''}${fits(one) ? '' : ' !'}`,
  },
  {
    name: 'mfu',
    title: 'MFU',
    best: 'most',
    value: (one) => one.model_flops?.utilisation ?? 0,
    show: (value) => (value > 0 ? share(value) : '–'),
  },
  {
    name: 'exposed_communication',
    title: 'exposed',
    best: 'least',
    value: (one) => exposedCommunication(one).share,
    show: (value) => share(value),
  },
  {
    name: 'in_flight',
    title: 'in flight',
    best: 'least',
    value: (one) => most(one.devices.map((device) => device.in_flight)),
    show: String,
  },
  {
    name: 'versions',
    title: 'versions',
    best: 'least',
    value: (one) => most(one.stages.map((stage) => stage.versions)),
    show: String,
  },
  {
    name: 'staleness',
    title: 'staleness',
    best: 'least',
    value: (one) => most(one.stages.map((stage) => stage.staleness)),
    show: String,
  },
];

/** Without those of weight versions where every row uses one version, and without utilisation where no row has one. */
export const columnsFor = (rows: readonly FileRow[]): readonly Column[] => {
  const asynchronous = rows.some(
    ({ result }) =>
      'report' in result && result.report.stages.some(({ versions, staleness }) => versions > 1 || staleness > 0),
  );
  const derived = rows.some(({ result }) => 'report' in result && result.report.model_flops !== undefined);
  return columns.filter(({ name }) =>
    name === 'mfu' ? derived : asynchronous || (name !== 'versions' && name !== 'staleness'),
  );
};

/**
 * The rows with the best value of a column: none where all are alike. Rows whose memory is too small are never best. What reads
 * alike is alike.
 */
export function bestRows(rows: readonly FileRow[], { value, best, show }: Column): ReadonlySet<FileRow> {
  const known = rows.flatMap((row) => ('report' in row.result ? [{ row, value: value(row.result.report) }] : []));
  const able = known.filter(({ row }) => 'report' in row.result && fits(row.result.report));
  if (best === undefined || able.length === 0) return new Set();
  const values = able.map((one) => one.value);
  const record = best === 'least' ? Math.min(...values) : Math.max(...values);
  const alike = (one: number): boolean => show(one) === show(record);
  if (known.every((one) => alike(one.value))) return new Set();
  return new Set(able.filter((one) => alike(one.value)).map(({ row }) => row));
}

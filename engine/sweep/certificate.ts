/** How sure the best row of a search is, in a sentence: what is claimed holds for all rows, searched or not. */
import { bytes, bytesApart, count, iterationTime, share, timeAtLeast } from '../basics/quantities.ts';
import type { Objective } from '../definitions/search.ts';
import type { Tighter } from './best.ts';
import { paceOf } from './front.ts';
import { batchWords } from './ownBatch.ts';
import type { FullRow } from './tally.ts';

interface CertifiedRow {
  readonly row: number;
  readonly iteration: number;
  readonly scaled?: number;
  readonly batch?: number;
  readonly peak: number;
  readonly tight?: number;
  readonly left?: number;
  readonly missed?: string;
  readonly over?: number;
}

interface Searched {
  readonly rows: number;
  readonly batch: number;
  /** Samples of an iteration that were asked for: rows may have numbers near it. */
  readonly batch_asked?: number;
  readonly unsearched: number;
  /** Seconds that no row is under which was not searched. */
  readonly unsearched_least?: number;
  readonly minimise: Objective;
  readonly limits: readonly string[];
  readonly margin?: number;
  readonly shares?: true;
  readonly least_full?: FullRow;
  readonly least_stored?: FullRow;
  readonly points: readonly CertifiedRow[];
}

export function certificateOf(
  searched: Searched,
  best: CertifiedRow | undefined,
  tighter: Tighter | undefined,
): string {
  const { rows, unsearched, shares } = searched;
  if (shares === true)
    return `${unsearched === 0 ? 'All' : `${(rows - unsearched).toLocaleString('en-US')} of the`} ${count(rows, 'row', 'rows')} of this part ${rows === 1 ? 'is' : 'are'} decided. Other parts may have better ones: merge the parts to see the front.`;
  return best === undefined
    ? noneText(searched)
    : `${claim(searched, best, tighter)}${ownBatchText(searched, best)}${tighter === undefined ? tightText(searched, best) : tighterText(tighter)}`;
}

const leftText = ({ unsearched }: Searched): string =>
  unsearched === 0 ? '' : `; ${count(unsearched, 'was', 'were')} not searched to the end`;

/** `tighter`: then the claim is of the rows that keep the margin. */
function claim(searched: Searched, { peak, ...best }: CertifiedRow, tighter: Tighter | undefined): string {
  const { rows, unsearched, unsearched_least: bound = 0, minimise, limits } = searched;
  const left = leftText(searched);
  const iteration = paceOf(best);
  const samples = samplesText(searched);
  const conditions = [
    'fits',
    ...(limits.length > 0 ? ['meets the limits'] : []),
    ...(tighter === undefined ? [] : [`keeps ${marginText(searched)} free`]),
  ];
  const met = conditions.join(', ');
  if (rows === 1)
    return `The only row ${conditions.join(' and ')}. It takes ${iterationTime(best.iteration)} and ${bytes(peak)}.`;
  if (minimise === 'peak_memory')
    return unsearched === 0
      ? `No other of the ${count(rows, 'row', 'rows')} ${met} and needs less than ${bytes(peak)}.`
      : `The least memory found is ${bytes(peak)}${left}.`;
  if (unsearched === 0 || bound >= iteration)
    return `No other of the ${count(rows, 'row', 'rows')} ${met} and can be under ${iterationTime(iteration)}${samples}${left}.`;
  const found = tighter === undefined ? 'row found' : `row found that keeps ${marginText(searched)} free`;
  // Rows that were not even planned have no bound.
  if (bound === 0)
    return `The fastest ${found} takes ${iterationTime(iteration)}${samples}. Faster ones may be among the others${left}.`;
  const keeps = tighter === undefined ? '' : `keeps ${marginText(searched)} free and `;
  return `The fastest ${found} takes ${iterationTime(iteration)}${samples}. No other of the ${count(rows, 'row', 'rows')} ${keeps}can be under ${timeAtLeast(bound, 4)}${left}.`;
}

/** Of rows that may differ in samples, times are for the number that most have. */
const samplesText = ({ batch, batch_asked: asked }: Searched): string =>
  asked === undefined ? '' : ` for ${count(batch, 'sample', 'samples')}`;

/** Of a best row that has other samples. */
const ownBatchText = ({ batch }: Searched, { row, iteration, batch: own }: CertifiedRow): string =>
  own === undefined
    ? ''
    : ` An iteration of row ${row} has ${batchWords(own, batch)}, and takes ${iterationTime(iteration)}.`;

/** Answers of earlier versions do not say the margin. */
const marginText = ({ margin }: Searched): string =>
  margin === undefined ? 'the margin of memory/headroom' : `${share(margin)} of each device`;

const tighterText = ({ row, faster, left }: Tighter): string =>
  ` Row ${row} is ${share(faster)} faster with ${bytes(left)} left: it may run out of memory.`;

/** Of a best row that does not keep the margin. */
function tightText(searched: Searched, { row, tight, left = 0 }: CertifiedRow): string {
  if (tight === undefined) return '';
  const leaves = ` Row ${row} leaves ${bytes(left)} and may run out of memory.`;
  if (searched.rows === 1) return leaves;
  const fits = searched.limits.length > 0 ? 'fits and meets the limits' : 'fits';
  const none = searched.unsearched === 0 ? `No row that ${fits}` : `No row was found that ${fits} and`;
  return ` ${none} keeps ${marginText(searched)} free.${leaves}`;
}

function noneText(searched: Searched): string {
  const { rows, unsearched, limits } = searched;
  const none = limits.length > 0 ? 'fits and meets the limits' : 'fits';
  const nearest = nearestText(searched);
  if (unsearched > 0) return `No row was found that ${none}${leftText(searched)}.${nearest}`;
  return rows === 1
    ? `The only row does not ${limits.length > 0 ? 'fit and meet the limits' : 'fit'}.${nearest}`
    : `None of the ${count(rows, 'row', 'rows')} ${none}.${nearest}`;
}

interface Nearest extends FullRow {
  readonly kind: 'ran' | 'full' | 'stored';
  readonly missed?: string;
}

/** The row that needs least memory, for a search that no row meets: of simulated rows if there are any, then of rows with an order. */
export function nearestOf({
  points,
  least_full: full,
  least_stored: stored,
}: Pick<Searched, 'points' | 'least_full' | 'least_stored'>): Nearest | undefined {
  const least = points.reduce<CertifiedRow | undefined>(
    (known, point) => (known === undefined || point.peak < known.peak ? point : known),
    undefined,
  );
  if (least !== undefined) return { kind: 'ran', ...least };
  if (full !== undefined) return { kind: 'full', ...full };
  return stored === undefined ? undefined : { kind: 'stored', ...stored };
}

/** That row, and the limit that it misses. */
function nearestText(searched: Searched): string {
  const nearest = nearestOf(searched);
  if (nearest === undefined) return '';
  const { kind, row, peak, missed, over } = nearest;
  const apart = over === undefined ? '' : `, ${bytesApart(over)} too much`;
  switch (kind) {
    case 'ran':
      return ` Row ${row} needs least memory: ${bytes(peak)}${missed === undefined ? '' : `; it misses ${missed}`}.`;
    case 'full':
      return ` Of the rows whose weights and optimizer state fit, row ${row} needs least memory: ${bytes(peak)}${apart}.`;
    case 'stored':
      return ` Weights, gradients and optimizer state alone do not fit. They are least in row ${row}: at least ${bytes(peak)}${apart}.`;
  }
}

/** A sweep: every row of the product, cheapest decisions first, down to the front of time and memory. */
import { isTight, roomOf } from '../analyze/room.ts';
import type { Axis } from '../definitions/search.ts';
import { rowCount, settingsOf } from './axes.ts';
import type { SweepBase } from './base.ts';
import { classOf, iterationOf, leastIteration, leastMemory, type RowWork, weightsOf } from './classBound.ts';
import type { Outcome } from './evaluateRow.ts';
import { writtenRow } from './changes.ts';
import { dominates, type Figures } from './front.ts';
import { rowsOfPause, waveRows } from './limits.ts';
import { type PlacedRow, placeRow } from './placeRow.ts';
import type { LeastBytes } from './storedBytes.ts';
import { createTally, type FullRow, mergedReasons, type RefusedRows, type SweepPoint, type Tally } from './tally.ts';

/** Part `index` of `of`, counted from 1: rows whose number has this remainder. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/**
 * Rows to look at next. They may be looked at in any order and on any thread: the answer is the same. No rows: some milliseconds of work
 * are done, and a host may answer requests before it goes on.
 */
export interface Wave {
  readonly rows: readonly number[];
  /** Figures of rows that meet all limits, so far. */
  readonly front: readonly Figures[];
  /** Rows of the product, or of its part. */
  readonly total: number;
  /** Rows of them that cannot be and come in no wave, as far as they are known. */
  readonly impossible: number;
  /** The row is the file as it is written: a search that has no time left looks at it, too. */
  readonly isWritten?: true;
  /** Rows that no placement has, by reason. Once, when all are known, in a wave without rows. */
  readonly unplaced?: readonly RefusedRows[];
  /** Rows that bounds have decided without a plan, in a wave without rows. */
  readonly bounded?: readonly BoundedRow[];
  /** Each row is the first of its class: a run that goes on after this one needs its work. */
  readonly isFirstOfClass?: true;
}

export interface BoundedRow {
  readonly row: number;
  readonly outcome: Extract<Outcome, { readonly kind: 'over' | 'dropped' }>;
}

/** What a wave gave, by row of the wave; `undefined` for rows that were not reached. `stop`: no further wave. */
export interface WaveAnswer {
  readonly outcomes: readonly (Outcome | undefined)[];
  readonly stop?: boolean;
}

/** Plain data, equal for equal requests. */
export interface SweepResult {
  /** Rows of the product, or of its part. */
  readonly rows: number;
  /** Every row that was simulated, in order; of a lean sweep only the front, and the row with the least peak. */
  readonly points: readonly SweepPoint[];
  /** Rows that were simulated. */
  readonly simulated: number;
  /** Rows that cannot be, by reason, most first. */
  readonly refused: readonly RefusedRows[];
  /** Rows whose weights, gradients, optimizer state and buffers alone do not fit. */
  readonly over: number;
  /** Rows whose orders need more memory than a device has. */
  readonly full: number;
  readonly leastFull?: FullRow;
  /** Of rows whose weights, gradients and optimizer state do not fit, the one in which these are least. */
  readonly leastStored?: FullRow;
  /** Rows that a bound shows to be worse in time and memory than another row. */
  readonly dropped: number;
  /** Rows that were not reached, and seconds that none of them can be under. */
  readonly unsearched: number;
  readonly unsearchedLeast?: number;
}

/** What an earlier run of the same sweep decided: these rows come in no wave. */
export interface Decided {
  /** Without rows that no placement has: these are placed again. */
  readonly tally: Tally;
  has(row: number): boolean;
  /** Of a row that was the first of its class. */
  workOf(row: number): RowWork | undefined;
}

export interface SweepRequest {
  readonly shard?: Shard;
  readonly decided?: Decided;
  /** Keeps only the rows of the front: there is room for any number of rows. */
  readonly isLean?: boolean;
}

/** Yields waves until all rows are decided, or the answer to a wave says to stop. */
export function* sweepSteps(
  base: SweepBase,
  axes: readonly Axis[],
  { shard: { index, of } = { index: 1, of: 1 }, decided, isLean = false }: SweepRequest = {},
): Generator<Wave, SweepResult, WaveAnswer> {
  const product = rowCount(axes);
  const total = partRows(product, { index, of });
  const tally = decided?.tally ?? createTally(axes);
  const placing = createTally(axes);
  const classes = new Map<string, { readonly rows: number[]; readonly weights: string }>();
  let rows = 0;
  let impossible = 0;
  let stopped = false;
  const written = writtenRow(base, axes);
  // Another part may have it.
  const first = written !== undefined && written % of === index - 1 ? written : undefined;
  const pause = function* (more: Pick<Wave, 'unplaced' | 'bounded'> = {}): Generator<Wave, void, WaveAnswer> {
    const { stop = false } = yield { rows: [], front: [], total, impossible, ...more };
    stopped ||= stop;
  };
  const points: SweepPoint[] = [];
  let unsearched = 0;
  let unsearchedLeast = Infinity;
  const miss = (bound = 0): void => {
    unsearched += 1;
    unsearchedLeast = Math.min(unsearchedLeast, bound);
  };
  const workOf = new Map<number, RowWork>();
  const isLeft = (row: number): boolean => decided?.has(row) !== true;
  /** `bounds`: seconds that these rows cannot be under; absent for the first rows of their classes. */
  const look = function* (wanted: readonly number[], bounds?: ArrayLike<number>): Generator<Wave, void, WaveAnswer> {
    for (let from = 0; from < wanted.length; from += waveRows) {
      const wave = wanted.slice(from, from + waveRows);
      if (stopped) {
        for (const at of wave.keys()) miss(bounds?.[from + at]);
        continue;
      }
      const isWritten = wave.length === 1 && wave[0] === first;
      const { outcomes, stop = false } = yield {
        rows: wave,
        front: tally.front,
        total,
        impossible,
        ...(isWritten ? { isWritten } : {}),
        ...(bounds === undefined ? { isFirstOfClass: true as const } : {}),
      };
      stopped ||= stop;
      for (const [at, row] of wave.entries()) {
        const outcome = outcomes[at];
        if (outcome === undefined) {
          miss(bounds?.[from + at]);
          continue;
        }
        if (outcome.kind === 'ran') {
          const point = { row, settings: settingsOf(axes, row), ...outcome.figures };
          tally.addRan(point);
          if (!isLean) points.push(point);
        } else tally.add(row, outcome);
        if (bounds === undefined && outcome.kind !== 'refused' && outcome.work !== undefined)
          workOf.set(row, outcome.work);
      }
    }
  };

  // A search that is stopped early has at least the file to compare with.
  if (first !== undefined && isLeft(first)) yield* look([first]);
  for (let row = index - 1; row < product; row += of) {
    rows += 1;
    if (rows % rowsOfPause === 0) yield* pause();
    const found = placeRow(base, axes, settingsOf(axes, row));
    if ('refused' in found) {
      placing.refuse(found.refused, row);
      impossible += 1;
      continue;
    }
    const key = classOf(found);
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { rows: [row], weights: weightsOf(found) });
    else if (row === first) known.rows.unshift(row);
    else known.rows.push(row);
  }

  yield* pause({ unplaced: placing.refused() });

  // One row of each class first: its work bounds the others. Of classes with the same weights only the first is looked at whatever it needs.
  const groups = [...classes.values()];
  const workIn = (row: number): RowWork | undefined => workOf.get(row) ?? decided?.workOf(row);
  const heads = new Map<string, number>();
  for (const { weights, rows: own } of groups) if (!heads.has(weights)) heads.set(weights, own[0]);
  const known = new Set([...heads.values(), ...(first === undefined ? [] : [first])]);
  yield* look([...heads.values()].filter((row) => row !== first && isLeft(row)));
  const firsts: { readonly row: number | undefined; readonly later: readonly number[] }[] = [];
  for (const { weights, rows: own } of groups) {
    const head = heads.get(weights);
    const work = head === undefined || own[0] === head ? undefined : workIn(head);
    const bounded: BoundedRow[] = [];
    let at = 0;
    for (; work !== undefined && at < own.length && own[at] !== first; at += 1) {
      const outcome = tooMuch(base, axes, own[at], work);
      if (outcome === undefined) break;
      if (isLeft(own[at])) bounded.push({ row: own[at], outcome });
    }
    for (const { row, outcome } of bounded) tally.add(row, outcome);
    if (bounded.length > 0) yield* pause({ bounded });
    firsts.push({ row: own[at], later: own.slice(at + 1) });
  }
  yield* look(firsts.flatMap(({ row }) => (row === undefined || known.has(row) || !isLeft(row) ? [] : [row])));
  const others: Other[] = [];
  for (const { row: planned, later } of firsts) {
    const work = planned === undefined ? undefined : workIn(planned);
    for (const row of later) {
      if (!isLeft(row)) continue;
      others.push(expectedOf(base, axes, row, work));
      if (others.length % rowsOfPause === 0) yield* pause();
    }
  }
  // The fastest ones that may fit first, as far as is known.
  others.sort((a, b) => a.turn - b.turn || a.expected - b.expected || a.row - b.row);
  for (let from = 0; from < others.length;) {
    const wave: Other[] = [];
    const bounded: BoundedRow[] = [];
    for (; from < others.length && wave.length < waveRows; from += 1) {
      const other = others[from];
      const known = stopped ? undefined : withoutPlan(base, other, tally.front);
      if (known === undefined) wave.push(other);
      else {
        tally.add(other.row, known);
        bounded.push({ row: other.row, outcome: known });
      }
    }
    if (bounded.length > 0) yield* pause({ bounded });
    yield* look(
      wave.map(({ row }) => row),
      wave.map(({ iteration }) => iteration),
    );
  }
  return {
    rows,
    points: isLean ? tally.points() : points.toSorted((a, b) => a.row - b.row),
    simulated: tally.ran,
    refused: mergedReasons(axes, [tally.refused(), placing.refused()]),
    over: tally.over,
    full: tally.full,
    ...(tally.leastFull === undefined ? {} : { leastFull: tally.leastFull }),
    ...(tally.leastStored === undefined ? {} : { leastStored: tally.leastStored }),
    dropped: tally.dropped,
    unsearched,
    ...(unsearched === 0 ? {} : { unsearchedLeast }),
  };
}

/** Rows of a part of a product. */
export const partRows = (product: number, { index, of }: Shard): number =>
  Math.max(0, Math.ceil((product - index + 1) / of));

/** A row that was not looked at yet. */
interface Other {
  readonly row: number;
  /** 0: its memory may fit; 1: it hardly does. */
  readonly turn: number;
  /** Seconds, about. */
  readonly expected: number;
  /** Seconds and bytes that it cannot be under; 0 if nothing is known. */
  readonly iteration: number;
  readonly memory: LeastBytes;
}

const nothingKnown = { turn: 0, expected: 0, iteration: 0, memory: { state: 0, peak: 0 } } as const;

function expectedOf(base: SweepBase, axes: readonly Axis[], row: number, work: RowWork | undefined): Other {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed || work === undefined) return { row, ...nothingKnown };
  const memory = leastMemory(base, placed, work);
  return {
    row,
    turn: expectedPeak(placed, memory) > (base.capacity ?? Infinity) ? 1 : 0,
    expected: iterationOf(base, placed, work.all),
    iteration: leastIteration(base, placed, work),
    memory,
  };
}

/** A row whose weights, gradients and optimizer state alone do not fit, by what a row with the same weights keeps. */
function tooMuch(
  base: SweepBase,
  axes: readonly Axis[],
  row: number,
  work: RowWork,
): Extract<Outcome, { readonly kind: 'over' }> | undefined {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed || base.memory === undefined) return undefined;
  const { state } = leastMemory(base, placed, work);
  return state > base.memory ? { kind: 'over', least: state, capacity: base.memory } : undefined;
}

/** The first of p devices holds p microbatches of its stages, or all that there are. */
const expectedPeak = ({ ranks, microbatches }: PlacedRow, { state, peak }: LeastBytes): number =>
  state + (peak - state) * Math.min(ranks, microbatches);

/** What becomes of a row, if bounds say it. */
function withoutPlan(
  { memory: most = Infinity, capacity, margin }: SweepBase,
  { iteration, memory: { state, peak } }: Other,
  front: readonly Figures[],
): BoundedRow['outcome'] | undefined {
  if (state > most) return { kind: 'over', least: state, capacity: most };
  const room = capacity === undefined ? undefined : roomOf({ peak, capacity });
  const isBoundTight = room !== undefined && isTight(room, margin);
  const least = { iteration, peak, ...(isBoundTight ? { tight: room.share } : {}) };
  return front.some((known) => dominates(known, least)) ? { kind: 'dropped' } : undefined;
}

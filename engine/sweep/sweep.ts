/** A sweep: every row of the product, cheapest decisions first, down to the front of time and memory. */
import type { Axis } from '../definitions/search.ts';
import { rowCount, type Settings, settingsOf } from './axes.ts';
import type { SweepBase } from './base.ts';
import { classOf, iterationOf, leastIteration, type RowWork } from './classBound.ts';
import type { Outcome, RowFigures } from './evaluateRow.ts';
import { writtenRow } from './changes.ts';
import { type Figures, frontOf } from './front.ts';
import { rowsOfPause, waveRows } from './limits.ts';
import { placeRow } from './placeRow.ts';

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
}

/** What a wave gave, by row of the wave; `undefined` for rows that were not reached. `stop`: no further wave. */
export interface WaveAnswer {
  readonly outcomes: readonly (Outcome | undefined)[];
  readonly stop?: boolean;
}

export interface SweepPoint extends RowFigures {
  /** Number of the row in the product. */
  readonly row: number;
  readonly settings: Settings;
}

export interface RefusedRows {
  readonly reason: string;
  readonly rows: number;
  /** Settings of the first of them. */
  readonly example: Settings;
}

/** Plain data, equal for equal requests. */
export interface SweepResult {
  /** Rows of the product, or of its part. */
  readonly rows: number;
  /** Every row that was simulated, in order. */
  readonly points: readonly SweepPoint[];
  /** Rows that cannot be, by reason, most first. */
  readonly refused: readonly RefusedRows[];
  /** Rows whose weights, gradients, optimizer state and buffers alone do not fit. */
  readonly over: number;
  /** Rows that a bound shows to be worse in time and memory than another row. */
  readonly dropped: number;
  /** Rows that were not reached, and seconds that none of them can be under. */
  readonly unsearched: number;
  readonly unsearchedLeast?: number;
}

/** Yields waves until all rows are decided, or the answer to a wave says to stop. */
export function* sweepSteps(
  base: SweepBase,
  axes: readonly Axis[],
  { index, of }: Shard = { index: 1, of: 1 },
): Generator<Wave, SweepResult, WaveAnswer> {
  const product = rowCount(axes);
  const total = Math.max(0, Math.ceil((product - index + 1) / of));
  const refused = new Map<string, { rows: number; first: number }>();
  const refuse = (reason: string, row: number): void => {
    const known = refused.get(reason) ?? { rows: 0, first: row };
    refused.set(reason, { rows: known.rows + 1, first: Math.min(known.first, row) });
  };
  const classes = new Map<string, { readonly rows: number[] }>();
  let rows = 0;
  let impossible = 0;
  let stopped = false;
  const written = writtenRow(base, axes);
  // Another part may have it.
  const first = written !== undefined && written % of === index - 1 ? written : undefined;
  const pause = function* (): Generator<Wave, void, WaveAnswer> {
    const { stop = false } = yield { rows: [], front: [], total, impossible };
    stopped ||= stop;
  };
  const points: SweepPoint[] = [];
  let front: readonly SweepPoint[] = [];
  let over = 0;
  let dropped = 0;
  const unsearched: number[] = [];
  const workOf = new Map<number, RowWork>();
  const look = function* (wanted: readonly number[]): Generator<Wave, void, WaveAnswer> {
    for (let from = 0; from < wanted.length; from += waveRows) {
      const wave = wanted.slice(from, from + waveRows);
      if (stopped) {
        unsearched.push(...wave);
        continue;
      }
      const isWritten = wave.length === 1 && wave[0] === first;
      const { outcomes, stop = false } = yield {
        rows: wave,
        front,
        total,
        impossible,
        ...(isWritten ? { isWritten } : {}),
      };
      stopped ||= stop;
      const known = points.length;
      for (const [at, row] of wave.entries()) {
        const outcome = outcomes[at];
        if (outcome === undefined) unsearched.push(row);
        else if (outcome.kind === 'refused')
          refuse(outcome.code === 'search/refused' ? outcome.message : `${outcome.code}: ${outcome.message}`, row);
        else if (outcome.kind === 'over') over += 1;
        else if (outcome.kind === 'dropped') dropped += 1;
        else points.push({ row, settings: settingsOf(axes, row), ...outcome.figures });
        if (outcome !== undefined && outcome.kind !== 'refused' && outcome.work !== undefined)
          workOf.set(row, outcome.work);
      }
      front = frontOf([...front, ...points.slice(known).filter(({ meets }) => meets)]);
    }
  };

  // A search that is stopped early has at least the file to compare with.
  if (first !== undefined) yield* look([first]);
  for (let row = index - 1; row < product; row += of) {
    rows += 1;
    if (rows % rowsOfPause === 0) yield* pause();
    const found = placeRow(base, axes, settingsOf(axes, row));
    if ('refused' in found) {
      refuse(found.refused, row);
      impossible += 1;
      continue;
    }
    const key = classOf(found);
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { rows: [row] });
    else if (row === first) known.rows.unshift(row);
    else known.rows.push(row);
  }

  // One row of each class first: its work bounds the others.
  const groups = [...classes.values()];
  yield* look(groups.map((group) => group.rows[0]).filter((row) => row !== first));
  const others: { readonly row: number; readonly expected: number }[] = [];
  const least = new Map<number, number>();
  for (const group of groups) {
    const work = workOf.get(group.rows[0]);
    for (const row of group.rows.slice(1)) {
      const placed = placeRow(base, axes, settingsOf(axes, row));
      const isBounded = !('refused' in placed) && work !== undefined;
      others.push({ row, expected: isBounded ? iterationOf(base, placed, work.all) : 0 });
      if (isBounded) least.set(row, leastIteration(base, placed, work));
      if (others.length % rowsOfPause === 0) yield* pause();
    }
  }
  // The fastest ones first, as far as is known.
  yield* look(others.toSorted((a, b) => a.expected - b.expected || a.row - b.row).map(({ row }) => row));
  return {
    rows,
    points: points.toSorted((a, b) => a.row - b.row),
    refused: [...refused]
      .map(([reason, known]) => ({ reason, rows: known.rows, example: settingsOf(axes, known.first) }))
      .toSorted((a, b) => b.rows - a.rows || (a.reason < b.reason ? -1 : 1)),
    over,
    dropped,
    unsearched: unsearched.length,
    ...(unsearched.length === 0
      ? {}
      : { unsearchedLeast: unsearched.reduce((known, row) => Math.min(known, least.get(row) ?? 0), Infinity) }),
  };
}

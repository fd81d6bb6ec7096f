/** How many rows of a sweep ran, were dropped or were refused, and the front: it needs no more room for more rows. */
import type { Axis } from '../definitions/search.ts';
import { rowOf, type Settings, settingsOf } from './axes.ts';
import type { Outcome, RowFigures } from './evaluateRow.ts';
import { dominates, frontOf } from './front.ts';

/** A row that was simulated. */
export interface SweepPoint extends RowFigures {
  /** Number of the row in the product. */
  readonly row: number;
  readonly settings: Settings;
}

export interface FullRow {
  readonly row: number;
  readonly peak: number;
  /** Bytes that are too much; absent in answers of earlier versions. */
  readonly over?: number;
}

export interface RefusedRows {
  readonly reason: string;
  readonly rows: number;
  /** Settings of the first of them. */
  readonly example: Settings;
}

export interface Tally<Point extends SweepPoint = SweepPoint> {
  /** Rows that were simulated. */
  readonly ran: number;
  /** Rows whose weights, gradients, optimizer state and buffers alone do not fit. */
  readonly over: number;
  /** Rows whose orders need more memory than a device has. */
  readonly full: number;
  /** Of these, the one that needs least; bytes. */
  readonly leastFull: FullRow | undefined;
  /** Of rows without room for weights, gradients and optimizer state, the one in which these are least; at least as many bytes. */
  readonly leastStored: FullRow | undefined;
  /** Rows that a bound shows to be worse in time and memory than another row. */
  readonly dropped: number;
  /** Rows that meet all limits and of which no other is better, fastest first. */
  readonly front: readonly Point[];
  /** The front and the row with the least peak, whatever that misses; in order of their numbers. */
  points(): readonly Point[];
  /** A row cannot be; `reason` is shared by many. */
  refuse(reason: string, row: number): void;
  /** A row that was not simulated. */
  add(row: number, outcome: Exclude<Outcome, { readonly kind: 'ran' }>): void;
  addRan(point: Point): void;
  /** Rows that cannot be, by reason, most first. */
  refused(): readonly RefusedRows[];
}

export function createTally<Point extends SweepPoint = SweepPoint>(axes: readonly Axis[]): Tally<Point> {
  const reasons = new Map<string, { rows: number; first: number }>();
  let [ran, over, full, dropped] = [0, 0, 0, 0];
  let leastFull: FullRow | undefined;
  let leastStored: FullRow | undefined;
  let front: readonly Point[] = [];
  let smallest: Point | undefined;
  const refuse = (reason: string, row: number): void => {
    const known = reasons.get(reason) ?? { rows: 0, first: row };
    reasons.set(reason, { rows: known.rows + 1, first: Math.min(known.first, row) });
  };
  return {
    get ran() {
      return ran;
    },
    get over() {
      return over;
    },
    get full() {
      return full;
    },
    get leastFull() {
      return leastFull;
    },
    get leastStored() {
      return leastStored;
    },
    get dropped() {
      return dropped;
    },
    get front() {
      return front;
    },
    points: () =>
      inOrder(smallest === undefined || front.some(({ row }) => row === smallest?.row) ? front : [...front, smallest]),
    refuse,
    add(row, outcome) {
      if (outcome.kind === 'over') {
        over += 1;
        const { least, capacity } = outcome;
        leastStored = lesser(leastStored, { row, peak: least, over: least - capacity });
      } else if (outcome.kind === 'full') {
        full += 1;
        leastFull = lesser(leastFull, { row, peak: outcome.peak, over: outcome.over });
      } else if (outcome.kind === 'dropped') dropped += 1;
      else refuse(outcome.code === 'search/refused' ? outcome.message : `${outcome.code}: ${outcome.message}`, row);
    },
    addRan(point) {
      ran += 1;
      const { row, peak, meets } = point;
      if (smallest === undefined || peak < smallest.peak || (peak === smallest.peak && row < smallest.row))
        smallest = point;
      // Of equal rows the first one is on the front.
      if (meets && !front.some((other) => dominates(other, point))) front = frontOf(inOrder([...front, point]));
    },
    refused: () =>
      byRows([...reasons].map(([reason, { rows, first }]) => ({ reason, rows, example: settingsOf(axes, first) }))),
  };
}

/** The one that needs less; of equal ones the first row. */
export const lesser = (one: FullRow | undefined, other: FullRow): FullRow =>
  one === undefined || other.peak < one.peak || (other.peak === one.peak && other.row < one.row) ? other : one;

const inOrder = <Point extends SweepPoint>(points: readonly Point[]): readonly Point[] =>
  points.toSorted((a, b) => a.row - b.row);

/** Rows that cannot be, of several parts of a sweep: by reason, most first. */
export function mergedReasons(
  axes: readonly Axis[],
  parts: readonly (readonly RefusedRows[])[],
): readonly RefusedRows[] {
  const known = new Map<string, { rows: number; example: Settings }>();
  for (const { reason, rows, example } of parts.flat()) {
    const found = known.get(reason);
    if (found === undefined) {
      known.set(reason, { rows, example });
      continue;
    }
    found.rows += rows;
    if (rowOf(axes, example) < rowOf(axes, found.example)) found.example = example;
  }
  return byRows([...known].map(([reason, { rows, example }]) => ({ reason, rows, example })));
}

const byRows = (refused: readonly RefusedRows[]): readonly RefusedRows[] =>
  refused.toSorted((a, b) => b.rows - a.rows || (a.reason < b.reason ? -1 : 1));

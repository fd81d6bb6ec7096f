import { operationColours } from '../../engine/values/program.ts';

/** What a stretch of time is spent on: index into every palette. */
export const paintKinds = [
  'forward',
  'backwardInput',
  'backwardWeight',
  'recompute',
  'transfer',
  'collective',
  'optimizer',
  'other',
  'operation1',
  'operation2',
  'operation3',
  'operation4',
  'operation5',
  'operation6',
] as const;
export type PaintKind = (typeof paintKinds)[number];
export const kindForward = 0;
export const kindInput = 1;
export const kindWeight = 2;
export const kindRecompute = 3;
export const kindTransfer = 4;
export const kindCollective = 5;
export const kindOptimizer = 6;
/** Work of a fill job: it has no blocks. */
export const kindFill = 7;
/** Kind of the operations that a schedule declares, by their number there. */
export const kindOfDeclared = (declared: number): number => 8 + (declared % operationColours);
/** How many declared operations before it have the same colour: their marks differ. */
export const marksOfDeclared = (declared: number): number => Math.trunc(declared / operationColours);

/** Words of blocks that are no operations. */
export const syncWord = -1;
export const optimizerWord = -2;

/**
 * The timeline as rows of blocks, one row a device, sorted by start; row r has `offsets[r]` to `offsets[r + 1]`.
 * A block is an operation, or a device's synchronisation or optimizer step at the end. Seconds. 20 bytes a block.
 */
export interface Columns {
  readonly rows: number;
  readonly offsets: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** `row << shift | microbatch` as in the program; negative: `syncWord`, `optimizerWord`. */
  readonly word: Int32Array;
  /** 1: shares its slot with the next block; 2: with the one before. Absent where nothing is fused. */
  readonly pair?: Uint8Array;
  readonly parts: Parts;
  /** Only of asynchronous timelines. */
  readonly versions?: BlockVersions;
  readonly shift: number;
  readonly stages: number;
  readonly microbatches: number;
  /** Names of the operations that the schedule declares; absent for none. */
  readonly declared?: readonly string[];
  /** The last end of any block. */
  readonly makespan: number;
  /** Only if iterations follow without a barrier, and repeat: seconds from one to the next. */
  readonly period?: number;
  /** The end of the picture, if that is after the last block: the next iteration, and what lanes still carry. */
  readonly horizon?: number;
}

/** Seconds that the picture shows. */
export const horizonOf = ({ horizon, makespan }: Columns): number => horizon ?? makespan;

/** Seconds of an iteration: figures are shares of it. */
export const iterationOf = ({ period, makespan }: Columns): number => period ?? makespan;

/** When a row's idle time before its first block begins: with the end of the iteration before, if that is in the picture. */
export const idleFrom = ({ period, offsets, end }: Columns, row: number): number =>
  period === undefined || offsets[row] === offsets[row + 1] ? 0 : Math.max(0, end[offsets[row + 1] - 1] - period);

/** When a row's idle time after its last block ends: with the next iteration, or with the picture. */
export const idleUntil = ({ period, offsets, start, makespan }: Columns, row: number): number =>
  period === undefined ? makespan : offsets[row] === offsets[row + 1] ? period : start[offsets[row]] + period;

/** Weight versions of an asynchronous timeline, by stage × microbatches + microbatch; −1 for none. See `engine/simulate/versions.ts`. */
interface BlockVersions {
  /** What F reads. */
  readonly read: Int32Array;
  /** What the backward and its parts use. */
  readonly used: Int32Array;
  /** What the update with this gradient makes. */
  readonly made: Int32Array;
  /** By stage of the program: the stage whose update makes its versions; of parts of a sequence the first part. */
  readonly home: Int32Array;
}

/** How a block divides, by program row (kind × stages + stage): recomputation, then `main` up to `weight`, then weight gradient. Shares of the block. */
export interface Parts {
  readonly main: Uint8Array;
  readonly recompute: Float64Array;
  readonly weight: Float64Array;
}

/** First block of the row that ends after `time`. */
export function firstEndingAfter(columns: Columns, row: number, time: number): number {
  let low = columns.offsets[row];
  let high = columns.offsets[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** First block of the row that starts at or after `time`. */
export function firstStartingFrom(columns: Columns, row: number, time: number): number {
  let low = columns.offsets[row];
  let high = columns.offsets[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.start[middle] >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Block of row `row` that holds `time` (its start is in, its end is out), or −1. `lower`: the second of two that share a slot. */
export function hit(columns: Columns, time: number, row: number, lower = false): number {
  if (row < 0 || row >= columns.rows) return -1;
  const found = firstEndingAfter(columns, row, time);
  if (found >= columns.offsets[row + 1] || columns.start[found] > time) return -1;
  if (columns.pair === undefined) return found;
  if (lower && columns.pair[found] === 1) return found + 1;
  if (!lower && columns.pair[found] === 2) return found - 1;
  return found;
}

import type { Columns } from '../picture/columns.ts';
import type { Colouring } from './colouring.ts';
import { cover } from './coverage.ts';

/**
 * Shares of time at every coarser scale, for timelines with too many blocks to look at each for a frame. A bin has a byte for each
 * slot of the colouring: its share of the bin in 255ths. Level k of `groups` has one row for 2^k devices: the mean of them.
 */
export interface Pyramid {
  readonly span: number;
  readonly colouring: Colouring;
  readonly groups: readonly RowLevel[];
}
export interface RowLevel {
  readonly rows: number;
  /** Finest first; each has half the bins of the one before. */
  readonly levels: readonly TimeLevel[];
}
export interface TimeLevel {
  readonly bins: number;
  /** `rows × bins × slots`. */
  readonly data: Uint8Array;
}

const fewestBins = 64;
/** Groups of devices have coarser bins, but no fewer than about the pixels of a screen. */
const groupBins = 2048;
const coarser = 4;

/** O(blocks + bins × slots); at most 3 bytes a block and slot, since rows have at most a bin a block. */
export function buildPyramid(columns: Columns, colouring: Colouring): Pyramid {
  const { rows, makespan } = columns;
  if (rows === 0 || !(makespan > 0)) return { span: 0, colouring, groups: [] };
  const finest = binsFor(columns);
  const grouped = Math.min(finest, Math.max(groupBins, finest / coarser));
  const stride = colouring.used.length;
  const groups: RowLevel[] = [];
  for (let count = rows, k = 0; ; count = Math.ceil(count / 2), k += 1) {
    groups.push(emptyLevel(count, k === 0 ? finest : grouped, stride));
    if (count <= 1) break;
  }
  const coverage = new Float32Array(finest * stride);
  const mean = new Float32Array(groups.length > 1 ? grouped * stride : 0);
  // One sum for each level of groups, to which rows of the level below are added until the group is complete.
  const sums = groups.map((_, k) => new Float32Array(k === 0 ? 0 : grouped * stride));
  const bins = { from: 0, perSecond: finest / makespan, count: finest };
  for (let row = 0; row < rows; row += 1) {
    coverage.fill(0);
    cover(columns, columns.offsets[row], columns.offsets[row + 1], bins, colouring, 1, coverage);
    emitAll(groups[0], row, coverage, stride, finest, grouped, sums[1]);
    for (let k = 1; k < groups.length; k += 1) {
      const complete = ((row + 1) & ((1 << k) - 1)) === 0;
      if (!complete && row !== rows - 1) break;
      const index = row >> k;
      const sum = sums[k];
      // The last group may have fewer rows.
      const members = Math.min(1 << k, rows - (index << k));
      const above = sums[k + 1];
      for (let at = 0; at < sum.length; at += 1) {
        mean[at] = sum[at] / members;
        if (above !== undefined) above[at] += sum[at];
      }
      emitAll(groups[k], index, mean, stride);
      sum.fill(0);
    }
  }
  return { span: makespan, colouring, groups };
}

/** A power of two, at most the blocks of an average row. */
function binsFor({ word, rows }: Columns): number {
  const mean = word.length / rows;
  return Math.max(fewestBins, Math.min(1 << 20, 1 << Math.floor(Math.log2(Math.max(1, mean)))));
}

function emptyLevel(rows: number, finest: number, stride: number): RowLevel {
  const levels: TimeLevel[] = [];
  for (let bins = finest; bins >= fewestBins; bins >>= 1)
    levels.push({ bins, data: new Uint8Array(rows * bins * stride) });
  return { rows, levels };
}

/** Writes one row of every level, and adds the coverage at `sumBins` bins to `sum`. Changes `coverage`. */
function emitAll(
  { levels }: RowLevel,
  row: number,
  coverage: Float32Array,
  stride: number,
  finest = levels[0].bins,
  sumBins = 0,
  sum?: Float32Array,
): void {
  for (const { bins, data } of levels) {
    if (bins !== finest) halve(coverage, bins, stride);
    if (sum !== undefined && bins === sumBins) for (let at = 0; at < bins * stride; at += 1) sum[at] += coverage[at];
    const offset = row * bins * stride;
    for (let at = 0; at < bins * stride; at += 1) data[offset + at] = Math.min(255, coverage[at] * 255 + 0.5);
  }
}

/** In place: bin b becomes the mean of 2b and 2b + 1. */
function halve(coverage: Float32Array, bins: number, stride: number): void {
  for (let bin = 0; bin < bins; bin += 1) {
    for (let slot = 0; slot < stride; slot += 1) {
      coverage[bin * stride + slot] = (coverage[2 * bin * stride + slot] + coverage[(2 * bin + 1) * stride + slot]) / 2;
    }
  }
}

import type { Columns } from '../picture/columns.ts';
import { kindCollective, kindOptimizer, kindRecompute, kindWeight, syncWord } from '../picture/columns.ts';

/**
 * The timeline at every coarser scale. A bin is a byte: kind in the upper three bits, busy share in 31sts in the lower five.
 * The kind is chosen by error diffusion along the row, so that proportions of kinds survive where a bin holds many blocks.
 * Level 0 of `groups` has one row a device; level k has one row for 2^k devices, for when rows are thinner than a pixel.
 */
export interface Pyramid {
  readonly span: number;
  readonly groups: readonly RowLevel[];
}
export interface RowLevel {
  readonly rows: number;
  /** Finest first; each has half the bins of the one before. */
  readonly levels: readonly TimeLevel[];
}
export interface TimeLevel {
  readonly bins: number;
  /** `rows × bins`. */
  readonly data: Uint8Array;
}

const groupBins = 2048;
const fewestBins = 64;
const cheapBins = 1 << 23;

/** O(blocks + bins); about two to four bins a block. */
export function buildPyramid(columns: Columns): Pyramid {
  const { rows, makespan } = columns;
  if (rows === 0 || !(makespan > 0)) return { span: 0, groups: [] };
  const finest = binsFor(columns);
  const { slots, used } = usedKinds(columns);
  const kinds = used.length;
  const groups: RowLevel[] = [];
  for (let count = rows, k = 0; ; count = Math.ceil(count / 2), k += 1) {
    groups.push(emptyLevel(count, k === 0 ? finest : Math.min(finest, groupBins)));
    if (count <= 1) break;
  }
  const coverage = new Float32Array(finest * kinds);
  // One waiting sum for each group level: what two rows of the level below add up to.
  const sums = groups.map((_, k) => new Float32Array(k === 0 ? 0 : Math.min(finest, groupBins) * kinds));
  for (let row = 0; row < rows; row += 1) {
    coverage.fill(0);
    cover(columns, row, finest, coverage, slots, kinds);
    const coarse = emitAll(groups[0], row, coverage, finest, used);
    let carry: Float32Array = coarse;
    for (let k = 1; k < groups.length; k += 1) {
      const index = row >> k;
      const sum = sums[k];
      for (let i = 0; i < sum.length; i += 1) sum[i] += carry[i];
      const complete = ((row + 1) & ((1 << k) - 1)) === 0;
      if (!complete && row !== rows - 1) break;
      // The last group may hold fewer rows; its busy share is of those it holds.
      const members = Math.min(1 << k, rows - (index << k));
      const mean = sum.map((value) => value / members);
      emitAll(groups[k], index, mean, Math.min(finest, groupBins), used);
      carry = sum.slice();
      sum.fill(0);
    }
  }
  return { span: makespan, groups };
}

/** A power of two, at least twice the blocks of an average row, and no fewer than pixels across a screen while that is cheap. */
function binsFor(columns: Columns): number {
  const mean = columns.word.length / Math.max(1, columns.rows);
  const screen = Math.min(groupBins, cheapBins / Math.max(1, columns.rows));
  const wanted = Math.max(fewestBins, screen, Math.min(1 << 20, 2 * mean));
  return 1 << Math.ceil(Math.log2(wanted));
}

function emptyLevel(rows: number, finest: number): RowLevel {
  const levels: TimeLevel[] = [];
  for (let bins = finest; bins >= fewestBins; bins >>= 1) levels.push({ bins, data: new Uint8Array(rows * bins) });
  return { rows, levels };
}

/** The kinds that occur, and the index of each among them: coverage is kept for these only. */
function usedKinds({ parts, word, offsets }: Columns): { readonly slots: Int32Array; readonly used: Uint8Array } {
  const seen = new Set<number>([...parts.main, kindWeight]);
  if (parts.recompute.some((share) => share > 0)) seen.add(kindRecompute);
  for (let row = 0; row + 1 < offsets.length; row += 1) {
    for (let block = Math.max(offsets[row], offsets[row + 1] - 2); block < offsets[row + 1]; block += 1) {
      if (word[block] < 0) seen.add(word[block] === syncWord ? kindCollective : kindOptimizer);
    }
  }
  const used = Uint8Array.from(seen).sort();
  const slots = new Int32Array(8).fill(-1);
  used.forEach((kind, slot) => (slots[kind] = slot));
  return { slots, used };
}

/** Adds the share of each bin that each kind covers: `bins × kinds`. */
function cover(
  columns: Columns,
  row: number,
  bins: number,
  coverage: Float32Array,
  slots: Int32Array,
  kinds: number,
): void {
  const { start, end, word, parts, shift, pair } = columns;
  const scale = bins / columns.makespan;
  for (let i = columns.offsets[row]; i < columns.offsets[row + 1]; i += 1) {
    const from = start[i] * scale;
    const to = end[i] * scale;
    const share = pair !== undefined && pair[i] !== 0 ? 0.5 : 1;
    const code = word[i];
    if (code < 0) {
      add(coverage, bins, from, to, slots[code === syncWord ? kindCollective : kindOptimizer], kinds, share);
      continue;
    }
    const programRow = code >> shift;
    const recompute = from + (to - from) * parts.recompute[programRow];
    const weight = from + (to - from) * parts.weight[programRow];
    if (recompute > from) add(coverage, bins, from, recompute, slots[kindRecompute], kinds, share);
    add(coverage, bins, recompute, weight, slots[parts.main[programRow]], kinds, share);
    if (weight < to) add(coverage, bins, weight, to, slots[kindWeight], kinds, share);
  }
}

function add(
  coverage: Float32Array,
  bins: number,
  from: number,
  to: number,
  kind: number,
  kinds: number,
  share: number,
): void {
  if (!(to > from)) return;
  const first = Math.min(bins - 1, Math.floor(from));
  const last = Math.min(bins - 1, Math.floor(to));
  if (first === last) {
    coverage[first * kinds + kind] += (to - from) * share;
    return;
  }
  coverage[first * kinds + kind] += (first + 1 - from) * share;
  for (let bin = first + 1; bin < last; bin += 1) coverage[bin * kinds + kind] += share;
  coverage[last * kinds + kind] += (to - last) * share;
}

/** Writes one row of every time level; returns the coverage at the bins of the group levels. Changes `coverage`. */
function emitAll(level: RowLevel, row: number, coverage: Float32Array, finest: number, used: Uint8Array): Float32Array {
  const kinds = used.length;
  let coarse: Float32Array | undefined = finest <= groupBins ? coverage.slice() : undefined;
  let current = coverage;
  for (const { bins, data } of level.levels) {
    if (bins !== finest) current = halve(current, bins, kinds);
    if (bins === groupBins && coarse === undefined) coarse = current.slice(0, bins * kinds);
    emit(current, bins, data, row * bins, used);
  }
  return coarse ?? current;
}

/** In place: bin b becomes the mean of 2b and 2b + 1. */
function halve(coverage: Float32Array, bins: number, kinds: number): Float32Array {
  for (let bin = 0; bin < bins; bin += 1) {
    for (let kind = 0; kind < kinds; kind += 1) {
      coverage[bin * kinds + kind] = (coverage[2 * bin * kinds + kind] + coverage[(2 * bin + 1) * kinds + kind]) / 2;
    }
  }
  return coverage;
}

function emit(coverage: Float32Array, bins: number, out: Uint8Array, offset: number, used: Uint8Array): void {
  const kinds = used.length;
  const debt = new Float64Array(kinds);
  for (let bin = 0; bin < bins; bin += 1) {
    let total = 0;
    let best = 0;
    for (let kind = 0; kind < kinds; kind += 1) {
      const part = coverage[bin * kinds + kind];
      total += part;
      debt[kind] += part;
      if (debt[kind] > debt[best]) best = kind;
    }
    if (total <= 0) continue;
    debt[best] -= total;
    out[offset + bin] = (used[best] << 5) | Math.max(1, Math.min(31, Math.round(total * 31)));
  }
}

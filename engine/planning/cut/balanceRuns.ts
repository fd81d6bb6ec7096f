/**
 * The best cut of layers in one order where the time of a stage is no sum over its layers, since it recomputes some of them. Exact:
 * the slowest stage is as fast as any cut can make it. Among such cuts the sum of squared times is least, and among these earlier
 * stages are the smaller ones. Stages may be on devices of different kinds. A test compares it with all cuts.
 *
 * Seconds are rounded to 2^-50 of their sum, so that equal layers have equal sums wherever they are; for the sum of squares to 2^-26.
 */
import type { SomeLayers } from '../../costs/recompute.ts';
import { type RunSeconds, runSeconds } from './stageRuns.ts';

export interface RunsToCut {
  readonly some: SomeLayers;
  /** By position: 1 for a block: a layer that can be recomputed. */
  readonly blocks: Uint8Array;
  /** Kinds of devices: seconds of each layer, and by how much it takes longer if it is recomputed. */
  readonly rows: readonly { readonly times: Float64Array; readonly again: Float64Array }[];
  /** Row of each stage. */
  readonly kinds: ArrayLike<number>;
}

/** Runs that are looked at for the sum of squares; above that, the slowest stage alone is exact. */
const evenLimit = 50_000_000;

/** First position of each stage. No stage is empty; there are at least as many layers as stages. */
export function balanceRuns(cut: RunsToCut): Int32Array {
  const count = cut.blocks.length;
  const kinds = Array.from(cut.kinds);
  const whole = wholeRuns(cut, 50);
  let low = 0;
  // All layers and all that they may recompute. One stage of all layers may take less: it recomputes fewer than many stages do.
  let high = 2 ** 50 + 2 * count;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (endsWithin(whole, kinds, count, middle) === undefined) low = middle + 1;
    else high = middle;
  }
  // Cuts that differ by rounding alone are equally fast: each layer is rounded twice.
  const ends = endsWithin(whole, kinds, count, high + 2 * count);
  if (ends === undefined) return Int32Array.from(kinds, (_, stage) => stage);
  const runs = kinds.reduce(
    (sum, kind) => sum + ends.reaches[kind].reduce((all, reach, from) => all + reach - from, 0),
    0,
  );
  return runs > evenLimit ? lastOf(ends, kinds, count) : mostEven(wholeRuns(cut, 26), ends, kinds, count);
}

/** Seconds as whole numbers below about 2^bits, in one unit for all rows. */
function wholeRuns({ some, blocks, rows }: RunsToCut, bits: number): readonly RunSeconds[] {
  const total = rows.reduce((most, { times, again }) => Math.max(most, sumOf(times) + sumOf(again)), 0);
  const round = (values: Float64Array) =>
    total === 0 ? values : values.map((value) => Math.round((value / total) * 2 ** bits));
  return rows.map(({ times, again }) => runSeconds(round(times), { some, blocks, seconds: round(again) }));
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Cuts whose stages all stay within a limit. */
interface Ends {
  /** By row and first position: the last end of a stage within the limit; the first position itself if there is none. */
  readonly reaches: readonly Int32Array[];
  /** By number of stages in front and position: 1 if these can end there. */
  readonly after: readonly Uint8Array[];
}

/** `undefined` if there is no such cut. Every position that stages can end at is kept, since a shorter stage may help those behind it. */
function endsWithin(
  rows: readonly RunSeconds[],
  kinds: readonly number[],
  count: number,
  limit: number,
): Ends | undefined {
  const reaches = rows.map((seconds) =>
    Int32Array.from({ length: count }, (_, from) => reachOf(seconds, from, count, limit)),
  );
  const after: Uint8Array[] = [new Uint8Array(count + 1).fill(1, 0, 1)];
  for (const [stage, kind] of kinds.entries()) {
    const ends = new Uint8Array(count + 1);
    for (let from = 0, marked = 0; from < count; from += 1) {
      if (after[stage][from] === 0) continue;
      marked = Math.max(marked, from);
      const reach = reaches[kind][from];
      if (reach <= marked) continue;
      ends.fill(1, marked + 1, reach + 1);
      marked = reach;
    }
    after.push(ends);
  }
  return after[kinds.length][count] === 0 ? undefined : { reaches, after };
}

/** A run takes no less with one more layer at its end. */
function reachOf(seconds: RunSeconds, from: number, count: number, limit: number): number {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (seconds(from, middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Any cut within the limit: the last stages as small as they can be. */
function lastOf({ reaches, after }: Ends, kinds: readonly number[], count: number): Int32Array {
  const starts = new Int32Array(kinds.length);
  for (let stage = kinds.length - 1, end = count; stage >= 0; stage -= 1) {
    let from = end - 1;
    while (after[stage][from] === 0 || reaches[kinds[stage]][from] < end) from -= 1;
    starts[stage] = from;
    end = from;
  }
  return starts;
}

/** The least sum of squares over all cuts within the limit; of equal ones that with the earliest last cuts. */
function mostEven(
  rows: readonly RunSeconds[],
  { reaches, after }: Ends,
  kinds: readonly number[],
  count: number,
): Int32Array {
  let before = new Float64Array(count + 1).fill(Infinity);
  before[0] = 0;
  const cuts = kinds.map((kind, stage) => {
    const squares = new Float64Array(count + 1).fill(Infinity);
    const cut = new Int32Array(count + 1);
    for (let from = 0; from < count; from += 1) {
      if (after[stage][from] === 0) continue;
      for (let to = from + 1; to <= reaches[kind][from]; to += 1) {
        const seconds = rows[kind](from, to);
        const sum = before[from] + seconds * seconds;
        if (!(sum < squares[to])) continue;
        squares[to] = sum;
        cut[to] = from;
      }
    }
    before = squares;
    return cut;
  });
  const starts = new Int32Array(kinds.length);
  for (let stage = kinds.length - 1, end = count; stage >= 0; stage -= 1) {
    end = cuts[stage][end];
    starts[stage] = end;
  }
  return starts;
}

import { type Block, classes, peak, repeated, type Row } from './vBlocks.ts';
import { filled, type Preference } from './vFill.ts';
import { improved } from './vImprove.ts';
import { endOf, type Ends, unitTimes, type VTimes } from './vTimes.ts';

const weightsLast: Preference = [0, 0, 0, 0, 1, 1];
/**
 * Passes over the repeated block: of all orders of classes, one after another, those that together end first on two to twelve
 * devices where all operations take the same time.
 */
const evenPasses: readonly (readonly Preference[])[] = [
  [weightsLast],
  [
    [2, 3, 0, 1, 4, 4],
    [1, 0, 3, 2, 4, 4],
  ],
  [[1, 1, 0, 0, 1, 1]],
  [[0, 0, 1, 1, 1, 1], weightsLast],
  [
    [2, 4, 0, 1, 3, 3],
    [1, 0, 3, 2, 4, 4],
  ],
  [
    [0, 4, 1, 3, 2, 2],
    [1, 0, 3, 2, 4, 4],
  ],
];
/** The same with transfers of a fifth to all of an operation's time, on two to sixteen devices. */
const transferPasses: readonly (readonly Preference[])[] = [
  [[3, 3, 3, 3, 2, 3], weightsLast],
  [[0, 0, 4, 0, 4, 4]],
  [
    [0, 0, 3, 4, 1, 2],
    [3, 0, 4, 1, 4, 3],
  ],
  [
    [2, 1, 3, 2, 0, 2],
    [3, 3, 0, 0, 1, 1],
  ],
  [[2, 1, 4, 1, 2, 4]],
  [[0, 0, 0, 1, 4, 4]],
];

interface Candidate {
  readonly passes: readonly Preference[];
  readonly times: VTimes;
}

/** Operations that the comparison of candidates may visit, and those that moves of single ones may. */
const budget = 2e6;
const movesBudget = 3e5;

/**
 * The repeated block filled up, no more in flight than the block itself holds: of several passes, each as if all operations took the same
 * time and with the real times, the one that ends first with the real times; of equal ones the first. Uneven times leave gaps
 * that no pass fills: there, operations of short orders are moved one by one.
 */
export function best(blocks: readonly Block[], microbatches: number, times: VTimes): readonly Row[] {
  const devices = blocks.length;
  const unit = unitTimes(devices);
  // Once it runs steadily, each further microbatch adds the same to all.
  const enough = Math.min(microbatches, 4 * devices);
  const runs = runsOf(blocks, enough);
  const even: Candidate[] = evenPasses.map((passes) => ({ passes, times: unit }));
  const real: Candidate[] = times.even
    ? []
    : [{ passes: [], times }, ...[[weightsLast], ...transferPasses].map((passes) => ({ passes, times }))];
  const chosen = first(even, runs, unit, budget);
  const sooner = times.even ? chosen : first([chosen, ...real], runs, times, budget);
  const whole = enough === microbatches ? runs : runsOf(blocks, microbatches);
  const rows = whole.rowsOf(sooner);
  if (times.even) return rows;
  // What is first for fewer microbatches need not be for all of them.
  const other = sooner === chosen || enough === microbatches ? rows : whole.rowsOf(chosen);
  const found = whole.endOf(other, times) < whole.endOf(rows, times) ? other : rows;
  return improved(found, microbatches, whole.limit, times, whole.ends, movesBudget);
}

interface Runs {
  /** Most chunks that a device holds under the repeated block. */
  readonly limit: number;
  readonly ends: Ends;
  /** Operations of all devices. */
  readonly size: number;
  rowsOf(candidate: Candidate): readonly Row[];
  endOf(rows: readonly Row[], times: VTimes): number;
}

function runsOf(blocks: readonly Block[], microbatches: number): Runs {
  const base = repeated(blocks, microbatches);
  const limit = peak(base, microbatches);
  const size = classes * blocks.length * microbatches;
  const ends = new Float64Array(size);
  return {
    limit,
    ends,
    size,
    rowsOf: ({ passes, times }) =>
      passes.reduce((rows, prefer) => filled(rows, microbatches, limit, prefer, times, ends), base),
    endOf: (rows, times) => endOf(rows, microbatches, times, ends),
  };
}

/** Of some candidates the one that ends first; as many as the budget allows, and always the first one. */
function first(candidates: readonly Candidate[], runs: Runs, times: VTimes, most: number): Candidate {
  let [found] = candidates;
  let least = Infinity;
  let visited = 0;
  for (const candidate of candidates) {
    visited += (candidate.passes.length + 1) * runs.size;
    if (least < Infinity && visited > most) break;
    const end = runs.endOf(runs.rowsOf(candidate), times);
    if (end < least) [found, least] = [candidate, end];
  }
  return found;
}

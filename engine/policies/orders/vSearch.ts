import { type Block, peak, repeated, type Row, W1 } from './vBlocks.ts';
import { filled, type Preference } from './vFill.ts';
import { cooledDown } from './vCoolDown.ts';
import { squeezed } from './vSqueeze.ts';
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

type PassLists = readonly (readonly Preference[])[];

/** Passes that the search tries. */
interface Passes {
  /** Over the repeated block, as if all operations took the block's times. */
  readonly even: PassLists;
  /** Over the repeated block, with the real times. */
  readonly real: PassLists;
  /** Over the squeezed block, with both. */
  readonly squeezed: PassLists;
}
const splitPasses: Passes = { even: evenPasses, real: [[], [weightsLast], ...transferPasses], squeezed: [[]] };
const asReady: Preference = [0, 0, 0, 0];
/** Whole backwards leave no gaps in a full period, so that filling the repeated block would only break it up. */
const wholePasses: Passes = { even: [], real: [[], [asReady]], squeezed: [[], [asReady]] };

interface Candidate {
  /** Whether the passes begin at the squeezed block. */
  readonly squeeze: boolean;
  readonly passes: readonly Preference[];
  readonly times: VTimes;
}

/** Operations that the comparison of candidates may visit, and those that moves of single ones may. */
const budget = 2e6;
const movesBudget = 3e5;

/**
 * The repeated block, squeezed or filled up, with no more in flight than the block itself holds. Candidates are made as if all
 * operations took the block's times, and with the real times. The one that ends first with the real times is taken; of equal ones
 * the first. Uneven times leave gaps that no pass fills: there, operations of short orders are moved one by one.
 */
export function best(blocks: readonly Block[], microbatches: number, times: VTimes): readonly Row[] {
  const devices = blocks.length;
  const { taken } = times;
  const unit = unitTimes(devices, taken);
  const passes = taken.length > W1 ? splitPasses : wholePasses;
  const candidates = (squeeze: boolean, lists: PassLists, made: VTimes): readonly Candidate[] =>
    lists.map((list) => ({ squeeze, passes: list, times: made }));
  // Once it runs steadily, each further microbatch adds the same to all.
  const enough = Math.min(microbatches, 4 * devices);
  const runs = runsOf(blocks, enough, unit);
  const whole = enough === microbatches ? runs : runsOf(blocks, microbatches, unit);
  const blind = candidates(false, passes.even, unit);
  const tight = candidates(true, passes.squeezed, unit);
  const plain = first(blind.length > 0 ? blind : tight, runs, unit, budget);
  const even = first([plain, ...tight], runs, unit, budget);
  // What is first for fewer microbatches need not be for all of them.
  if (times.even) return whole.rowsOf(even === plain ? plain : first([even, plain], whole, unit, Infinity));
  const real = [plain, ...candidates(false, passes.real, times), ...candidates(true, passes.squeezed.slice(1), times)];
  const sooner = first(real, runs, times, budget);
  const finalists = sooner === plain || enough === microbatches ? [sooner] : [sooner, plain];
  // Moves of single operations may lead further from an order that ends later.
  const starts = [first(finalists, whole, times, Infinity), ...(even === plain ? [] : [even])];
  const found = starts.map((candidate) =>
    improved(whole.rowsOf(candidate), microbatches, whole.limit, times, whole.ends, movesBudget),
  );
  const ends = found.map((rows) => whole.endOf(rows, times));
  return found[ends.indexOf(Math.min(...ends))];
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

function runsOf(blocks: readonly Block[], microbatches: number, unit: VTimes): Runs {
  const { taken } = unit;
  const split = taken.length > W1;
  const slotted = repeated(blocks, microbatches, taken);
  const base = slotted.map(({ row }) => row);
  const limit = peak(base, microbatches, taken);
  const size = taken.length * blocks.length * microbatches;
  const ends = new Float64Array(size);
  let tight: readonly Row[] | undefined;
  const squeezedRows = (): readonly Row[] => {
    if (tight !== undefined) return tight;
    tight = squeezed(slotted, microbatches, limit, unit, ends);
    if (split) tight = cooledDown(tight, microbatches, limit, unit, ends);
    return tight;
  };
  return {
    limit,
    ends,
    size,
    rowsOf: ({ squeeze, passes, times }) =>
      passes.reduce<readonly Row[]>(
        (rows, prefer) => filled(rows, microbatches, limit, prefer, times, ends),
        squeeze ? squeezedRows() : base,
      ),
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

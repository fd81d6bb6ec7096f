import { needSlot, type Program, rowTable } from '../program.ts';
import { finish } from './finish.ts';
import { startOrder } from './startOrder.ts';
import { type Timeline, type Timing, emptyEnds } from '../timeline.ts';

/**
 * The fast method, if no transfer queues: operations one after the other in an order in which they can start (`startOrder`). The
 * order is kept with the program, so a run with other costs is one linear pass. O(operations + needs), no allocation per operation.
 */
export function runInOrder(program: Program, timing: Timing): Timeline | undefined {
  const words = startOrder(program, timing);
  if (words === undefined) return undefined;
  const end = emptyEnds(program);
  const rows = twoNeeds(program, timing);
  if (rows === undefined) setEnds(program, timing, words, end);
  else setEndsOfTwo(program, rows, words, end);
  return finish({ program, timing, end });
}

/** By row, for rows of at most two needs: where its ends are, and those that it waits for. */
export interface TwoNeeds {
  readonly device: Int32Array;
  readonly duration: Float64Array;
  /** Slots of microbatch 0: of the result, and of the two needs. A row with fewer needs has its result there, with a delay of −∞. */
  readonly made: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Seconds from the end of what is needed to its arrival. */
  readonly firstDelay: Float64Array;
  readonly secondDelay: Float64Array;
}

/** Undefined if a row has more needs, needs other microbatches, or has a time before which it cannot start. */
export function twoNeeds(program: Program, timing: Timing): TwoNeeds | undefined {
  const { stages, microbatches, placement } = program;
  const { duration, needOffsets, needs, needLatency, needOccupancy } = timing;
  if (timing.needShift !== undefined || timing.release !== undefined) return undefined;
  const made = rowTable(program).result.map((result) => result * microbatches);
  const first = made.slice();
  const second = made.slice();
  const firstDelay = new Float64Array(made.length).fill(-Infinity);
  const secondDelay = firstDelay.slice();
  for (let row = 0; row < made.length; row += 1) {
    const need = needOffsets[row];
    const count = needOffsets[row + 1] - need;
    if (count > 2) return undefined;
    if (count > 0) {
      first[row] = needs[need] * microbatches;
      firstDelay[row] = needOccupancy[need] + needLatency[need];
    }
    if (count > 1) {
      second[row] = needs[need + 1] * microbatches;
      secondDelay[row] = needOccupancy[need + 1] + needLatency[need + 1];
    }
  }
  const device = made.map((_, row) => placement[row % stages]);
  return { device, duration, made, first, second, firstDelay, secondDelay };
}

/** Fills in the ends of operations that come in an order in which they can start. The hottest loop of the engine. */
function setEndsOfTwo({ devices, shift }: Program, rows: TwoNeeds, words: Int32Array, end: Float64Array): void {
  const { device: deviceOf, duration, made, first, second, firstDelay, secondDelay } = rows;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const free = new Float64Array(devices);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const row = word >> shift;
    const microbatch = word & mask;
    const device = deviceOf[row];
    let time = free[device];
    // A slot that the program leaves out is NaN, which is not more than anything.
    const firstArrival = end[first[row] + microbatch] + firstDelay[row];
    if (firstArrival > time) time = firstArrival;
    const secondArrival = end[second[row] + microbatch] + secondDelay[row];
    if (secondArrival > time) time = secondArrival;
    time += duration[row];
    free[device] = time;
    end[made[row] + microbatch] = time;
  }
}

/** The same for any needs. */
function setEnds(program: Program, timing: Timing, words: Int32Array, end: Float64Array): void {
  const { devices, stages, microbatches, placement, shift } = program;
  const { duration, needOffsets, needs, needShift, release } = timing;
  const mask = (1 << shift) - 1;
  const delay = timing.needOccupancy.map((occupancy, need) => occupancy + timing.needLatency[need]);
  const results = rowTable(program).result;
  const deviceOf = results.map((_, row) => placement[row % stages]);
  const free = new Float64Array(devices);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const row = word >> shift;
    const microbatch = word & mask;
    const device = deviceOf[row];
    let time = free[device];
    if (release !== undefined && release[row] > time) time = release[row];
    const last = needOffsets[row + 1];
    for (let need = needOffsets[row]; need < last; need += 1) {
      const slot =
        needShift === undefined
          ? needs[need] * microbatches + microbatch
          : needSlot(timing, microbatches, need, microbatch);
      if (slot < 0) continue;
      const arrival = end[slot] + delay[need];
      if (arrival > time) time = arrival;
    }
    time += duration[row];
    free[device] = time;
    end[results[row] * microbatches + microbatch] = time;
  }
}

import { needSlot, type Program, rowTable } from '../values/program.ts';
import { finish } from './finish.ts';
import { firstPass } from './firstPass.ts';
import { keepOrder, keptOrder, startOrder } from './startOrder.ts';
import { type TwoNeeds, twoNeeds } from './twoNeeds.ts';
import { type Timeline, type Timing, emptyEnds, fillsSlots } from '../values/timeline.ts';

/**
 * The fast method, if no transfer queues: operations one after the other in an order in which they can start (`startOrder`). The
 * order is kept with the program, so a run with other costs is one linear pass. O(operations + needs), no allocation per operation.
 */
export function runInOrder(program: Program, timing: Timing): Timeline | undefined {
  const rows = twoNeeds(program, timing);
  const kept = keptOrder(program, timing);
  if (rows !== undefined && kept === undefined) {
    const found = firstPass(program, rows);
    if (found !== undefined) {
      keepOrder(program, timing, found.words);
      return finish({ program, timing, end: found.end });
    }
  }
  const words = kept ?? startOrder(program, timing, rows !== undefined);
  if (words === undefined) return undefined;
  // In this order nothing is read before it is there.
  const end = emptyEnds(program, fillsSlots(program) ? 0 : -1);
  if (rows === undefined) setEnds(program, timing, words, end);
  else setEndsOfTwo(program, rows, words, end);
  return finish({ program, timing, end });
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

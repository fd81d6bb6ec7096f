import { keepCounts } from '../order/operationCounts.ts';
import { needSlot, type Program, rowTable } from '../values/program.ts';
import { type Timeline, type Timing, emptyEnds, fillsSlots } from '../values/timeline.ts';
import { finish } from './finish.ts';
import { endsInOrder, endsOfFirstPass } from './rowLoops.ts';
import { keepKnown, knownOrder, startOrder } from './startOrder.ts';

/**
 * The fast method, if no transfer queues: operations one after the other in an order in which they can start. Most programs run
 * once, so the first run keeps no order. The second finds one (`startOrder`), and from then on a run with other costs is one linear
 * pass. O(operations + needs), no allocation per operation. `over` as `simulate` has it.
 */
export function runInOrder(program: Program, timing: Timing, over?: Float64Array): Timeline | undefined {
  if (knownOrder(program, timing) === undefined) {
    const first = endsOfFirstPass(program, timing);
    if (first !== undefined) {
      keepKnown(program, timing);
      keepCounts(program, first.count);
      return finish({ program, timing, end: first.end });
    }
  }
  const words = startOrder(program, timing);
  if (words === undefined) return undefined;
  const end = endsInOrder(program, timing, words, over) ?? endsOfAnyNeeds(program, timing, words);
  return finish({ program, timing, end });
}

/** The ends of operations with any needs. */
function endsOfAnyNeeds(program: Program, timing: Timing, words: Int32Array): Float64Array {
  const end = emptyEnds(program, fillsSlots(program) ? 0 : -1);
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
  return end;
}

import { needSlot, type Program, rowTable } from '../program.ts';
import { finish } from './finish.ts';
import { type Timeline, type Timing, emptyEnds } from '../timeline.ts';

/**
 * The fast method: one pass, no queue of events. A device that must wait leaves its number in the slot of the result it waits
 * for. It continues when that result is there. O(operations + needs), no allocation per operation.
 */
export function runInOrder(program: Program, timing: Timing): Timeline | undefined {
  const { devices, microbatches, order, offsets, shift } = program;
  const { duration, needOffsets, needs, needShift, needOnly, release } = timing;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const delay = timing.needOccupancy.map((occupancy, need) => occupancy + timing.needLatency[need]);
  const results = rowTable(program).result;
  // A slot holds the end of its result, −1 while it has none, or −2 − d while device d waits for it; NaN where the program has no
  // such operation, and NaN is neither less nor more than anything, so that nobody waits.
  const end = emptyEnds(program);
  const alsoWaiting = new Int32Array(devices).fill(-1);
  const cursors = offsets.slice(0, devices);
  const freeAt = new Float64Array(devices);
  const ready = new Int32Array(devices);
  let readyCount = 0;
  for (let device = devices - 1; device >= 0; device -= 1) ready[readyCount++] = device;
  let done = 0;

  while (readyCount > 0) {
    const device = ready[--readyCount];
    const stop = offsets[device + 1];
    let free = freeAt[device];
    let cursor = cursors[device];
    device: while (cursor < stop) {
      const word = order[cursor];
      const row = word >> shift;
      const microbatch = word & mask;
      let start = free;
      if (release !== undefined && release[row] > start) start = release[row];
      const last = needOffsets[row + 1];
      for (let need = needOffsets[row]; need < last; need += 1) {
        let slot = needs[need] * microbatches + microbatch;
        if (needShift !== undefined && (needShift[need] !== 0 || needOnly !== undefined)) {
          slot = needSlot(timing, microbatches, need, microbatch);
          if (slot < 0) continue;
        }
        const at = end[slot];
        if (at < 0) {
          alsoWaiting[device] = at < -1 ? -2 - at : -1;
          end[slot] = -2 - device;
          break device;
        }
        const arrival = at + delay[need];
        if (arrival > start) start = arrival;
      }
      free = start + duration[row];
      const slot = results[row] * microbatches + microbatch;
      let waiting = end[slot] < -1 ? -2 - end[slot] : -1;
      end[slot] = free;
      cursor += 1;
      while (waiting >= 0) {
        ready[readyCount++] = waiting;
        waiting = alsoWaiting[waiting];
      }
    }
    done += cursor - cursors[device];
    cursors[device] = cursor;
    freeAt[device] = free;
  }
  return done === order.length ? finish({ program, timing, end }) : undefined;
}

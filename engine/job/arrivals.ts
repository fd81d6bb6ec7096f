import { needSlot, type Program, resultsIn } from '../values/program.ts';
import { type Timing } from '../values/timeline.ts';
import { transfersOf } from '../simulate/transfers.ts';

/** When a worker's results are where they are needed, seconds. */
export interface Arrivals {
  /** Latest arrival of what the operation at a position of `order` needs; −1 if something is not sent yet. */
  readyAt(position: number): number;
  /** The operation at a position ends `now`; its end is in `ends` already. */
  send(position: number, now: number): void;
}

/** With `never`, no transfer ever finds its channel taken (`transfersNeverQueue`): each arrives a constant after its operation's end. */
export function arrivalsOf(program: Program, timing: Timing, ends: Float64Array, never: boolean): Arrivals {
  if (!never) return transfersOf(program, timing, ends);
  const { order, shift, microbatches } = program;
  const { needOffsets, needs, needShift } = timing;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const delay = timing.needOccupancy.map((occupancy, need) => occupancy + timing.needLatency[need]);
  return {
    readyAt(position) {
      const row = order[position] >> shift;
      const microbatch = order[position] & mask;
      const last = needOffsets[row + 1];
      let ready = 0;
      for (let need = needOffsets[row]; need < last; need += 1) {
        let slot = needs[need] * microbatches + microbatch;
        if (needShift !== undefined && needShift[need] !== 0) {
          slot = needSlot(timing, microbatches, need, microbatch);
          if (slot < 0) continue;
        }
        // NaN for what the program leaves out: neither less nor more than anything.
        const end = ends[slot];
        if (end < 0) return -1;
        const arrival = end + delay[need];
        if (arrival > ready) ready = arrival;
      }
      return ready;
    },
    send() {
      // Nothing is under way that an end does not tell.
    },
  };
}

/** Devices that use each result, each once, as compressed rows: result r has `offsets[r]` to `offsets[r + 1]`. */
export function usersOf(program: Program, { duration, needOffsets, needs }: Timing) {
  const { stages, placement } = program;
  const users = Array.from({ length: resultsIn(program) * stages }, () => new Set<number>());
  for (let row = 0; row < duration.length; row += 1)
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1)
      users[needs[need]].add(placement[row % stages]);
  const offsets = new Int32Array(users.length + 1);
  users.forEach((devices, result) => (offsets[result + 1] = offsets[result] + devices.size));
  return { offsets, device: Int32Array.from(users.flatMap((devices) => [...devices])) };
}

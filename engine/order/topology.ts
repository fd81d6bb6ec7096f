import type { Dependencies } from './dependencies.ts';
import { needSlot, type Program, resultRowOf, resultsIn } from '../values/program.ts';

/**
 * Visits the positions of a program so that each comes after what is before it on its device and after what it needs. Returns for
 * each device the position that it never passed (its end, if nothing waits for itself). Operations of one slot (`fused`) start
 * together: they are visited when all can start. No operation waits for what a program leaves out. One pass: a device that must
 * wait is woken by the result it waits for.
 */
export function visitInOrder(
  program: Program,
  dependencies: Dependencies,
  visit: (position: number) => void,
): Int32Array {
  const { devices, stages, microbatches, order, offsets, shift, fused } = program;
  const { offsets: needOffsets } = dependencies;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const slots = resultsIn(program) * stages * microbatches;
  // 0: not in the program or over; 1: still to run.
  const open = new Uint8Array(slots);
  for (let position = 0; position < order.length; position += 1) {
    const row = order[position] >> shift;
    open[resultRowOf(stages, row) * microbatches + (order[position] & mask)] = 1;
  }
  const at = offsets.slice(0, devices);
  // Devices that wait for a slot, as a linked list; and those that may go on.
  const waiting = new Int32Array(slots).fill(-1);
  const nextWaiting = new Int32Array(devices).fill(-1);
  const ready = Int32Array.from({ length: devices }, (_, device) => devices - 1 - device);
  let count = devices;

  /** First slot that the operation at `position` must still wait for; −1 for none. */
  const missing = (position: number): number => {
    const row = order[position] >> shift;
    const result = resultRowOf(stages, row);
    const microbatch = order[position] & mask;
    for (let need = needOffsets[result]; need < needOffsets[result + 1]; need += 1) {
      const slot = needSlot(dependencies, microbatches, need, microbatch);
      if (slot >= 0 && open[slot] === 1) return slot;
    }
    return -1;
  };

  while (count > 0) {
    count -= 1;
    const device = ready[count];
    const end = offsets[device + 1];
    let position = at[device];
    running: while (position < end) {
      let last = position;
      for (;;) {
        const slot = missing(last);
        if (slot >= 0) {
          nextWaiting[device] = waiting[slot];
          waiting[slot] = device;
          break running;
        }
        if (fused === undefined || fused[last] === 0 || last + 1 >= end) break;
        last += 1;
      }
      for (; position <= last; position += 1) {
        visit(position);
        const row = order[position] >> shift;
        const slot = resultRowOf(stages, row) * microbatches + (order[position] & mask);
        open[slot] = 0;
        for (let woken = waiting[slot]; woken >= 0; woken = nextWaiting[woken]) {
          ready[count] = woken;
          count += 1;
        }
        waiting[slot] = -1;
      }
    }
    at[device] = position;
  }
  return at;
}

/** What the rows of a program wait for and take, in tables for the loops that run once for each operation. */
import { type Program, resultsIn, rowTable } from '../values/program.ts';
import { fillsSlots, markEnds, type Timing } from '../values/timeline.ts';

/** Rows and devices that there are tables for. */
const most = 1 << 14;

/**
 * The tables are made once and filled for each run. A function that closes over them, and takes them apart before its loop, is
 * compiled with their addresses and lengths as constants, which makes it faster by half. `rowLoops.ts` has these functions. None of
 * them has a branch that a run may never take: a loop with code that never ran is compiled less well.
 */
export interface RowTables {
  /** By row: the slot of microbatch 0 of its result. */
  readonly made: Int32Array;
  /**
   * By row: the slot of microbatch 0 of the result that has to arrive, and seconds from its end to its arrival. Without such a
   * need these are the slots after all results, which hold NaN.
   */
  readonly need: Int32Array;
  readonly delay: Float64Array;
  /** By row: the slot of a result that its own device makes, earlier in the order. It never delays the row. */
  readonly within: Int32Array;
  readonly duration: Float64Array;
  readonly device: Int32Array;
  /** By row: its operations so far. */
  readonly count: Int32Array;
  /** By device: seconds from which it is free, and the next position of the order. */
  readonly free: Float64Array;
  readonly cursor: Int32Array;
  readonly stop: Int32Array;
}

export function emptyTables(): RowTables {
  const [made, need, within, device, count, cursor, stop] = Array.from({ length: 7 }, () => new Int32Array(most));
  const [delay, duration, free] = Array.from({ length: 3 }, () => new Float64Array(most));
  return { made, need, delay, within, duration, device, count, free, cursor, stop };
}

/**
 * Fills the tables. False if a row needs more than they have room for, needs other microbatches, or has a time before which it
 * cannot start.
 */
export function fillRows(tables: RowTables, program: Program, timing: Timing): boolean {
  const { devices, stages, microbatches, placement, offsets } = program;
  const { needOffsets, needs, needLatency, needOccupancy, duration } = timing;
  const rows = duration.length;
  if (timing.needShift !== undefined || timing.release !== undefined || Math.max(rows, devices) > most) return false;
  const results = rowTable(program).result;
  const always = resultsIn(program) * stages * microbatches;
  for (let row = 0; row < rows; row += 1) {
    const device = placement[row % stages];
    tables.made[row] = results[row] * microbatches;
    tables.need[row] = tables.within[row] = always;
    tables.delay[row] = 0;
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const slot = needs[need] * microbatches;
      const delay = needOccupancy[need] + needLatency[need];
      if (delay === 0 && tables.within[row] === always && placement[needs[need] % stages] === device) {
        tables.within[row] = slot;
        continue;
      }
      if (tables.need[row] !== always) return false;
      tables.need[row] = slot;
      tables.delay[row] = delay;
    }
    tables.duration[row] = duration[row];
    tables.device[row] = device;
    tables.count[row] = 0;
  }
  for (let device = 0; device < devices; device += 1) {
    tables.free[device] = 0;
    tables.cursor[device] = offsets[device];
    tables.stop[device] = offsets[device + 1];
  }
  return true;
}

/**
 * Ends as `Timeline.end` has them, 0 or −1 where one is to come, and the same with NaN after them for each microbatch. `over`: ends of
 * an earlier run of this program; if they were made here, they are given back as they are, since a run leaves what is no end.
 */
export function endsAndAlways(
  program: Program,
  over?: Float64Array,
): { readonly end: Float64Array; readonly all: Float64Array } {
  const slots = resultsIn(program) * program.stages * program.microbatches;
  if (over !== undefined && over.buffer.byteLength > over.byteLength)
    return { end: over, all: new Float64Array(over.buffer) };
  const all = new Float64Array(slots + program.microbatches).fill(NaN, slots);
  // New arrays hold zeros, so these are the quickest mark.
  return { end: markEnds(program, all.subarray(0, slots), fillsSlots(program) ? 0 : -1), all };
}

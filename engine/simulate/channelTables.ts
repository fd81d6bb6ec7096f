/** What operations wait for and send over channels, in tables for `channelLoop`: see `RowTables`. */
import { kindOfRow, type Program, resultsIn, rowTable } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';

/** Rows, devices, needs and channels that there are tables for. */
export const mostInTables = 1 << 14;

export interface ChannelTables {
  /** By row: its result, its seconds, and seconds before which it cannot start. */
  readonly result: Int32Array;
  readonly duration: Float64Array;
  readonly release: Float64Array;
  /**
   * By row: the first result that it needs from another device. By need: where the arrivals of such a result begin, and the next
   * need of the row; −1 for none. A row that needs none asks for what is always there.
   */
  readonly firstAcross: Int32Array;
  readonly across: Int32Array;
  readonly nextAcross: Int32Array;
  /**
   * By result: the first need on another device. By need: the next one for that result, where its arrivals begin, who needs it,
   * the channel, the seconds for which that is taken, and the seconds until the arrival. What nobody needs is sent to no device.
   */
  readonly firstUse: Int32Array;
  readonly nextUse: Int32Array;
  readonly arrival: Int32Array;
  readonly stage: Int32Array;
  readonly user: Int32Array;
  readonly channel: Int32Array;
  readonly occupancy: Float64Array;
  readonly delay: Float64Array;
  /** By channel: seconds from which it is free. */
  readonly channelFree: Float64Array;
  /** By device: the next position of the order, the one after its last, and seconds from which it is free. */
  readonly cursor: Int32Array;
  readonly stop: Int32Array;
  readonly free: Float64Array;
  /** By device: the arrival that it waits for; −1 for none. */
  readonly waits: Int32Array;
  /** Devices that may start something. */
  readonly woken: Int32Array;
}

export function emptyChannelTables(): ChannelTables {
  const integers = (): Int32Array => new Int32Array(mostInTables + 1);
  const numbers = (): Float64Array => new Float64Array(mostInTables + 1);
  return {
    ...{ result: integers(), duration: numbers(), release: numbers() },
    ...{ firstAcross: integers(), across: integers(), nextAcross: integers() },
    ...{ firstUse: integers(), nextUse: integers(), arrival: integers(), stage: integers(), user: integers() },
    ...{ channel: integers(), occupancy: numbers(), delay: numbers(), channelFree: numbers() },
    ...{ cursor: integers(), stop: integers(), free: numbers(), waits: integers(), woken: integers() },
  };
}

/** I waits for the same as B of its stage: what it waits for is in the arrivals of B's needs. */
export const twinNeed = ({ needOffsets }: Timing, stages: number, row: number, need: number): number =>
  kindOfRow(stages, row) === 2 ? needOffsets[row - stages] + (need - needOffsets[row]) : need;

/** Whether a need is met by an operation of the same device: its result is there at its end. */
export const isWithin = (
  { stages, placement }: Program,
  { needs, needChannel, needRoute }: Timing,
  row: number,
  need: number,
): boolean =>
  needRoute[need] < 0 && needChannel[need] < 0 && placement[needs[need] % stages] === placement[row % stages];

/** Whether there is room in the tables. */
export const hasChannelTables = ({ devices }: Program, { duration, needs, channels }: Timing): boolean =>
  Math.max(devices, duration.length, needs.length, channels + 1) <= mostInTables;

/** Fills the tables: whether a row has several needs on other devices, or a result is needed by several. */
export function fillChannelTables(tables: ChannelTables, program: Program, timing: Timing): boolean {
  const { devices, stages, microbatches, placement, offsets } = program;
  const { needOffsets, needs, needChannel, needLatency, needOccupancy, duration, release, channels } = timing;
  // The one after the last need stands for no need: it is always there, takes the channel after the last one, and wakes nobody.
  const none = needs.length;
  const results = resultsIn(program) * stages;
  tables.result.set(rowTable(program).result);
  tables.duration.set(duration);
  if (release === undefined) tables.release.fill(0, 0, duration.length);
  else tables.release.set(release);
  tables.firstAcross.fill(none, 0, duration.length);
  tables.firstUse.fill(none, 0, results);
  tables.across[none] = none * microbatches;
  setUse(tables, none, { arrival: none * microbatches, stage: 0, user: mostInTables, channel: channels });
  tables.occupancy[none] = -Infinity;
  // Not a number is neither to come nor later than anything.
  tables.delay[none] = NaN;
  tables.nextAcross.fill(-1, 0, none + 1);
  tables.nextUse.fill(-1, 0, none + 1);
  // Each need is put before those that are in its list, so the last one comes first.
  for (let row = duration.length - 1; row >= 0; row -= 1) {
    const stage = row % stages;
    for (let need = needOffsets[row + 1] - 1; need >= needOffsets[row]; need -= 1) {
      if (isWithin(program, timing, row, need)) continue;
      const twin = twinNeed(timing, stages, row, need);
      tables.across[need] = twin * microbatches;
      linkBefore(tables.firstAcross, tables.nextAcross, { list: row, need, none });
      if (twin !== need) continue;
      const channel = needChannel[need] < 0 ? channels : needChannel[need];
      setUse(tables, need, { arrival: need * microbatches, stage, user: placement[stage], channel });
      tables.occupancy[need] = needChannel[need] < 0 ? -Infinity : needOccupancy[need];
      // As `runInOrder` adds them, so that both give the same bits.
      tables.delay[need] = needOccupancy[need] + needLatency[need];
      linkBefore(tables.firstUse, tables.nextUse, { list: needs[need], need, none });
    }
  }
  const several = [tables.nextAcross, tables.nextUse].some((next) => next.subarray(0, none).some((need) => need >= 0));
  tables.channelFree.fill(0, 0, channels + 1);
  tables.waits[mostInTables] = -1;
  for (let device = 0; device < devices; device += 1) {
    tables.cursor[device] = offsets[device];
    tables.stop[device] = offsets[device + 1];
    tables.free[device] = 0;
    tables.waits[device] = -1;
    tables.woken[device] = device;
  }
  return several;
}

function setUse(
  tables: ChannelTables,
  need: number,
  use: { readonly arrival: number; readonly stage: number; readonly user: number; readonly channel: number },
): void {
  tables.arrival[need] = use.arrival;
  tables.stage[need] = use.stage;
  tables.user[need] = use.user;
  tables.channel[need] = use.channel;
}

function linkBefore(
  first: Int32Array,
  next: Int32Array,
  { list, need, none }: { readonly list: number; readonly need: number; readonly none: number },
): void {
  next[need] = first[list] === none ? -1 : first[list];
  first[list] = need;
}

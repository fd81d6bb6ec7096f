import { slotTime } from '../order/slot.ts';
import type { Program } from '../values/program.ts';
import type { SingleTimes } from '../values/timeline.ts';
import type { ChannelTables } from './channelTables.ts';
import type { EndQueue } from './endQueue.ts';

export interface ChannelRun {
  /** As `emptyEnds` gives it. */
  readonly end: Float64Array;
  /** As `Timeline.arrival`, −1 where it is to come, then NaN for each microbatch. */
  readonly arrival: Float64Array;
  /** As `Timeline.starts`. */
  readonly starts: Float64Array | undefined;
  readonly single: SingleTimes | undefined;
  /** Whether a row has several needs on other devices, or a result is needed by several. */
  readonly several: boolean;
  /** By stage × microbatches + microbatch: 1 where the stage runs it; undefined where stages run all. */
  readonly runs: Uint8Array | undefined;
}

/** Runs operations in order of time, and gives how many could run. None waits for one that its own device runs later. */
export function channelLoopOver(tables: ChannelTables, { clear, push, earliest, take }: EndQueue) {
  return function channelLoop(program: Program, { end, arrival, starts, single, runs, several }: ChannelRun): number {
    const { result: resultOf, duration, release, cursor, stop, free, waits, woken } = tables;
    const { firstAcross, across, nextAcross } = tables;
    const {
      firstUse,
      nextUse,
      arrival: arrivalOf,
      stage,
      user,
      channel: channelOf,
      occupancy,
      delay,
      channelFree,
    } = tables;
    const { devices, microbatches, order, shift, fused, overlap = 0 } = program;
    // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
    const mask = (1 << shift) - 1;
    let done = 0;
    let awake = devices;
    clear(devices);
    for (;;) {
      while (awake > 0) {
        awake = (awake - 1) | 0;
        const device = woken[awake];
        const position = cursor[device];
        if (position >= stop[device]) continue;
        const after = position + (fused !== undefined && fused[position] === 1 ? 2 : 1);
        let start = free[device];
        let seconds = 0;
        let missing = -1;
        for (let at = position; at < after; at = (at + 1) | 0) {
          const row = order[at] >> shift;
          const microbatch = order[at] & mask;
          if (release[row] > start) start = release[row];
          for (let need = firstAcross[row]; need >= 0; need = several ? nextAcross[need] : -1) {
            const slot = (across[need] + microbatch) | 0;
            const there = arrival[slot];
            if (there > start) start = there;
            if (there < 0) missing = slot;
          }
          const alone = single === undefined ? duration[row] : single.seconds[row * microbatches + microbatch];
          seconds = at === position ? alone : slotTime(seconds, alone, overlap);
        }
        waits[device] = missing;
        if (missing >= 0) continue;
        if (starts !== undefined) for (let at = position; at < after; at += 1) starts[at] = start;
        push(device, start + seconds);
      }
      const now = earliest();
      if (now === Infinity) return done;
      const device = take();
      const position = cursor[device];
      const after = position + (fused !== undefined && fused[position] === 1 ? 2 : 1);
      for (let at = position; at < after; at = (at + 1) | 0) {
        const microbatch = order[at] & mask;
        const result = resultOf[order[at] >> shift];
        end[(result * microbatches + microbatch) | 0] = now;
        for (let use = firstUse[result]; use >= 0; use = several ? nextUse[use] : -1) {
          // A copy of the stage that runs other microbatches gets nothing of this one.
          if (runs !== undefined && runs[stage[use] * microbatches + microbatch] === 0) continue;
          const channel = channelOf[use];
          const begins = channelFree[channel] > now ? channelFree[channel] : now;
          channelFree[channel] = begins + occupancy[use];
          const slot = (arrivalOf[use] + microbatch) | 0;
          arrival[slot] = begins + delay[use];
          const waiting = user[use];
          if (waits[waiting] !== slot) continue;
          waits[waiting] = -1;
          woken[awake] = waiting;
          awake = (awake + 1) | 0;
        }
      }
      cursor[device] = after;
      free[device] = now;
      woken[awake] = device;
      awake = (awake + 1) | 0;
      done = (done + after - position) | 0;
    }
  };
}

/** Transfers that queue for channels, one at a time: the fast loop of `runWithQueues`. */
import { type Program, rowTable } from '../values/program.ts';
import { channelLoopOver } from './channelLoop.ts';
import {
  emptyChannelTables,
  fillChannelTables,
  hasChannelTables,
  isWithin,
  mostInTables,
  twinNeed,
} from './channelTables.ts';
import { type EmptyRun, emptyRun } from './emptyRun.ts';
import { endQueue } from './endQueue.ts';
import { finish } from './finish.ts';
import { type RowNeeds, sameNeeds } from './startOrder.ts';
import type { Timeline, Timing } from '../values/timeline.ts';

const tables = emptyChannelTables();
const channelLoop = channelLoopOver(tables, endQueue(mostInTables));

/** Whether every transfer has one channel and one size by its need, no operation waits for another microbatch, and there is room. */
export const queuesForChannels = (program: Program, timing: Timing): boolean =>
  timing.flows === undefined &&
  timing.crowd === undefined &&
  timing.sizes === undefined &&
  timing.needCopy === undefined &&
  timing.needShift === undefined &&
  hasChannelTables(program, timing);

/**
 * In order of time: a transfer leaves when its operation ends and waits until its channel is free. First come, first served; equal
 * times by device number. Operations of one device hand results to each other by their ends, without a transfer.
 * O(operations · log devices + needs). Undefined if operations wait for each other for ever.
 */
export function runChannelQueues(program: Program, timing: Timing): Timeline | undefined {
  const { microbatches, order, fused } = program;
  const { single } = timing;
  const { end, arrivals: all, runs, whole } = emptyRun(program, timing);
  if (!isOrdered(program, timing, end)) return undefined;
  const arrival = all.subarray(0, timing.needs.length * microbatches);
  const starts = fused === undefined && single === undefined ? undefined : new Float64Array(order.length);
  const several = fillChannelTables(tables, program, timing);
  const done = channelLoop(program, { end, arrival: all, starts, single, runs, several });
  if (done < order.length) return undefined;
  completeArrivals(program, timing, { end, arrival, runs, whole });
  return finish({ program, timing, end, starts, arrival });
}

const ordered = new WeakMap<Program, RowNeeds>();

/**
 * Whether each operation comes after the operations of its device that it waits for. Looked at once for a program with these needs.
 * `empty`: as `emptyEnds` gives it.
 */
function isOrdered(program: Program, timing: Timing, empty: Float64Array): boolean {
  const known = ordered.get(program);
  if (known !== undefined && sameNeeds(known, timing)) return true;
  const { stages, placement, microbatches, order, shift, fused } = program;
  const mask = (1 << shift) - 1;
  const results = rowTable(program).result;
  const rows = timing.duration.length;
  const firsts = new Int32Array(rows + 1);
  const within = new Int32Array(timing.needs.length);
  for (let row = 0, count = 0; row < rows; row += 1) {
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
      if (placement[timing.needs[need] % stages] === placement[row % stages])
        within[count++] = timing.needs[need] * microbatches;
    firsts[row + 1] = count;
  }
  const toCome = Uint8Array.from(empty, (end) => (end < 0 ? 1 : 0));
  const waits = (word: number): boolean => {
    const row = word >> shift;
    for (let need = firsts[row]; need < firsts[row + 1]; need += 1)
      if (toCome[within[need] + (word & mask)] === 1) return true;
    return false;
  };
  for (let position = 0; position < order.length; position += 1) {
    const word = order[position];
    // Two in a slot begin together.
    if (waits(word) || (fused !== undefined && fused[position] === 1 && waits(order[position + 1]))) return false;
    toCome[results[word >> shift] * microbatches + (word & mask)] = 0;
  }
  ordered.set(program, timing);
  return true;
}

/** Fills in the arrivals that the loop does without: results that stay within a device, and what I waits for. */
function completeArrivals(
  program: Program,
  timing: Timing,
  { end, arrival, runs, whole }: Pick<EmptyRun, 'end' | 'runs' | 'whole'> & { readonly arrival: Float64Array },
): void {
  const { stages, microbatches } = program;
  const { needOffsets, needs } = timing;
  for (let row = 0; row < timing.duration.length; row += 1) {
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const to = need * microbatches;
      if (isWithin(program, timing, row, need)) {
        const from = needs[need] * microbatches;
        if (runs === undefined || whole?.[need] === 1) {
          arrival.set(end.subarray(from, from + microbatches), to);
          continue;
        }
        for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
          if (runs[(row % stages) * microbatches + microbatch] === 1) arrival[to + microbatch] = end[from + microbatch];
      } else {
        const from = twinNeed(timing, stages, row, need) * microbatches;
        if (from !== to) arrival.copyWithin(to, from, from + microbatches);
      }
    }
  }
}

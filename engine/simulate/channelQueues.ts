/** Transfers that queue for channels, one at a time: the fast loop of `runWithQueues`. */
import { slotTime } from '../order/slot.ts';
import { kindOfRow, type Program, resultsIn, rowTable, runsMicrobatch } from '../values/program.ts';
import { EarliestEvent } from './earliest.ts';
import { finish } from './finish.ts';
import { type Timeline, type Timing, emptyEnds } from '../values/timeline.ts';

/** Whether every transfer has one channel and one size by its need, and no operation waits for another microbatch. */
export const queuesForChannels = ({ flows, sizes, needCopy, needShift }: Timing): boolean =>
  flows === undefined && sizes === undefined && needCopy === undefined && needShift === undefined;

/**
 * In order of time: a transfer leaves when its operation ends and waits until its channel is free. First come, first served; equal
 * times by device number. Operations of one device hand results to each other by their ends, without a transfer.
 * O(operations · log devices + needs). Undefined if operations wait for each other for ever.
 */
export function runChannelQueues(program: Program, timing: Timing): Timeline | undefined {
  const { devices, microbatches, order, offsets, shift, fused, overlap = 0 } = program;
  const { duration, single, release, channels } = timing;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const { across, within, uses } = waitsOf(program, timing);
  const results = rowTable(program).result;
  const runs = runsOf(program);
  const end = emptyEnds(program);
  const arrival = new Float64Array(timing.needs.length * microbatches).fill(-1);
  leaveOut(program, timing, end, arrival);
  const starts = fused === undefined && single === undefined ? undefined : new Float64Array(order.length);
  const channelFree = new Float64Array(channels);
  const cursors = offsets.slice(0, devices);
  const freeAt = new Float64Array(devices);
  const running = new Uint8Array(devices);
  const ending = new EarliestEvent(devices);
  let done = 0;

  /** When the operation of a word can start, from a time on; −1 while something that it needs is not sent. */
  const readyFrom = (word: number, from: number): number => {
    const row = word >> shift;
    const microbatch = word & mask;
    let ready = from;
    if (release !== undefined && release[row] > ready) ready = release[row];
    for (let need = across.offsets[row]; need < across.offsets[row + 1]; need += 1) {
      const at = arrival[across.values[need] + microbatch];
      if (at < 0) return -1;
      if (at > ready) ready = at;
    }
    for (let need = within.offsets[row]; need < within.offsets[row + 1]; need += 1)
      if (end[within.values[need] + microbatch] < 0) return -1;
    return ready;
  };
  const secondsOf = (word: number): number => {
    const row = word >> shift;
    return single === undefined ? duration[row] : single.seconds[row * microbatches + (word & mask)];
  };
  /** Starts the next operations of a device, if they are ready. */
  const startNext = (device: number): void => {
    const position = cursors[device];
    let ends = Infinity;
    if (position < offsets[device + 1]) {
      const word = order[position];
      let start = readyFrom(word, freeAt[device]);
      if (start >= 0) {
        let seconds = secondsOf(word);
        if (fused !== undefined && fused[position] === 1) {
          const other = order[position + 1];
          start = readyFrom(other, start);
          seconds = slotTime(seconds, secondsOf(other), overlap);
          if (starts !== undefined) starts[position + 1] = start;
        }
        if (starts !== undefined) starts[position] = start;
        if (start >= 0) ends = start + seconds;
      }
    }
    if (ends === Infinity && running[device] === 0) return;
    running[device] = ends === Infinity ? 0 : 1;
    ending.set(device, ends);
  };

  for (let device = 0; device < devices; device += 1) startNext(device);
  for (let now = ending.time; now < Infinity; now = ending.time) {
    const { device } = ending;
    const position = cursors[device];
    const after = position + (fused !== undefined && fused[position] === 1 ? 2 : 1);
    cursors[device] = after;
    freeAt[device] = now;
    for (let at = position; at < after; at += 1) {
      const microbatch = order[at] & mask;
      const result = results[order[at] >> shift];
      end[result * microbatches + microbatch] = now;
      for (let use = uses.offsets[result]; use < uses.offsets[result + 1]; use += 1) {
        // A copy of the stage that runs other microbatches gets nothing of this one.
        if (runs !== undefined && runs[uses.stage[use] * microbatches + microbatch] === 0) continue;
        const channel = uses.channel[use];
        let begins = now;
        if (channel >= 0) {
          if (channelFree[channel] > begins) begins = channelFree[channel];
          channelFree[channel] = begins + uses.occupancy[use];
        }
        arrival[uses.arrival[use] + microbatch] = begins + uses.delay[use];
      }
    }
    done += after - position;
    startNext(device);
    for (let at = position; at < after; at += 1) {
      const result = results[order[at] >> shift];
      for (let use = uses.offsets[result]; use < uses.offsets[result + 1]; use += 1)
        if (running[uses.device[use]] === 0) startNext(uses.device[use]);
    }
  }
  if (done < order.length) return undefined;
  completeArrivals(program, timing, { end, arrival, runs });
  return finish({ program, timing, end, starts, arrival });
}

/** By stage × microbatches + microbatch: 1 where the stage runs it; undefined where stages run all. */
type Runs = Uint8Array | undefined;

function runsOf(program: Program): Runs {
  const { stages, microbatches, copies } = program;
  if (copies === undefined) return undefined;
  const runs = new Uint8Array(stages * microbatches);
  for (let stage = 0; stage < stages; stage += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      if (runsMicrobatch(program, stage, microbatch)) runs[stage * microbatches + microbatch] = 1;
  return runs;
}

/** I waits for the same as B of its stage: what it waits for is in the arrivals of B's needs. */
const twinNeed = (timing: Timing, stages: number, row: number, need: number): number =>
  kindOfRow(stages, row) === 2 ? timing.needOffsets[row - stages] + (need - timing.needOffsets[row]) : need;

/** Whether a need is met by an operation of the same device: its result is there at its end. */
const isWithin = (
  { stages, placement }: Program,
  { needs, needChannel, needRoute }: Timing,
  row: number,
  need: number,
) => needRoute[need] < 0 && needChannel[need] < 0 && placement[needs[need] % stages] === placement[row % stages];

/** Compressed rows. */
interface Rows {
  readonly offsets: Int32Array;
  readonly values: Int32Array;
}

/**
 * By row: `across`, where the arrivals of its needs from other devices begin; `within`, where the ends of its needs on the same
 * device begin. `uses`, by result: who on another device needs it.
 */
function waitsOf(program: Program, timing: Timing) {
  const { stages, microbatches, placement } = program;
  const { needOffsets, needs, needChannel, needLatency, needOccupancy } = timing;
  const rows = timing.duration.length;
  const across: Rows = { offsets: new Int32Array(rows + 1), values: new Int32Array(needs.length) };
  const within: Rows = { offsets: new Int32Array(rows + 1), values: new Int32Array(needs.length) };
  const offsets = new Int32Array(resultsIn(program) * stages + 1);
  /** By need: the stage that it is sent to; −1 for what is not sent. */
  const sentTo = new Int32Array(needs.length).fill(-1);
  for (let row = 0, [far, near] = [0, 0]; row < rows; row += 1) {
    const stage = row % stages;
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      if (isWithin(program, timing, row, need)) {
        within.values[near++] = needs[need] * microbatches;
        continue;
      }
      const twin = twinNeed(timing, stages, row, need);
      across.values[far++] = twin * microbatches;
      if (twin !== need) continue;
      sentTo[need] = stage;
      offsets[needs[need] + 1] += 1;
    }
    across.offsets[row + 1] = far;
    within.offsets[row + 1] = near;
  }
  for (let result = 1; result < offsets.length; result += 1) offsets[result] += offsets[result - 1];
  const sent = offsets[offsets.length - 1];
  const next = offsets.slice();
  const [arrival, stageOf, device, channel] = [0, 0, 0, 0].map(() => new Int32Array(sent));
  const occupancy = new Float64Array(sent);
  const delay = new Float64Array(sent);
  for (let need = 0; need < needs.length; need += 1) {
    if (sentTo[need] < 0) continue;
    const use = next[needs[need]]++;
    arrival[use] = need * microbatches;
    stageOf[use] = sentTo[need];
    device[use] = placement[sentTo[need]];
    channel[use] = needChannel[need];
    occupancy[use] = needOccupancy[need];
    // As `runInOrder` adds them, so that both give the same bits.
    delay[use] = needOccupancy[need] + needLatency[need];
  }
  return { across, within, uses: { offsets, arrival, stage: stageOf, device, channel, occupancy, delay } };
}

/** NaN for the arrivals of results that the program leaves out. */
function leaveOut(program: Program, { needs }: Timing, end: Float64Array, arrival: Float64Array): void {
  const { microbatches, copies, extended } = program;
  if (copies === undefined && extended !== true) return;
  for (let need = 0; need < needs.length; need += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      if (Number.isNaN(end[needs[need] * microbatches + microbatch])) arrival[need * microbatches + microbatch] = NaN;
}

/** Fills in the arrivals that the loop does without: results that stay within a device, and what I waits for. */
function completeArrivals(
  program: Program,
  timing: Timing,
  { end, arrival, runs }: { readonly end: Float64Array; readonly arrival: Float64Array; readonly runs: Runs },
): void {
  const { stages, microbatches } = program;
  const { needOffsets, needs } = timing;
  for (let row = 0; row < timing.duration.length; row += 1) {
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const to = need * microbatches;
      if (isWithin(program, timing, row, need)) {
        const from = needs[need] * microbatches;
        for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
          if (runs === undefined || runs[(row % stages) * microbatches + microbatch] === 1)
            arrival[to + microbatch] = end[from + microbatch];
      } else {
        const from = twinNeed(timing, stages, row, need) * microbatches;
        if (from !== to) arrival.copyWithin(to, from, from + microbatches);
      }
    }
  }
}

import { type Program, resultsIn, runsMicrobatch } from '../schedule/program.ts';
import { EventHeap } from './eventHeap.ts';
import { finish } from './finish.ts';
import { type Timeline, type Timing, emptyEnds, resultOfKind } from './timeline.ts';

/**
 * The general way, in order of time: for channels that transfers queue for (several senders, or transfers longer than the
 * operations between them) and for fused operations. First come, first served; equal times by device number.
 * O(operations · log devices + needs).
 */
export function runWithQueues(program: Program, timing: Timing): Timeline | undefined {
  const { devices, stages, microbatches, order, offsets, shift, fused } = program;
  const { duration, needOffsets, needs, needChannel, needOccupancy, needLatency } = timing;
  const mask = (1 << shift) - 1;
  const end = emptyEnds(program);
  const arrival = new Float64Array(needs.length * microbatches).fill(-1);
  // What the program leaves out, nothing waits for.
  needs.forEach((result, need) => {
    for (let slot = 0; slot < microbatches; slot += 1)
      if (Number.isNaN(end[result * microbatches + slot])) arrival[need * microbatches + slot] = NaN;
  });
  const starts = fused === undefined ? undefined : new Float64Array(order.length);
  const channelFree = new Float64Array(timing.channels);
  const consumers = consumersOf(program, timing);
  const freeAt = new Float64Array(devices);
  const cursors = offsets.slice(0, devices);
  const running = new Uint8Array(devices);
  const heap = new EventHeap(devices);
  let done = 0;

  /** Latest arrival of what the operation at `position` needs; −1 where something has not been made yet. */
  const readyAt = (position: number): number => {
    const row = order[position] >> shift;
    const microbatch = order[position] & mask;
    let ready = 0;
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const at = arrival[need * microbatches + microbatch];
      if (at < 0) return -1;
      if (at > ready) ready = at;
    }
    return ready;
  };
  const slotAt = (position: number): number => {
    const row = order[position] >> shift;
    return (resultOfKind[Math.trunc(row / stages)] * stages + (row % stages)) * microbatches + (order[position] & mask);
  };
  /** Operations that share the slot at `position`: 2 where it is fused with the next one. */
  const width = (position: number): number => (fused !== undefined && fused[position] === 1 ? 2 : 1);

  const tryStart = (device: number): void => {
    const position = cursors[device];
    if (running[device] === 1 || position >= offsets[device + 1]) return;
    let start = freeAt[device];
    let length = 0;
    for (let at = position; at < position + width(position); at += 1) {
      const ready = readyAt(at);
      if (ready < 0) return;
      if (ready > start) start = ready;
      length += duration[order[at] >> shift];
    }
    running[device] = 1;
    if (starts !== undefined) starts.fill(start, position, position + width(position));
    heap.push(start + length, device);
  };

  for (let device = 0; device < devices; device += 1) tryStart(device);
  while (heap.size > 0) {
    const device = heap.device;
    const now = heap.time;
    heap.pop();
    const position = cursors[device];
    cursors[device] += width(position);
    running[device] = 0;
    freeAt[device] = now;
    for (let at = position; at < cursors[device]; at += 1) {
      end[slotAt(at)] = now;
      done += 1;
      const microbatch = order[at] & mask;
      const result = Math.trunc(slotAt(at) / microbatches);
      const toDo = consumers.offsets;
      for (let use = toDo[result]; use < toDo[result + 1]; use += 1) {
        const need = consumers.needs[use];
        // B and I of a stage list the same need; a transfer is sent once, for both.
        const twin = consumers.twin[use];
        // A copy of the stage that runs other microbatches gets nothing of this one.
        if (!runsMicrobatch(program, consumers.stage[use], microbatch)) continue;
        const channel = needChannel[need];
        let leaves = now;
        if (channel >= 0) {
          leaves = Math.max(now, channelFree[channel]);
          channelFree[channel] = leaves + needOccupancy[need];
        }
        const at = leaves + needOccupancy[need] + needLatency[need];
        arrival[need * microbatches + microbatch] = at;
        if (twin >= 0) arrival[twin * microbatches + microbatch] = at;
      }
    }
    tryStart(device);
    for (let at = position; at < cursors[device]; at += 1) {
      const result = Math.trunc(slotAt(at) / microbatches);
      for (let use = consumers.offsets[result]; use < consumers.offsets[result + 1]; use += 1)
        tryStart(consumers.device[use]);
    }
  }
  return done === order.length ? finish({ program, timing, end, starts, arrival }) : undefined;
}

/** Needs by the result they ask for: compressed rows over results. `twin` is the same need of the other kind of backward, or −1. */
function consumersOf(program: Program, timing: Timing) {
  const { stages, placement } = program;
  const { needOffsets, needs } = timing;
  const lists: { need: number; twin: number; device: number; stage: number }[][] = Array.from(
    { length: resultsIn(program) * stages },
    () => [],
  );
  for (let row = 0; row < timing.duration.length; row += 1) {
    const kind = Math.trunc(row / stages);
    if (kind === 2) continue;
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      const twin = kind === 1 ? needOffsets[row + stages] + (need - needOffsets[row]) : -1;
      lists[needs[need]].push({ need, twin, device: placement[row % stages], stage: row % stages });
    }
  }
  const flat = lists.flat();
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => (offsets[index + 1] = offsets[index] + list.length));
  return {
    offsets,
    needs: Int32Array.from(flat, (one) => one.need),
    twin: Int32Array.from(flat, (one) => one.twin),
    device: Int32Array.from(flat, (one) => one.device),
    stage: Int32Array.from(flat, (one) => one.stage),
  };
}

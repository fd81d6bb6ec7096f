import { kindOfRow, needSlot, type Program, resultRows, resultsIn, runsMicrobatch } from '../values/program.ts';
import type { FlowNetwork } from './flows.ts';
import { occupancyOf, type Timing } from '../values/timeline.ts';

/** Results in transfer between devices: when each is there. A channel serves transfers in the order in which they are sent. */
export interface Transfers {
  /**
   * Arrival of each needed result, at need × microbatches + microbatch of who needs it: −1 while it is not sent, NaN if nothing
   * makes it.
   */
  readonly arrival: Float64Array;
  /** Devices that use each result, as compressed rows: result r has `offsets[r]` to `offsets[r + 1]`. */
  readonly users: { readonly offsets: Int32Array; readonly device: Int32Array };
  /** Index of the result of the operation at a position of `order`, and its slot in an array of ends. */
  resultAt(position: number): number;
  slotAt(position: number): number;
  /** Latest arrival of what the operation at `position` needs; −1 if something is not sent yet. */
  readyAt(position: number): number;
  /** Takes the channel of a need from `now` on, as soon as it is free: when the transfer begins. */
  begin(need: number, microbatch: number, now: number): number;
  /**
   * Sends the result of the operation at `position`, which ends `now`. `tell` hears of each arrival after now, with its device.
   * With `carry`, that takes each transfer and sees to its arrival.
   */
  send(position: number, now: number, tell?: (at: number, device: number) => void, carry?: FlowNetwork['carry']): void;
}

/**
 * `end` as `emptyEnds` gives it: no operation waits for what the program leaves out. With `own`, `send` is only for what a device
 * itself needs again and for gradients that copies reduce; the caller handles exchanges with other devices.
 */
export function transfersOf(program: Program, timing: Timing, end: Float64Array, own = false): Transfers {
  const { stages, microbatches, order, shift, placement } = program;
  const { needOffsets, needs, needShift, needOnly, needRoute, needChannel, needLatency, needCopy } = timing;
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const arrival = new Float64Array(needs.length * microbatches).fill(-1);
  for (let need = 0; need < needs.length; need += 1) {
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      const slot = needSlot(timing, microbatches, need, microbatch);
      if (slot < 0 || Number.isNaN(end[slot])) arrival[need * microbatches + microbatch] = NaN;
    }
  }
  const channelFree = new Float64Array(timing.channels);
  const users = usersOf(program, timing);
  const resultOfRow = resultRows(program);
  const resultAt = (position: number): number => resultOfRow[order[position] >> shift];
  const begin = (need: number, microbatch: number, now: number): number => {
    const channel = needChannel[need];
    if (channel < 0) return now;
    const begins = Math.max(now, channelFree[channel]);
    channelFree[channel] = begins + occupancyOf(timing, microbatches, need, microbatch);
    return begins;
  };
  return {
    arrival,
    users,
    begin,
    resultAt,
    slotAt: (position) => resultAt(position) * microbatches + (order[position] & mask),
    readyAt(position) {
      const row = order[position] >> shift;
      const microbatch = order[position] & mask;
      let ready = timing.release?.[row] ?? 0;
      for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
        let at = arrival[need * microbatches + microbatch];
        const copy = needCopy?.[need] ?? -1;
        if (at < 0 && copy >= 0) {
          at = arrival[copy * microbatches + microbatch + (needShift?.[need] ?? 0)];
          if (at >= 0) arrival[need * microbatches + microbatch] = at += needLatency[need];
        }
        if (at < 0) return -1;
        if (at > ready) ready = at;
      }
      return ready;
    },
    send(position, now, tell, carry) {
      const made = order[position] & mask;
      const result = resultAt(position);
      for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) {
        const need = users.needs[use];
        // `readyAt` looks at the copy that it waits for.
        if (needCopy !== undefined && needCopy[need] >= 0) continue;
        // B and I of a stage list the same need; a transfer is sent once, for both.
        const twin = users.twin[use];
        const further = needShift === undefined ? 0 : needShift[need];
        const microbatch = made - further;
        // A copy of the stage that runs other microbatches gets nothing of this one.
        if (microbatch < 0 || microbatch >= microbatches) continue;
        const only = needOnly?.[need];
        if (only === undefined ? !runsMicrobatch(program, users.stage[use], microbatch) : only[microbatch] === 0)
          continue;
        // Gradients go to other copies in a collective, not by sends.
        if (own && further === 0 && users.device[use] !== placement[result % stages]) continue;
        // A copy to or from the host has its channel for itself.
        if (carry !== undefined && (needRoute[need] >= 0 || needChannel[need] < 0)) {
          carry(need, microbatch, twin, users.device[use], now);
          continue;
        }
        // As `runInOrder` adds them, so that both give the same bits.
        const at =
          begin(need, microbatch, now) + (occupancyOf(timing, microbatches, need, microbatch) + needLatency[need]);
        arrival[need * microbatches + microbatch] = at;
        if (twin >= 0) arrival[twin * microbatches + microbatch] = at;
        if (tell !== undefined && at > now) tell(at, users.device[use]);
      }
    },
  };
}

/** Needs by the result they ask for: compressed rows over results. `twin` is the same need of the other kind of backward, or −1. */
function usersOf(program: Program, timing: Timing) {
  const { stages, placement } = program;
  const { needOffsets, needs } = timing;
  const lists: { need: number; twin: number; device: number; stage: number }[][] = Array.from(
    { length: resultsIn(program) * stages },
    () => [],
  );
  for (let row = 0; row < timing.duration.length; row += 1) {
    const kind = kindOfRow(stages, row);
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
    needs: Int32Array.from(flat, (each) => each.need),
    twin: Int32Array.from(flat, (each) => each.twin),
    device: Int32Array.from(flat, (each) => each.device),
    stage: Int32Array.from(flat, (each) => each.stage),
  };
}

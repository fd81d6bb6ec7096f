import type { TransferRule } from '../values/plan.ts';
import { deviceOfItem, exchangesOf } from '../order/exchanges.ts';
import type { Program } from '../values/program.ts';
import { slotLength, slotWidth } from '../order/slot.ts';
import { EarliestEvent } from './earliest.ts';
import { crowdedRuns } from './sharing/crowdedRuns.ts';
import { finish } from './finish.ts';
import { type Timeline, type Timing, emptyEnds, occupancyOf } from '../values/timeline.ts';
import { transfersOf } from './transfers.ts';

/**
 * Sends and receives that block: each device goes through its slots and groups of exchanges in order (`exchangesOf`). A transfer
 * begins when both its devices have come to it and its channel is free. It holds the channel for `needOccupancy` and ends
 * `needLatency` later, for both. A device leaves a group when all its transfers have ended. Two kinds of transfers run in
 * parallel with the work of both devices: what a device evicts to another one, and gradients that copies of a stage reduce. First
 * come, first served; equal times by device number. O(operations · log devices + needs). Undefined if devices wait for each other
 * for ever.
 */
export function runRendezvous(program: Program, timing: Timing, rule: TransferRule): Timeline | undefined {
  const { done, ...run } = rendezvousAsFarAsItGoes(program, timing, rule);
  return done < program.order.length ? undefined : finish(run);
}

/** As `runRendezvous`, also if devices wait for each other for ever: operations that never run have a negative `end`. */
export function rendezvousAsFarAsItGoes(program: Program, timing: Timing, rule: TransferRule) {
  const { devices, microbatches, order } = program;
  const { needOffsets, needs, needShift, needLatency } = timing;
  const rows = timing.duration.length;
  const table = { first: needOffsets.subarray(0, rows), last: needOffsets.subarray(1), needs, needShift };
  const exchanges = exchangesOf(program, table, rule.batched);
  const { offsets, slot, from, members } = exchanges;
  const end = emptyEnds(program);
  const { arrival, begin, readyAt, resultAt, slotAt, send, users } = transfersOf(program, timing, end, true);
  const starts = new Float64Array(order.length);
  const left = new Float64Array(slot.length).fill(-1);
  const began = new Float64Array(exchanges.need.length).fill(-1);
  const cursors = offsets.slice(0, devices);
  const issued = new Uint8Array(began.length);
  /** For the group that a device is in: its transfers that have not begun, and the latest end of the others. */
  const open = new Int32Array(devices);
  const latest = new Float64Array(devices);
  const events = new EarliestEvent(devices);
  const crowded = timing.crowd === undefined ? undefined : crowdedRuns(program, timing.crowd, events);
  /** Position of an update that waits for another copy's gradients, by device; −1 for none. */
  const pending = new Int32Array(devices).fill(-1);
  let done = 0;

  const issue = (device: number, item: number, now: number): void => {
    open[device] = 0;
    latest[device] = now;
    for (let at = from[item]; at < from[item + 1]; at += 1) {
      const exchange = members[at];
      if (issued[exchange] === 0) {
        issued[exchange] = 1;
        open[device] += 1;
        continue;
      }
      const need = exchanges.need[exchange];
      const microbatch = exchanges.microbatch[exchange];
      began[exchange] = begin(need, microbatch, now);
      const ends = began[exchange] + (occupancyOf(timing, microbatches, need, microbatch) + needLatency[need]);
      arrival[need * microbatches + microbatch] = ends;
      const other = exchanges.sender[exchange] === item ? exchanges.receiver[exchange] : exchanges.sender[exchange];
      const peer = deviceOfItem(exchanges, other);
      latest[device] = Math.max(latest[device], ends);
      latest[peer] = Math.max(latest[peer], ends);
      open[peer] -= 1;
      if (open[peer] === 0) events.set(peer, latest[peer]);
    }
    if (open[device] === 0) events.set(device, latest[device]);
  };

  const run = (device: number, position: number, now: number): void => {
    let start = now;
    const width = slotWidth(program, position);
    for (let at = position; at < position + width; at += 1) {
      const ready = readyAt(at);
      if (ready < 0) {
        pending[device] = position;
        return;
      }
      if (ready > start) start = ready;
    }
    starts.fill(start, position, position + width);
    const seconds = slotLength(program, position, timing);
    if (crowded === undefined) events.set(device, start + seconds);
    else crowded.begin(device, position, start, seconds);
  };

  const next = (device: number, now: number): void => {
    const item = cursors[device];
    if (item === offsets[device + 1]) return;
    if (slot[item] < 0) issue(device, item, now);
    else run(device, slot[item], now);
  };

  for (let device = 0; device < devices; device += 1) next(device, 0);
  while (events.time < Infinity) {
    const { device, time: now } = events;
    if (crowded?.entered(device, now) === true) continue;
    events.set(device, Infinity);
    const item = cursors[device];
    left[item] = now;
    cursors[device] = item + 1;
    if (slot[item] >= 0) {
      for (let at = slot[item]; at < slot[item] + slotWidth(program, slot[item]); at += 1) {
        end[slotAt(at)] = now;
        done += 1;
        send(at, now);
      }
    }
    next(device, now);
    if (needShift === undefined || slot[item] < 0) continue;
    for (let at = slot[item]; at < slot[item] + slotWidth(program, slot[item]); at += 1) {
      const result = resultAt(at);
      for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) {
        const waiting = users.device[use];
        const position = pending[waiting];
        pending[waiting] = -1;
        if (position >= 0) run(waiting, position, now);
      }
    }
  }
  return { done, program, timing, end, starts, arrival, blocking: { exchanges, left, began } };
}

import type { Program } from '../values/program.ts';
import { slotLength, slotWidth } from '../order/slot.ts';
import { EarliestEvent } from './earliest.ts';
import { crowdedRuns } from './sharing/crowdedRuns.ts';
import { queuesForChannels, runChannelQueues } from './channelQueues.ts';
import { finish } from './finish.ts';
import { flowNetwork } from './flows.ts';
import { type Timeline, type Timing, emptyEnds } from '../values/timeline.ts';
import { transfersOf } from './transfers.ts';

/**
 * The general method, in order of time. It handles channels that transfers queue for (several senders, or transfers longer than
 * the operations between them) or share (`flowNetwork`), and fused operations. First come, first served; equal times by device
 * number. O(operations · log devices + needs).
 */
export function runWithQueues(program: Program, timing: Timing): Timeline | undefined {
  return queuesForChannels(program, timing) ? runChannelQueues(program, timing) : runInTime(program, timing);
}

/** The same without the shortcuts of `runChannelQueues`: also for transfers and operations that share links, and for updates that wait for other copies. */
export function runInTime(program: Program, timing: Timing): Timeline | undefined {
  const { devices, order, offsets, fused } = program;
  const end = emptyEnds(program);
  const { arrival, users, resultAt, slotAt, readyAt, send } = transfersOf(program, timing, end);
  const { crowd } = timing;
  const plain = fused === undefined && timing.single === undefined && crowd === undefined;
  const starts = plain ? undefined : new Float64Array(order.length);
  const freeAt = new Float64Array(devices);
  const cursors = offsets.slice(0, devices);
  const running = new Uint8Array(devices);
  const ending = new EarliestEvent(devices);
  const crowded = crowd === undefined ? undefined : crowdedRuns(program, crowd, ending);
  let done = 0;

  const tryStart = (device: number): void => {
    const position = cursors[device];
    if (running[device] === 1 || position >= offsets[device + 1]) return;
    const width = slotWidth(program, position);
    let start = freeAt[device];
    for (let at = position; at < position + width; at += 1) {
      const ready = readyAt(at);
      if (ready < 0) return;
      if (ready > start) start = ready;
    }
    running[device] = 1;
    if (starts !== undefined) starts.fill(start, position, position + width);
    const seconds = slotLength(program, position, timing);
    if (crowded === undefined) ending.set(device, start + seconds);
    else crowded.begin(device, position, start, seconds);
  };

  // Who evicts shows when its transfers begin: memory is held from then on.
  const sent =
    timing.flows !== undefined && (program.partner !== undefined || program.declared !== undefined)
      ? arrival.slice()
      : undefined;
  const network =
    timing.flows === undefined
      ? undefined
      : flowNetwork(timing, timing.flows, arrival, program.microbatches, tryStart, sent);

  for (let device = 0; device < devices; device += 1) tryStart(device);
  for (;;) {
    if (network?.advance(ending.time)) continue;
    const now = ending.time;
    if (now === Infinity) break;
    const { device } = ending;
    if (crowded?.entered(device, now) === true) continue;
    ending.set(device, Infinity);
    const position = cursors[device];
    cursors[device] += slotWidth(program, position);
    running[device] = 0;
    freeAt[device] = now;
    for (let at = position; at < cursors[device]; at += 1) {
      end[slotAt(at)] = now;
      done += 1;
      send(at, now, undefined, network?.carry);
    }
    tryStart(device);
    for (let at = position; at < cursors[device]; at += 1) {
      const result = resultAt(at);
      for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) tryStart(users.device[use]);
    }
  }
  return done === order.length ? finish({ program, timing, end, starts, arrival, sent }) : undefined;
}

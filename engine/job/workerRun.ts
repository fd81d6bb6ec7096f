import type { Worker } from './worker.ts';
import { resultRows, F } from '../values/program.ts';
import { emptyEnds } from '../values/timeline.ts';
import { arrivalsOf, usersOf } from './arrivals.ts';
import { Turns } from './turns.ts';
import { minibatchOf, wavesOf } from './wave.ts';

/** One worker's devices in time, driven from outside, so that several workers share one clock. Seconds. */
export interface WorkerRun {
  /** Time of the next event; `Infinity` if there is none. */
  next(): number;
  /** Ends what ends `now`. */
  end(now: number): void;
  /** Starts what may start `now`. */
  start(now: number): void;
  /** Lets in all minibatches under `number`. */
  open(number: number): void;
  /** Writes down the ends of running operations: the run goes no further. */
  stop(): void;
  /** End of each operation by slot, as in `Timeline`. */
  readonly ends: Float64Array;
}

/** What a worker tells while it runs. */
export interface WorkerEvents {
  /** The first operation of a minibatch starts. */
  entered(minibatch: number): void;
  /** All operations of a wave have ended. */
  waveEnded(number: number, now: number): void;
  /** A minibatch could enter, everything before it on its device being done, but is held back. */
  refused(now: number): void;
}

/**
 * Devices work through their orders as in `simulate`. A minibatch that is held back delays no other work. The operations behind
 * its forwards run as soon as they are ready. Its forwards take their place again once it is admitted. Programs without fused
 * operations only.
 */
export function workerRun({ program, timing, entries, free }: Worker, wave: number, events: WorkerEvents): WorkerRun {
  const { devices, stages, order, offsets, shift, microbatches } = program;
  const { duration } = timing;
  const minibatch = minibatchOf(program);
  // Words are `row << shift | microbatch`; taken apart here, since this runs for each operation.
  const mask = (1 << shift) - 1;
  const forwards = (F + 1) * stages;
  const ends = emptyEnds(program);
  const { readyAt, send } = arrivalsOf(program, timing, ends, free !== undefined);
  const users = usersOf(program, timing);
  const results = resultRows(program);
  const { waveOf, left } = wavesOf(program, wave);
  // What a device has still to do, as a list through its order: `behind` leads from an operation to the next one that has not ended.
  const behind = new Int32Array(order.length);
  for (let at = 0; at < order.length; at += 1) behind[at] = at + 1;
  const late = new Uint8Array(microbatches);
  const heads = offsets.slice(0, devices);
  /** Of what each device runs: the operation before it in that list, or −1. */
  const before = new Int32Array(devices);
  const running = new Int32Array(devices).fill(-1);
  const until = new Float64Array(devices);
  // The turn of a device is the end of what it runs, else the first arrival that it waits for.
  const turns = new Turns(devices);
  // Devices to look at: only those of which something has changed can start anything.
  const changed = new Int32Array(devices);
  const isChanged = new Uint8Array(devices);
  let changes = 0;
  /** Number of admitted microbatches. */
  let allowed = 0;

  const change = (device: number): void => {
    if (running[device] >= 0 || isChanged[device] === 1) return;
    isChanged[device] = 1;
    changed[changes++] = device;
  };
  const changeAll = (): void => {
    for (let device = 0; device < devices; device += 1) change(device);
  };

  const begin = (device: number, now: number): void => {
    const stop = offsets[device + 1];
    let arrival = Infinity;
    for (let at = heads[device], last = -1; at < stop; last = at, at = behind[at]) {
      const row = order[at] >> shift;
      const microbatch = order[at] & mask;
      // No forward of a minibatch that is not in can be ready: its first ones are the entries.
      if (microbatch >= allowed && row < forwards) {
        if (entries[row] === 1) {
          if (last < 0) events.refused(now);
          if (late[microbatch] === 0) {
            late[microbatch] = 1;
            // Others may now pass over its forwards.
            changeAll();
          }
        } else if (late[microbatch] === 0) break;
        continue;
      }
      const ready = readyAt(at);
      if (ready < 0 || ready > now) {
        if (ready > now && ready < arrival) arrival = ready;
        if (row >= forwards || late[microbatch] === 0) break;
        continue;
      }
      running[device] = at;
      before[device] = last;
      until[device] = now + duration[row];
      turns.set(device, until[device]);
      if (entries[row] === 1 && microbatch % minibatch === 0) events.entered(microbatch / minibatch);
      return;
    }
    turns.set(device, arrival);
  };

  changeAll();
  return {
    ends,
    next: () => turns.time,
    end(now) {
      while (turns.time <= now) {
        const device = turns.first;
        turns.set(device, Infinity);
        const at = running[device];
        running[device] = -1;
        change(device);
        if (at < 0) continue;
        if (before[device] < 0) heads[device] = behind[at];
        else behind[before[device]] = behind[at];
        const microbatch = order[at] & mask;
        const result = results[order[at] >> shift];
        ends[result * microbatches + microbatch] = now;
        send(at, now);
        for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) change(users.device[use]);
        const number = waveOf[microbatch];
        left[number] -= 1;
        if (left[number] === 0) events.waveEnded(number, now);
      }
    },
    start(now) {
      while (changes > 0) {
        const device = changed[--changes];
        isChanged[device] = 0;
        if (running[device] < 0) begin(device, now);
      }
    },
    open(number) {
      if (number * minibatch <= allowed) return;
      allowed = number * minibatch;
      changeAll();
    },
    stop() {
      for (let device = 0; device < devices; device += 1)
        if (running[device] >= 0) {
          const word = order[running[device]];
          ends[results[word >> shift] * microbatches + (word & mask)] = until[device];
        }
    },
  };
}

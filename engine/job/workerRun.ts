import { F, type Program } from '../schedule/program.ts';
import { type Timing, emptyEnds } from '../simulate/timeline.ts';
import { transfersOf } from '../simulate/transfers.ts';
import { Turns } from './turns.ts';
import { minibatchOf } from './wave.ts';

/** One worker's devices in time, driven from outside, so that several workers share one clock. Seconds. */
export interface WorkerRun {
  /** Time of the next event; `Infinity` where nothing is under way. */
  next(): number;
  /** Ends what ends `now`. */
  end(now: number): void;
  /** Starts what may start `now`. */
  start(now: number): void;
  /** Lets in all minibatches under `number`. */
  open(number: number): void;
  /** Writes down the ends of operations under way: the run goes no further. */
  stop(): void;
  /** End of each operation by slot, as in `Timeline`. */
  readonly ends: Float64Array;
}

/** What a worker tells while it runs. */
export interface WorkerEvents {
  /** The first operation of a minibatch starts. */
  entered(minibatch: number): void;
  /** An operation of a microbatch has ended. */
  ended(microbatch: number, now: number): void;
  /** A minibatch could enter, everything before it on its device being done, but is not let in. */
  refused(now: number): void;
}

/**
 * Devices work through their orders as in `simulate`. A minibatch that is not let in holds nothing up: the operations behind its
 * forwards run as soon as they are ready, and its own take their place again once it is in. Programs without fused operations only.
 */
export function workerRun(program: Program, timing: Timing, entries: Uint8Array, events: WorkerEvents): WorkerRun {
  const { devices, stages, order, offsets, shift, microbatches } = program;
  const { duration } = timing;
  const minibatch = minibatchOf(program);
  const mask = (1 << shift) - 1;
  const forwards = (F + 1) * stages;
  const ends = emptyEnds(program);
  const { users, readyAt, send, slotAt, resultAt } = transfersOf(program, timing, ends);
  const done = new Uint8Array(order.length);
  const late = new Uint8Array(microbatches);
  const heads = offsets.slice(0, devices);
  const running = new Int32Array(devices).fill(-1);
  const until = new Float64Array(devices);
  // The turn of a device is the end of what it runs, else the first arrival that it waits for.
  const turns = new Turns(devices);
  // Devices to look at: only those of which something has changed can start anything.
  const changed = new Int32Array(devices);
  const isChanged = new Uint8Array(devices);
  let changes = 0;
  /** Microbatches that are let in. */
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
    let head = heads[device];
    while (head < stop && done[head] === 1) head += 1;
    heads[device] = head;
    let arrival = Infinity;
    for (let at = head; at < stop; at += 1) {
      if (done[at] === 1) continue;
      const row = order[at] >> shift;
      const microbatch = order[at] & mask;
      if (microbatch >= allowed && entries[row] === 1) {
        if (at === head) events.refused(now);
        if (late[microbatch] === 1) continue;
        late[microbatch] = 1;
        // Others may now pass over its forwards.
        changeAll();
        continue;
      }
      const ready = readyAt(at);
      if (ready < 0 || ready > now) {
        if (ready > now && ready < arrival) arrival = ready;
        if (late[microbatch] === 1 && row < forwards) continue;
        break;
      }
      running[device] = at;
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
        done[at] = 1;
        ends[slotAt(at)] = now;
        send(at, now);
        const result = resultAt(at);
        for (let use = users.offsets[result]; use < users.offsets[result + 1]; use += 1) change(users.device[use]);
        events.ended(order[at] & mask, now);
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
        if (running[device] >= 0) ends[slotAt(running[device])] = until[device];
    },
  };
}

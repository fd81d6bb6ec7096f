import { F, type Program } from '../schedule/program.ts';
import { EventHeap } from '../simulate/eventHeap.ts';
import { type Timing, emptyEnds } from '../simulate/timeline.ts';
import { transfersOf } from '../simulate/transfers.ts';
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
  entered(minibatch: number, now: number): void;
  /** An operation of a minibatch has ended. */
  ended(minibatch: number, now: number): void;
  /** A minibatch could enter, everything before it on its device being done, but is not let in. */
  refused(minibatch: number, now: number): void;
}

/**
 * Devices work through their orders as in `simulate`. A minibatch that is not let in holds nothing up: the operations behind its
 * forwards run as soon as they are ready, and its own take their place again once it is in. Programs without fused operations only.
 */
export function workerRun(program: Program, timing: Timing, entries: Uint8Array, events: WorkerEvents): WorkerRun {
  const { devices, stages, order, offsets, shift, microbatches } = program;
  const minibatch = minibatchOf(program);
  const mask = (1 << shift) - 1;
  const ends = emptyEnds(program);
  const { readyAt, send, slotAt } = transfersOf(program, timing, ends);
  const done = new Uint8Array(order.length);
  const late = new Uint8Array(microbatches);
  const heads = offsets.slice(0, devices);
  const running = new Int32Array(devices).fill(-1);
  const until = new Float64Array(devices);
  // An event is a reason to look at a device: the end of what it runs, or an arrival.
  const heap = new EventHeap(devices + timing.needs.length * microbatches);
  let allowed = 0;

  const begin = (device: number, now: number): void => {
    if (running[device] >= 0) return;
    const stop = offsets[device + 1];
    while (heads[device] < stop && done[heads[device]] === 1) heads[device] += 1;
    for (let at = heads[device]; at < stop; at += 1) {
      if (done[at] === 1) continue;
      const row = order[at] >> shift;
      const microbatch = order[at] & mask;
      const number = Math.trunc(microbatch / minibatch);
      if (entries[row] === 1 && number >= allowed) {
        late[microbatch] = 1;
        if (at === heads[device]) events.refused(number, now);
        continue;
      }
      const ready = readyAt(at);
      if (ready < 0 || ready > now) {
        if (late[microbatch] === 1 && row < (F + 1) * stages) continue;
        return;
      }
      running[device] = at;
      until[device] = now + timing.duration[row];
      heap.push(until[device], device);
      if (entries[row] === 1 && microbatch % minibatch === 0) events.entered(number, now);
      return;
    }
  };

  return {
    ends,
    next: () => (heap.size > 0 ? heap.time : Infinity),
    end(now) {
      while (heap.size > 0 && heap.time <= now) {
        const { device } = heap;
        heap.pop();
        const at = running[device];
        if (at < 0 || until[device] > now) continue;
        running[device] = -1;
        done[at] = 1;
        ends[slotAt(at)] = now;
        send(at, now, (time, user) => heap.push(time, user));
        events.ended(Math.trunc((order[at] & mask) / minibatch), now);
      }
    },
    start(now) {
      for (let device = 0; device < devices; device += 1) begin(device, now);
    },
    open(number) {
      if (number > allowed) allowed = number;
    },
    stop() {
      for (let device = 0; device < devices; device += 1)
        if (running[device] >= 0) ends[slotAt(running[device])] = until[device];
    },
  };
}

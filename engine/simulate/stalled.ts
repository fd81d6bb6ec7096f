import { startAt, endAt, emptyEnds, type Timeline, type Timing } from '../values/timeline.ts';
import { type Program, resultRowOf } from '../values/program.ts';
import { rendezvousAsFarAsItGoes } from './rendezvous.ts';
import { simulate } from './simulate.ts';

/** A program whose operations wait for each other for ever, run as far as it goes. */
export interface StalledRun {
  /** By device: first position of `order` that never runs; the device's end if it runs all. */
  readonly stuck: Int32Array;
  /** Seconds by position of `order`; NaN for what never runs. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** End of the last operation that runs, seconds. 0 if none runs. */
  readonly seconds: number;
}

/**
 * What runs before a deadlock, and when. `stuck`: how far each device gets if no transfer blocks (`visitInOrder`). Operations
 * before a deadlock do not need the others: they run as in a program without them. Gradients are not
 * synchronised, for no device is done. Linear, as the simulation is.
 */
export function runUntilStalled(program: Program, stuck: Int32Array, whole: Timing): StalledRun {
  const timing: Timing = {
    ...whole,
    sync: new Float64Array(program.devices),
    optimizer: new Float64Array(program.devices),
    buckets: undefined,
    holders: undefined,
  };
  if (timing.transfer !== undefined) {
    const run = rendezvousAsFarAsItGoes(program, timing, timing.transfer);
    return stalledRun(program, ranUntil(program, run.end), run, (position) => position);
  }
  const { part, positionOf } = beginning(program, stuck);
  const run = simulate(part, timing);
  if (run === undefined) {
    const none = { program: part, timing, end: emptyEnds(part) };
    return stalledRun(program, program.offsets.slice(0, program.devices), none, positionOf);
  }
  return stalledRun(program, stuck, run, positionOf);
}

/** Fills in starts and ends of what ran. `positionOf`: the position in the program that ran. */
function stalledRun(
  program: Program,
  stuck: Int32Array,
  run: Pick<Timeline, 'program' | 'timing' | 'end' | 'starts'>,
  positionOf: (position: number, device: number) => number,
): StalledRun {
  const start = new Float64Array(program.order.length).fill(NaN);
  const end = new Float64Array(program.order.length).fill(NaN);
  let seconds = 0;
  for (let device = 0; device < program.devices; device += 1) {
    for (let position = program.offsets[device]; position < stuck[device]; position += 1) {
      const at = positionOf(position, device);
      start[position] = startAt(run, at);
      end[position] = endAt(run, at);
      if (end[position] > seconds) seconds = end[position];
    }
  }
  return { stuck, start, end, seconds };
}

/** For each device the first position without an end. */
function ranUntil({ devices, offsets, order, shift, stages, microbatches }: Program, end: Float64Array): Int32Array {
  const stuck = offsets.slice(0, devices);
  const mask = (1 << shift) - 1;
  for (let device = 0; device < devices; device += 1) {
    while (stuck[device] < offsets[device + 1]) {
      const word = order[stuck[device]];
      if (!(end[resultRowOf(stages, word >> shift) * microbatches + (word & mask)] >= 0)) break;
      stuck[device] += 1;
    }
  }
  return stuck;
}

/** The program up to where each device stops. */
function beginning(program: Program, stuck: Int32Array) {
  const { devices, offsets, order, fused } = program;
  const ends = new Int32Array(devices + 1);
  for (let device = 0; device < devices; device += 1) ends[device + 1] = ends[device] + stuck[device] - offsets[device];
  const words = new Int32Array(ends[devices]);
  const joined = fused === undefined ? undefined : new Uint8Array(words.length);
  for (let device = 0; device < devices; device += 1) {
    words.set(order.subarray(offsets[device], stuck[device]), ends[device]);
    if (fused !== undefined) joined?.set(fused.subarray(offsets[device], stuck[device]), ends[device]);
  }
  const part: Program = { ...program, order: words, offsets: ends, ...(joined === undefined ? {} : { fused: joined }) };
  return { part, positionOf: (position: number, device: number) => position - offsets[device] + ends[device] };
}

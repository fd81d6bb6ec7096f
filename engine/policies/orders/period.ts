/** Periods of asynchronous orders, one stage a device, in whole ticks. */
import type { Shape } from '../policy.ts';
import { wholeTicks } from '../../order/wholeTicks.ts';

/** Forwards that a stage has run before its backward of a microbatch: at least microbatch + 1, and never fewer for a later one. */
export type Ahead = (stage: number, microbatch: number) => number;

export interface Times {
  /** Ticks by stage. */
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  readonly update: Float64Array;
  /** Ticks between a stage and the next. */
  readonly transfer: Float64Array;
  /** Microbatches of an update. */
  readonly minibatch: number;
}

/** Times of a shape for runs of `runs` microbatches. */
export function timesOf(shape: Shape, runs: number): Times {
  const { stages, forward, backwardInput, backwardWeight, transfers, step, microbatches } = shape;
  const durations = new Float64Array(3 * stages);
  for (let stage = 0; stage < stages; stage += 1) {
    durations[stage] = forward[stage];
    durations[stages + stage] = backwardInput[stage] + backwardWeight[stage];
    durations[2 * stages + stage] = step[stage] ?? 0;
  }
  const { duration, transfer } = wholeTicks(durations, transfers.slice(), runs);
  return {
    forward: duration.subarray(0, stages),
    backward: duration.subarray(stages, 2 * stages),
    update: duration.subarray(2 * stages),
    transfer,
    minibatch: microbatches,
  };
}

/**
 * Ticks that no period of a microbatch can be under. One bound is F + B of the slowest stage with its share of an update. The
 * other is L / N for N in flight, where L = Σ(F + B) + 2Σc is the time from a first forward to the end of the last backward.
 */
export function leastPeriod({ forward, backward, update, transfer, minibatch }: Times, inFlight: number): number {
  let latency = 2 * transfer.reduce((total, ticks) => total + ticks, 0);
  let slowest = 0;
  for (let stage = 0; stage < forward.length; stage += 1) {
    latency += forward[stage] + backward[stage];
    slowest = Math.max(slowest, forward[stage] + backward[stage] + update[stage] / minibatch);
  }
  return Math.max(slowest, latency / inFlight);
}

/** Which microbatches of a run are measured. */
export interface Measure {
  /** Microbatches of the run. */
  readonly runs: number;
  /** Microbatches at the end that are left out: no further forward enters before their backwards, so these come sooner. */
  readonly drain: number;
  /** Microbatches before those, which are measured. */
  readonly window: number;
}

/**
 * Ticks between microbatches once the order repeats; Infinity if stages wait for each other. The mean of one repetition if the
 * window holds two of them, otherwise the mean of the window. Time: linear in the operations, plus window² at worst.
 */
export function periodOf(times: Times, ahead: Ahead, { runs, drain, window }: Measure): number {
  const { forward, backward, update, transfer, minibatch } = times;
  const stages = forward.length;
  const forwardEnd = new Float64Array(stages * runs);
  const backwardEnd = new Float64Array(stages * runs);
  const forwards = new Int32Array(stages);
  const backwards = new Int32Array(stages);
  const free = new Float64Array(stages);
  for (let moved = true; moved;) {
    moved = false;
    // Down and up again: what a pass of one direction makes ready, the other takes on.
    for (let turn = 0; turn < 2 * stages; turn += 1) {
      const stage = turn < stages ? turn : 2 * stages - 1 - turn;
      const base = stage * runs;
      for (;;) {
        const back = backwards[stage];
        if (back === runs) break;
        const next = forwards[stage];
        if (next < Math.min(runs, ahead(stage, back))) {
          if (stage > 0 && next >= forwards[stage - 1]) break;
          const arrival = stage === 0 ? 0 : forwardEnd[base - runs + next] + transfer[stage - 1];
          free[stage] = Math.max(free[stage], arrival) + forward[stage];
          forwardEnd[base + next] = free[stage];
          forwards[stage] += 1;
        } else {
          if (stage + 1 < stages && back >= backwards[stage + 1]) break;
          const arrival = stage + 1 === stages ? 0 : backwardEnd[base + runs + back] + transfer[stage];
          free[stage] = Math.max(free[stage], arrival) + backward[stage];
          backwardEnd[base + back] = free[stage];
          backwards[stage] += 1;
          if ((back + 1) % minibatch === 0) free[stage] += update[stage];
        }
        moved = true;
      }
    }
  }
  return backwards[0] < runs ? Infinity : meanStep(backwardEnd.subarray(runs - drain - window - 1, runs - drain));
}

/** Mean difference of neighbours: of the shortest repetition of these differences, of all if none is there twice. */
function meanStep(ends: Float64Array): number {
  const steps = ends.subarray(1).map((end, index) => end - ends[index]);
  const last = ends.length - 1;
  for (let lag = 1; 2 * lag <= steps.length; lag += 1) {
    let at = steps.length - 1;
    while (at >= lag && steps[at] === steps[at - lag]) at -= 1;
    if (at < lag) return (ends[last] - ends[last - lag]) / lag;
  }
  return (ends[last] - ends[0]) / last;
}

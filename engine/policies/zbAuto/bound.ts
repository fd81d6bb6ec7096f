import type { Problem } from './problem.ts';
import { headsOf } from './timing.ts';

/**
 * Ticks that no makespan and no span of an order within the limits can be under. For each device:
 * 1. The first forward comes down to it, then it does all its work, then its step.
 * 2. Its last input gradient comes after all its forwards and input gradients, and after the weight gradients that memory does
 *    not hold until then. It then goes up to the first device, where each device on the path still has a weight gradient to do.
 * 3. Before the first input gradient can start, the first microbatch must go down to the last device and back. Until then there
 *    are only the forwards that memory holds.
 * 4. A microbatch is held from the start of its F to the end of its I, and what W needs until the end of W: byte-seconds against
 *    the limit.
 *
 * A span starts with the device's first forward and has no step in it.
 */
export function leastOf(problem: Problem, limits: Float64Array): { readonly makespan: number; readonly span: number } {
  const { devices, microbatches, duration, transfer, step, activation, forWeight } = problem;
  const [forward, input, weight] = duration;
  // Ticks from the start until the first forward may start on a device, and back from there.
  const head = headsOf(problem);
  const back = new Float64Array(devices);
  for (let device = devices - 2; device >= 0; device -= 1)
    back[device] = back[device + 1] + input[device + 1] + transfer[device];
  const last = devices - 1;
  let least = 0;
  let leastSpan = 0;
  /** No order of the device at hand ends before. */
  const ends = (device: number, ticks: number): void => {
    least = Math.max(least, ticks + step[device]);
    leastSpan = Math.max(leastSpan, ticks - head[device]);
  };
  for (let device = 0; device < devices; device += 1) {
    const work = microbatches * (forward[device] + input[device] + weight[device]);
    ends(device, head[device] + work);
    // After its last input gradient a device holds no more than the limit for the weight gradients that are left.
    const early = microbatches - waitingIn(limits[device], forWeight[device], microbatches);
    let end = head[device] + microbatches * (forward[device] + input[device]) + early * weight[device];
    for (let above = device; above >= 0; above -= 1) {
      if (above < device) end += transfer[above] + input[above];
      // Of the device itself, the weight gradient of the last microbatch is among those that are left.
      ends(above, end + weight[above]);
    }
    const first = head[last] + forward[last] + back[device];
    const before = microbatchesIn(limits[device], activation[device], forWeight[device], microbatches);
    ends(device, first + work - before * forward[device]);
    if (!(limits[device] > 0)) continue;
    const span = first - head[device] + input[device];
    const held = microbatches * (activation[device] * span + forWeight[device] * weight[device]);
    ends(device, head[device] + held / limits[device]);
  }
  // The sums are whole ticks, the quotient is not.
  return { makespan: Math.ceil(least - 1e-6), span: Math.ceil(leastSpan - 1e-6) };
}

/** Weight gradients that a limit lets wait at a time. */
function waitingIn(limit: number, forWeight: number, microbatches: number): number {
  if (!(forWeight > 0)) return microbatches;
  return Math.max(1, Math.min(microbatches, Math.floor(limit / forWeight + 1e-9)));
}

/** Microbatches between F and I that a limit holds: all but the last one whole, and that one also right after its I. */
function microbatchesIn(limit: number, activation: number, forWeight: number, microbatches: number): number {
  const largest = Math.max(activation, forWeight);
  if (!(largest <= limit)) return 0;
  let count = activation > 0 ? Math.min(microbatches, Math.floor((limit - largest) / activation) + 1) : microbatches;
  // The quotient may be rounded either way; the sums decide.
  const holds = (inFlight: number): boolean =>
    inFlight * activation <= limit && (inFlight - 1) * activation + forWeight <= limit;
  while (count < microbatches && holds(count + 1)) count += 1;
  while (count > 0 && !holds(count)) count -= 1;
  return count;
}

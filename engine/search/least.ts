import type { OrderProblem } from './orderProblem.ts';
import { unitOf, upTo } from './unit.ts';

/**
 * Ticks that no order is under, in microseconds. For each device, the first forward comes down to it, and it does all its work.
 * Then its step follows, or its last input gradient goes up to the first stage. A microbatch goes down and up. What a device holds of each
 * microbatch at least, in byte-ticks, fits its limit. The least is rounded up to the unit of the times.
 */
export function leastOf(problem: OrderProblem): number {
  const { devices, microbatches, device, forward, input, weight, transfer, step, activation, forWeight } = problem;
  const stages = device.length;
  const head = new Float64Array(stages);
  const tail = new Float64Array(stages);
  const around = new Float64Array(stages);
  for (let stage = 1; stage < stages; stage += 1) {
    head[stage] = head[stage - 1] + forward[stage - 1] + transfer[stage - 1];
    // Above a stage, a device still has its weight gradient or its step after the last input gradient.
    const above = stage - 1;
    const ends = Math.max(weight[above] + step[device[above]], tail[above]);
    tail[stage] = transfer[above] + input[above] + ends;
  }
  for (let stage = stages - 1; stage >= 0; stage -= 1) {
    const below = stage + 1 < stages ? 2 * transfer[stage] + around[stage + 1] : 0;
    around[stage] = forward[stage] + below + input[stage];
  }
  let least = 0;
  const first = new Float64Array(devices).fill(Infinity);
  const after = new Float64Array(devices).fill(Infinity);
  const work = new Float64Array(devices);
  const held = new Float64Array(devices);
  for (let stage = 0; stage < stages; stage += 1) {
    const on = device[stage];
    first[on] = Math.min(first[on], head[stage]);
    // The last operation of a device is a weight gradient, or the input gradient of a stage that has none.
    after[on] = Math.min(after[on], weight[stage] > 0 ? 0 : tail[stage]);
    work[on] += microbatches * (forward[stage] + input[stage] + weight[stage]);
    const keeps = weight[stage] > 0 ? Math.min(forWeight[stage], activation[stage]) : 0;
    held[on] += microbatches * (around[stage] * activation[stage] + weight[stage] * keeps);
    least = Math.max(least, head[stage] + around[stage] + Math.max(tail[stage], weight[stage] + step[on]));
  }
  for (let on = 0; on < devices; on += 1) {
    if (first[on] === Infinity) continue;
    least = Math.max(least, first[on] + work[on] + Math.max(step[on], after[on]));
    const limit = problem.limit[on];
    if (limit > 0 && limit < Infinity)
      // Whole ticks, but for the quotient; rounding must not raise it.
      least = Math.max(least, Math.ceil(first[on] + (held[on] / limit) * (1 - 1e-9) + step[on] - 1e-6));
  }
  return upTo(unitOf(problem), least);
}

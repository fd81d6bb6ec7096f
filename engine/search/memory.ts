import type { Codes } from './codes.ts';
import { allowed, type OrderProblem } from './orderProblem.ts';
import { pairAt, type Precedence } from './precedence.ts';

/** What a device may hold, and its stages. */
export interface DeviceMemory {
  readonly limit: number;
  readonly chunks: readonly Chunk[];
}

/**
 * A stage on its device. A microbatch holds `activation` bytes from the start of F to the end of I. From there to the end of W,
 * it holds `forWeight`. If W needs more than I leaves, only as much as before is counted: a bound may hold less.
 */
interface Chunk {
  readonly forward: number;
  readonly input: number;
  /** −1 for a whole backward. */
  readonly weight: number;
  readonly activation: number;
  readonly forWeight: number;
}

/** Devices with a limit that could matter; the others are undefined. */
export function memoriesOf(problem: OrderProblem, codes: Codes): readonly (DeviceMemory | undefined)[] {
  return codes.groups.map((_, device) => {
    const chunks: Chunk[] = [];
    for (let stage = 0; stage < problem.device.length; stage += 1) {
      if (problem.device[stage] !== device) continue;
      const activation = problem.activation[stage];
      const weight = codes.weight[stage];
      const forWeight = weight < 0 ? 0 : Math.min(problem.forWeight[stage], activation);
      chunks.push({ forward: codes.forward[stage], input: codes.input[stage], weight, activation, forWeight });
    }
    const limit = allowed(problem.limit[device]);
    const most = chunks.reduce((sum, { activation }) => sum + problem.microbatches * activation, 0);
    return most <= limit ? undefined : { limit, chunks };
  });
}

/** Least bytes of a stage with at least f forwards started, at most i input and x weight gradients ended. */
const held = ({ activation, forWeight }: Chunk, forwards: number, inputs: number, weights: number): number => {
  const back = inputs < forwards ? inputs : forwards;
  return (forwards - back) * activation + (weights < back ? back - weights : 0) * forWeight;
};

/** What the rules of memory read and raise. */
export interface MemoryState {
  readonly microbatches: number;
  readonly codes: Codes;
  readonly precedence: Precedence;
  readonly est: Float64Array;
  readonly lft: Float64Array;
}

/**
 * Memory at the start of each forward of a device. What is known of the order says which forwards have started by then and which
 * gradients cannot have ended. From that follows which operations must be before the forward or after it, and when there can be
 * room for it at the earliest. False if there never is.
 */
export function roomForForwards(state: MemoryState, { chunks, limit }: DeviceMemory): boolean {
  const { microbatches: m, codes, precedence, est } = state;
  const { before } = precedence;
  const pair = (a: number, b: number): number => pairAt(precedence, codes, m, a, b);
  const count = chunks.length;
  const least = new Float64Array(count);
  const started = new Int32Array(count);
  // By stage: gradients that may be before the forward (`inputs`, `weights`), and that may have ended by now.
  const inputs = new Int32Array(count);
  const weights = new Int32Array(count);
  const inputsBy = new Int32Array(count);
  const weightsBy = new Int32Array(count);
  for (const [own, { forward }] of chunks.entries()) {
    for (const counts of [inputs, weights, inputsBy, weightsBy]) counts.fill(0);
    for (let j = 0; j < m; j += 1) {
      let total = 0;
      for (let k = 0; k < count; k += 1) {
        const chunk = chunks[k];
        const inputAt = pair(forward, chunk.input);
        while (inputs[k] < m && before[inputAt + inputs[k]] <= j) inputs[k] += 1;
        if (chunk.weight < 0) weights[k] = m;
        else {
          const weightAt = pair(forward, chunk.weight);
          while (weights[k] < m && before[weightAt + weights[k]] <= j) weights[k] += 1;
        }
        started[k] = k === own ? j + 1 : before[pair(chunk.forward, forward) + j];
        least[k] = held(chunk, started[k], inputs[k], weights[k]);
        total += least[k];
      }
      if (total > limit) return false;
      for (let k = 0; k < count; k += 1) {
        const chunk = chunks[k];
        const room = limit - total + least[k];
        const inputAt = pair(chunk.input, forward) + j;
        let ended = before[inputAt];
        while (held(chunk, started[k], Math.min(ended, inputs[k]), weights[k]) > room) ended += 1;
        before[inputAt] = ended;
        if (chunk.weight >= 0) {
          const weightAt = pair(chunk.weight, forward) + j;
          ended = before[weightAt];
          while (held(chunk, started[k], inputs[k], Math.min(ended, weights[k])) > room) ended += 1;
          before[weightAt] = ended;
        }
        if (k === own) continue;
        // Forwards of another stage that have no room beside this one come after it.
        const forwardAt = pair(forward, chunk.forward);
        let most = started[k];
        while (most < m && before[forwardAt + most] <= j && held(chunk, most + 1, inputs[k], weights[k]) <= room)
          most += 1;
        if (most < m && before[forwardAt + most] <= j) before[forwardAt + most] = j + 1;
      }
      let now = est[forward * m + j];
      for (;;) {
        let next = Infinity;
        total = 0;
        for (let k = 0; k < count; k += 1) {
          const { input, weight } = chunks[k];
          const inputTicks = codes.ticks[input];
          while (inputsBy[k] < m && est[input * m + inputsBy[k]] + inputTicks <= now) inputsBy[k] += 1;
          if (inputsBy[k] < inputs[k]) next = Math.min(next, est[input * m + inputsBy[k]] + inputTicks);
          if (weight < 0) weightsBy[k] = m;
          else {
            const weightTicks = codes.ticks[weight];
            while (weightsBy[k] < m && est[weight * m + weightsBy[k]] + weightTicks <= now) weightsBy[k] += 1;
            if (weightsBy[k] < weights[k]) next = Math.min(next, est[weight * m + weightsBy[k]] + weightTicks);
          }
          total += held(chunks[k], started[k], Math.min(inputs[k], inputsBy[k]), Math.min(weights[k], weightsBy[k]));
        }
        if (total <= limit) break;
        if (next === Infinity) return false;
        now = next;
      }
      est[forward * m + j] = now;
    }
  }
  return true;
}

/**
 * Memory until the end of each operation that frees some: forwards whose latest start is before that end have started and hold
 * theirs. Lowers the latest ends. False if an end can never be early enough.
 */
export function roomUntilFreed(state: MemoryState, { chunks, limit }: DeviceMemory): boolean {
  const { microbatches: m, codes, precedence, lft } = state;
  const { before } = precedence;
  const pair = (a: number, b: number): number => pairAt(precedence, codes, m, a, b);
  const count = chunks.length;
  const known = new Int32Array(count);
  const inputs = new Int32Array(count);
  const weights = new Int32Array(count);
  const startedBy = new Int32Array(count);
  /** How many operations of a code may be before the j-th of `freeing`. */
  const mayPrecede = (code: number, freeing: number, j: number, from: number): number => {
    if (code === freeing) return j;
    const at = pair(freeing, code);
    let most = from;
    while (most > 0 && before[at + most - 1] > j) most -= 1;
    return most;
  };
  for (const { input, weight, activation, forWeight } of chunks)
    for (const freeing of [input, weight]) {
      if (freeing < 0 || (freeing === input && !(activation > forWeight))) continue;
      inputs.fill(m);
      weights.fill(m);
      startedBy.fill(m);
      for (let j = m - 1; j >= 0; j -= 1) {
        for (let k = 0; k < count; k += 1) {
          known[k] = before[pair(chunks[k].forward, freeing) + j];
          inputs[k] = mayPrecede(chunks[k].input, freeing, j, inputs[k]);
          if (chunks[k].weight >= 0) weights[k] = mayPrecede(chunks[k].weight, freeing, j, weights[k]);
        }
        let end = lft[freeing * m + j];
        for (;;) {
          let next = -Infinity;
          let total = 0;
          for (let k = 0; k < count; k += 1) {
            const { forward } = chunks[k];
            const ticks = codes.ticks[forward];
            while (startedBy[k] > 0 && lft[forward * m + startedBy[k] - 1] - ticks >= end) startedBy[k] -= 1;
            const started = Math.max(known[k], startedBy[k]);
            if (startedBy[k] > known[k]) next = Math.max(next, lft[forward * m + startedBy[k] - 1] - ticks);
            total += held(chunks[k], started, inputs[k], weights[k]);
          }
          if (total <= limit) break;
          if (next === -Infinity) return false;
          end = next;
        }
        lft[freeing * m + j] = end;
      }
    }
  return true;
}

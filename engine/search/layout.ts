import type { OrderProblem } from './orderProblem.ts';

/**
 * The operations of a problem by code: a kind of a stage. F of stage s is s, I is S + s, W is 2S + s. A stage whose backward is
 * whole has no W.
 */
export interface Layout {
  readonly problem: OrderProblem;
  readonly stages: number;
  /** 3S; codes of stages without W are not used. */
  readonly codes: number;
  readonly ticks: Float64Array;
  readonly device: Int32Array;
  /** The code whose result a code needs of the same microbatch, −1: none; and the ticks that it takes to arrive. */
  readonly feeds: Int32Array;
  readonly delay: Float64Array;
  /** Two places for each code: the codes that need its result, −1 for none. */
  readonly feeding: Int32Array;
  /** Codes of device d: `local[first[d]]` … `local[first[d + 1] − 1]`, by stage. A word lists indices into them. */
  readonly local: Int32Array;
  readonly first: Int32Array;
  /** Index of a code among the codes of its device. */
  readonly indexOf: Uint8Array;
  /** The word of device d is `words[offsets[d]]` … `words[offsets[d + 1] − 1]`. */
  readonly offsets: Int32Array;
}

/**
 * An order: for each device its word, an index of a code for each operation. Microbatches are alike, so that operations of a
 * code run in ascending order, and the word says all.
 */
export type Words = Uint8Array;

export function layoutOf(problem: OrderProblem): Layout {
  const { devices, microbatches, device: deviceOf, forward, input, weight, transfer } = problem;
  const stages = deviceOf.length;
  const codes = 3 * stages;
  const ticks = new Float64Array(codes);
  const device = new Int32Array(codes);
  const feeds = new Int32Array(codes).fill(-1);
  const delay = new Float64Array(codes);
  const feeding = new Int32Array(2 * codes).fill(-1);
  const indexOf = new Uint8Array(codes);
  const local: number[] = [];
  const first = new Int32Array(devices + 1);
  const offsets = new Int32Array(devices + 1);
  const connect = (from: number, to: number, ticksOfMessage: number): void => {
    feeds[to] = from;
    delay[to] = ticksOfMessage;
    feeding[2 * from + (feeding[2 * from] < 0 ? 0 : 1)] = to;
  };
  for (let stage = 0; stage < stages; stage += 1) {
    ticks[stage] = forward[stage];
    ticks[stages + stage] = input[stage];
    ticks[2 * stages + stage] = weight[stage];
    for (let kind = 0; kind < 3; kind += 1) device[kind * stages + stage] = deviceOf[stage];
    if (stage > 0) connect(stage - 1, stage, transfer[stage - 1]);
    if (stage + 1 < stages) connect(stages + stage + 1, stages + stage, transfer[stage]);
    else connect(stage, stages + stage, 0);
    if (weight[stage] > 0) connect(stages + stage, 2 * stages + stage, 0);
  }
  for (let on = 0; on < devices; on += 1) {
    for (let stage = 0; stage < stages; stage += 1) {
      if (deviceOf[stage] !== on) continue;
      for (let kind = 0; kind < (weight[stage] > 0 ? 3 : 2); kind += 1) {
        indexOf[kind * stages + stage] = local.length - first[on];
        local.push(kind * stages + stage);
      }
    }
    first[on + 1] = local.length;
    offsets[on + 1] = offsets[on] + (local.length - first[on]) * microbatches;
  }
  return {
    problem,
    stages,
    codes,
    ticks,
    device,
    feeds,
    delay,
    feeding,
    local: Int32Array.from(local),
    first,
    indexOf,
    offsets,
  };
}

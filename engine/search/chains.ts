import type { Codes } from './codes.ts';
import { allowed, type OrderProblem } from './orderProblem.ts';

/**
 * Operations that follow each other in every order that fits. A microbatch goes down to the last stage, and up to the stage that
 * holds up most. Then the next microbatch for which that stage has room goes on from there.
 */
export interface Chain {
  /** code · m + microbatch. */
  readonly operations: Int32Array;
  readonly device: Int32Array;
  readonly ticks: Float64Array;
  /** Ticks from the end of the operation before to the start, at least. */
  readonly gap: Float64Array;
}

/** Chains that are shorter than this share of the work that devices do meanwhile hold up little. */
const worthwhile = 0.8;

/**
 * The chains of the stage whose memory holds up most, one for each microbatch that it has room for. None if devices have so much
 * to do meanwhile that memory holds up little. Stages must be on different devices.
 */
export function chainsOf(problem: OrderProblem, codes: Codes): readonly Chain[] {
  const { devices, device, microbatches: m } = problem;
  if (device.length !== devices || new Set(device).size !== devices) return [];
  let turn: Turn | undefined;
  for (let stage = 0; stage < device.length; stage += 1) {
    const other = turnAt(problem, stage);
    if (other !== undefined && (turn === undefined || other.ticks * turn.room > turn.ticks * other.room)) turn = other;
  }
  if (turn === undefined) return [];
  const { room } = turn;
  const busiest = codes.groups.reduce((most, group) => {
    const work = group.reduce((sum, code) => sum + codes.ticks[code], 0);
    return Math.max(most, work);
  }, 0);
  if (turn.ticks < worthwhile * room * busiest) return [];
  return Array.from({ length: Math.min(room, m) }, (_, first) => chainFrom(problem, codes, turn, first));
}

/** How a chain turns from a microbatch to the next. */
interface Turn {
  readonly stage: number;
  /** The microbatch after j is j + `room`. */
  readonly room: number;
  /** Ticks from a microbatch to the next at least. */
  readonly ticks: number;
  /** Whether W is part of the chain; otherwise it turns after I, and ticks that it then waits at least. */
  readonly hasWeight: boolean;
  readonly wait: number;
}

function turnAt({ microbatches: m, device, forward, input, weight, transfer, ...bytes }: OrderProblem, stage: number) {
  const activation = bytes.activation[stage];
  const limit = allowed(bytes.limit[device[stage]]);
  if (!(activation > 0) || m * activation <= limit) return undefined;
  // F holds at least its bytes, so that this many microbatches are between F and the end of I.
  const room = Math.floor(limit / activation);
  if (room < 1) return undefined;
  let ticks = 0;
  for (let at = stage; at < device.length; at += 1)
    ticks += forward[at] + input[at] + (at + 1 < device.length ? 2 * transfer[at] : 0);
  const keeps = weight[stage] > 0 ? Math.min(bytes.forWeight[stage], activation) : 0;
  // When F of j + room starts, the bytes of W of j have no room: if the I of all others have ended, and if no I after that of j has.
  const hasWeight = activation + room * keeps > limit;
  const hasOther = room * activation + keeps > limit;
  // Then W of j has ended, or I of j + 1: each begins after I of j.
  const wait = hasOther && !hasWeight ? Math.min(weight[stage], input[stage]) : 0;
  return { stage, room, ticks: ticks + (hasWeight ? weight[stage] : wait), hasWeight, wait };
}

function chainFrom(problem: OrderProblem, codes: Codes, turn: Turn, first: number): Chain {
  const { microbatches: m, device } = problem;
  const stages = device.length;
  const operations: number[] = [];
  const gap: number[] = [];
  const add = (code: number, microbatch: number, ticks: number): void => {
    operations.push(code * m + microbatch);
    gap.push(ticks);
  };
  for (let stage = 0; stage < turn.stage; stage += 1)
    add(codes.forward[stage], first, codes.delay[codes.forward[stage]]);
  for (let microbatch = first; microbatch < m; microbatch += turn.room) {
    for (let stage = turn.stage; stage < stages; stage += 1) {
      const code = codes.forward[stage];
      add(code, microbatch, microbatch > first && stage === turn.stage ? turn.wait : codes.delay[code]);
    }
    const isLast = microbatch + turn.room >= m;
    for (let stage = stages - 1; stage >= (isLast ? 0 : turn.stage); stage -= 1)
      add(codes.input[stage], microbatch, codes.delay[codes.input[stage]]);
    if (turn.hasWeight && (!isLast || turn.stage === 0)) add(codes.weight[turn.stage], microbatch, 0);
  }
  const codeOf = operations.map((operation) => Math.floor(operation / m));
  return {
    operations: Int32Array.from(operations),
    device: Int32Array.from(codeOf, (code) => codes.ofDevice[code]),
    ticks: Float64Array.from(codeOf, (code) => codes.ticks[code]),
    gap: Float64Array.from(gap),
  };
}
